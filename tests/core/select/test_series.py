"""Which episodes a share has, and which file is which."""

import time

import pytest
from hypothesis import given, settings, strategies as st

from custom_components.reelay.core.model.context import Assignment
from custom_components.reelay.core.model.share import Role
from custom_components.reelay.core.select.outcome import Problems
from custom_components.reelay.core.select.select import select
from tests.core.select.shares import GIB, MIB, SERIES, by_path, choose, entries, numbers, problems, said


@pytest.mark.parametrize(
    ("path", "season", "episode"),
    [
        ("The.Paper.Comet.S02E03.1080p.mkv", 2, 3),
        ("Season 2/The Paper Comet - 03.mkv", 2, 3),
        ("纸彗星/第二季/第03集.mp4", 2, 3),
        ("[Group] The Paper Comet [03][1080p].mkv", 1, 3),
        ("The Paper Comet/Specials/The Paper Comet - 02.mkv", 0, 2),
    ],
)
def test_season_and_number_come_from_the_name_then_the_folder(path: str, season: int, episode: int) -> None:
    assert numbers(choose([path])) == [(season, episode)]


def test_a_file_without_season_takes_the_one_the_message_names() -> None:
    assert numbers(choose(["EP01.mkv", "EP02.mkv"], parsed=said(SERIES, seasons=(3,)))) == [(3, 1), (3, 2)]


def test_without_any_season_anywhere_it_is_the_first() -> None:
    assert numbers(choose(["EP01.mkv", "EP02.mkv"])) == [(1, 1), (1, 2)]


def test_a_file_without_season_among_several_seasons_is_a_problem() -> None:
    files = ["Comet.S01E01.mkv", "Comet.S02E01.mkv", "EP05.mkv"]
    assert problems(files) == ["no_season"]


def test_a_large_file_without_a_number_is_a_problem_and_a_tiny_one_is_not() -> None:
    assert problems({"Comet.S01E01.mkv": GIB, "Comet.Finale.mkv": GIB}) == ["no_number"]
    found = choose({"Comet.S01E01.mkv": GIB, "Comet.Something.mkv": 20 * MIB})
    assert numbers(found) == [(1, 1)]


def test_a_lone_file_without_a_number_is_the_one_episode_the_message_names() -> None:
    parsed = said(SERIES, seasons=(2,), episodes=((7, 7),))
    assert numbers(choose(["The Paper Comet.mkv"], parsed=parsed)) == [(2, 7)]


def test_samples_trailers_and_extras_are_left_out() -> None:
    files = {
        "Comet/Comet.S01E01.mkv": GIB,
        "Comet/Sample/Comet.S01E01.sample.mkv": 30 * MIB,
        "Comet/花絮/NCOP.mkv": 90 * MIB,
        "Comet/trailer.mp4": 90 * MIB,
        "Comet/tvshow.nfo": 900,
        "Comet/更多资源请访问某站.mp4": 9 * MIB,
    }
    found = choose(files)
    assert list(by_path(found)) == ["Comet/Comet.S01E01.mkv"]
    assert len(found.dropped) == 5


def test_a_work_that_is_called_extras_is_not_emptied_by_its_name() -> None:
    assert numbers(choose(["Extras/Extras.S01E01.mkv", "Extras/Extras.S01E02.mkv"])) == [(1, 1), (1, 2)]


def test_other_seasons_than_the_message_names_are_left_out_but_specials_stay() -> None:
    files = ["C.S01E01.mkv", "C.S02E01.mkv", "C.S00E01.mkv"]
    assert numbers(choose(files, parsed=said(SERIES, seasons=(2,)))) == [(0, 1), (2, 1)]


def test_a_share_that_has_grown_beyond_the_message_gives_all_that_is_not_stored() -> None:
    files = [f"C.S01E{n:02d}.mkv" for n in range(1, 11)]
    parsed = said(SERIES, seasons=(1,), episodes=((1, 8),))
    found = choose(files, parsed=parsed, stored={(1, n) for n in range(1, 8)})
    assert numbers(found) == [(1, 8), (1, 9), (1, 10)]
    assert found.dropped["C.S01E01.mkv"] == "stored"


def test_a_file_of_two_episodes_stays_while_one_of_them_is_missing() -> None:
    assert numbers(choose(["C.S01E01E02.mkv"], stored={(1, 1)})) == [(1, 1), (1, 2)]
    assert choose(["C.S01E01E02.mkv"], stored={(1, 1), (1, 2)}).files == ()


def test_a_file_of_two_episodes_gives_way_to_single_ones() -> None:
    found = choose(["C.S01E01E02.mkv", "C.S01E01.mkv", "C.S01E02.mkv"])
    assert sorted(by_path(found)) == ["C.S01E01.mkv", "C.S01E02.mkv"]


def test_of_several_releases_the_better_one_is_taken() -> None:
    found = choose(["C.S01E01.720p.mkv", "C.S01E01.2160p.mkv", "C.S01E02.1080p.mkv"])
    assert sorted(by_path(found)) == ["C.S01E01.2160p.mkv", "C.S01E02.1080p.mkv"]


def test_a_corrected_release_beats_the_first_one() -> None:
    found = choose(["[G] Comet - 01 [1080p].mkv", "[G] Comet - 01v2 [1080p].mkv"])
    assert list(by_path(found)) == ["[G] Comet - 01v2 [1080p].mkv"]


def test_releases_that_nothing_tells_apart_are_a_problem() -> None:
    assert problems(["a/C.S01E01.mkv", "b/C.S01E01.mkv"]) == ["several_files"]


def test_a_double_of_a_stored_episode_is_no_problem() -> None:
    files = ["a/C.S01E01.mkv", "b/C.S01E01.mkv", "C.S01E02.mkv"]
    assert numbers(choose(files, stored={(1, 1)})) == [(1, 2)]


def test_files_that_came_before_are_not_taken_again() -> None:
    found = choose(["C.S01E01.mkv", "C.S01E02.mkv"], known=frozenset({"i0"}))
    assert numbers(found) == [(1, 2)]
    assert choose(["C.S01E01.mkv"], known=frozenset({"i0"})).files == ()


def test_no_video_at_all_is_a_problem() -> None:
    assert problems(["readme.txt", "poster.jpg"]) == ["no_video"]


def test_subtitles_follow_their_video_and_are_dropped_without_one() -> None:
    files = {
        "C/C.S01E01.mkv": GIB,
        "C/C.S01E01.chs.ass": 9,
        "C/Subs/C.S01E01.eng.srt": 9,
        "C/Subs/S01E01.srt": 9,
        "C/C.S01E02.srt": 9,
        "C/C.S01E01.mka": 9,
    }
    found = choose(files)
    roles = {path: file.role for path, file in by_path(found).items()}
    assert roles == {
        "C/C.S01E01.mkv": Role.VIDEO,
        "C/C.S01E01.chs.ass": Role.SUBTITLE,
        "C/Subs/C.S01E01.eng.srt": Role.SUBTITLE,
        "C/Subs/S01E01.srt": Role.SUBTITLE,
        "C/C.S01E01.mka": Role.COMPANION,
    }
    assert {file.episode for file in found.files} == {1}


def test_a_subtitle_of_a_worse_release_goes_with_it() -> None:
    files = ["C.S01E01.720p.mkv", "C.S01E01.720p.srt", "C.S01E01.1080p.mkv", "C.S01E01.1080p.srt"]
    assert sorted(by_path(choose(files))) == ["C.S01E01.1080p.mkv", "C.S01E01.1080p.srt"]


def test_a_person_says_what_a_file_is_or_that_it_is_left_out() -> None:
    files = ["C.S01E01.mkv", "Finale.mkv", "Making.mkv"]
    word = (
        Assignment(path="Finale.mkv", season=1, episode=2, episode_last=3),
        Assignment(path="Making.mkv", leave_out=True),
    )
    assert numbers(choose(files, assignments=word)) == [(1, 1), (1, 2), (1, 3)]


def test_a_word_about_a_file_that_is_not_there_is_a_problem() -> None:
    assert problems(["C.S01E01.mkv"], assignments=(Assignment(path="gone.mkv"),)) == ["wrong_assignment"]


def test_five_thousand_files_are_chosen_in_half_a_second() -> None:
    files = [
        f"Comet/Season {n // 500 + 1}/Comet.S{n // 500 + 1:02d}E{n % 500 + 1:03d}.1080p.WEB-DL.mkv"
        for n in range(5000)
    ]
    start = time.process_time()
    assert len(choose(files).files) == 5000
    assert time.process_time() - start < 1.0  # twice the goal: other tests run beside this one


names = st.sampled_from(
    [
        "C.S01E{n:02d}.mkv",
        "C - {n:02d}.mkv",
        "第{n}集.mp4",
        "Sample/C.S01E{n:02d}.sample.mkv",
        "C.S01E{n:02d}.srt",
    ]
)
shares = st.lists(st.tuples(names, st.integers(1, 12), st.integers(1, 5 * GIB)), max_size=12)


@given(shares, st.sets(st.integers(1, 12)))
@settings(max_examples=150, deadline=None)
def test_whatever_the_share_nothing_is_chosen_twice_or_although_it_is_stored(
    rows: list[tuple[str, int, int]], there: set[int]
) -> None:
    files = {name.format(n=n): size for name, n, size in rows}
    found = select(entries(files), said(SERIES), SERIES, {(1, n) for n in there})
    if isinstance(found, Problems):
        return
    ids = [file.source_id for file in found.files]
    assert len(ids) == len(set(ids))
    pairs = numbers(found)
    assert len(pairs) == len(set(pairs))
    assert not {n for _, n in pairs} & there
    assert set(found.dropped) | {file.path for file in found.files} == set(files)


PACKS = {
    "folders": "Comet/Season {s}/Comet - {e:02}.mkv",
    "Chinese folders": "纸彗星/第{s}季/第{e:02}集.mp4",
    "numbers alone": "纸彗星/S{s:02}/{e:02} 4K.mp4",
    "names": "Comet.S{s:02}E{e:02}.1080p.mkv",
    "crosses": "Comet/{s}x{e:02}.mkv",
    "titled files in a folder": "Comet/Season {s}/{e} The Title (1080p).mkv",
    "fansub": "[Kumo] Comet S{s}/[Kumo] Comet S{s} - {e:02} [1080p].mkv",
}


@pytest.mark.parametrize("way", PACKS)
def test_packs_of_several_seasons_keep_every_season_apart(way: str) -> None:
    files = [PACKS[way].format(s=s, e=e) for s in (1, 2, 3) for e in (1, 2, 11)]
    assert numbers(choose(files)) == [(s, e) for s in (1, 2, 3) for e in (1, 2, 11)]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["第1期上.mp4", "第1期下.mp4", "第2期.mp4"], [(1, 1), (1, 1), (1, 2)]),
        (["20260717.第3期.mp4", "20260724.第4期.mp4"], [(1, 3), (1, 4)]),
        (["某综艺 第5期 加更.mp4"], [(1, 5)]),
    ],
)
def test_issues_of_variety_shows_and_their_parts(files: list[str], expected: list[tuple[int, int]]) -> None:
    assert numbers(choose(files)) == expected


def test_a_special_that_has_a_number_of_two_orders_is_taken_and_a_recap_is_not() -> None:
    files = [
        "[Kumo] Comet - 01 [1080p].mkv",
        "[Kumo] Comet - 05.5 - S00E01 - Words [1080p].mkv",
        "[Kumo] Comet - 06.5 [1080p].mkv",
    ]
    assert numbers(choose(files)) == [(0, 1), (1, 1)]


def test_five_thousand_files_in_mixed_ways_of_writing_are_chosen_in_half_a_second() -> None:
    forms = (
        "Comet.S{s:02}E{e:03}.1080p.mkv",
        "Season {s}/[G] Comet - {e:03} [1080p].mkv",
        "第{s}季/第{e}集.mp4",
    )
    files = [forms[n % 3].format(s=n // 500 + 1, e=n % 500 + 1) for n in range(5000)]
    start = time.process_time()
    assert len(choose(files).files) == 5000
    assert time.process_time() - start < 1.0  # twice the goal: other tests run beside this one
