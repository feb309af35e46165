"""The pure rules of transferring: names, matching, splitting, claims, conflicts, looks."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from custom_components.reelay.core.model.offer import Ed2kLink, Kind, Work
from custom_components.reelay.core.model.share import Batch, Chosen, Entry, ManifestFile, Phase, Role
from custom_components.reelay.core.policy.schema import Policy
from custom_components.reelay.core.transfer import filing, naming, reconcile
from custom_components.reelay.core.transfer.downloads import url
from custom_components.reelay.core.transfer.found import recognise
from custom_components.reelay.core.transfer.prepare import split
from tests.core.transfer.world import FILM, SERIES

MINUTE = 60_000


def row(path: str, size: int = 10, **fields: Any) -> ManifestFile:
    values: dict[str, Any] = {
        "batch": 1,
        "source_id": path,
        "path": path,
        "size": size,
        "sha1": None,
        "role": Role.VIDEO,
        "work": 1,
        "season": 1,
        "episode": 1,
        "episode_last": 1,
    }
    return ManifestFile(**(values | fields))


def batch(**fields: Any) -> Batch:
    values: dict[str, Any] = {
        "id": 1,
        "task": 1,
        "n": 1,
        "phase": Phase.ACCEPTED,
        "provider": "demo",
        "root": "/R",
        "share": "x",
        "staging_name": "s",
        "sent": 0,
    }
    return Batch(**(values | fields))


# names


@given(st.text(max_size=400))
@settings(max_examples=300)
def test_no_title_can_leave_its_folder_or_break_a_name(title: str) -> None:
    policy = Policy(film_folder="Films/{title}/../{title}", film_name="../{title}")
    work = Work(kind=Kind.FILM, title=title)
    file = row("a.mkv", received_id="r", season=-1, episode=-1, episode_last=-1)
    (planned,) = filing.plan([file], {1: work}, policy)
    assert planned.folder is not None
    assert planned.name is not None
    for part in (*planned.folder.split("/"), planned.name):
        assert part not in ("", ".", "..")
        assert not set(part) & set('"<>\\/:|?*\x00\n')
        assert len(part) <= 255
        assert part == part.strip(" .")
    assert planned.name.endswith(".mkv")


@pytest.mark.parametrize(
    ("title", "clean"),
    [
        ("AC/DC: Live?", "AC DC Live"),
        ("  ..hidden. ", "hidden"),
        ("CON", "_CON"),
        ("con.mkv", "_con.mkv"),
        ("a\tb\u200bc", "a b c"),
        ("...", "_"),
    ],
)
def test_names_are_made_safe(title: str, clean: str) -> None:
    assert naming.clean(title) == clean


def test_a_long_title_is_cut_before_its_ending() -> None:
    name = naming.clean_file("x" * 400, ".zh.srt")
    assert len(name) == 255
    assert name.endswith("x.zh.srt")


def test_a_template_that_cannot_be_filled_in_is_replaced_by_the_usual_one() -> None:
    policy = Policy(film_name="{title.__class__}{nothing}", film_folder="{0}")
    file = row("a.mkv", season=-1)
    assert naming.base_of(policy, FILM, file) == "Silver Harbor (2021)"
    assert naming.folder_of(policy, FILM, -1) == "Films/Silver Harbor (2021)"


def test_without_a_year_no_empty_brackets_stay() -> None:
    work = FILM.model_copy(update={"year": None})
    assert naming.folder_of(Policy(), work, -1) == "Films/Silver Harbor"


@pytest.mark.parametrize(
    ("path", "fields", "name"),
    [
        ("C.S01E01.MKV", {}, "The Paper Comet - S01E01.MKV"),
        ("x.mkv", {"episode_last": 3}, "The Paper Comet - S01E01-E03.mkv"),
        ("x.mkv", {"part": "2"}, "The Paper Comet - S01E01 - part2.mkv"),
        ("x.mkv", {"season": 0, "episode": 12, "episode_last": 12}, "The Paper Comet - S00E12.mkv"),
    ],
)
def test_an_episode_gets_its_name_from_the_manifest(path: str, fields: Any, name: str) -> None:
    (planned,) = filing.plan([row(path, received_id="r", **fields)], {1: SERIES}, Policy())
    assert planned.name == name


def test_companions_keep_what_tells_their_language() -> None:
    files = [
        row("C.S01E01.mkv", received_id="1"),
        row("C.S01E01.chs&eng.ass", received_id="2", role=Role.SUBTITLE),
        row("Subs/2_English_eng.srt", received_id="3", role=Role.SUBTITLE),
        row("Subs/3_eng.srt", received_id="4", role=Role.SUBTITLE),
    ]
    names = [file.name for file in filing.plan(files, {1: SERIES}, Policy())]
    base = "The Paper Comet - S01E01"
    assert names == [f"{base}.mkv", f"{base}.chs&eng.ass", f"{base}.eng.srt", f"{base}.eng (2).srt"]


def test_a_disc_keeps_its_structure_below_the_folder() -> None:
    files = [
        row("X/BDMV/STREAM/1.m2ts", received_id="1", role=Role.DISC, season=-1),
        row("X/BDMV/index.bdmv", received_id="2", role=Role.DISC, season=-1),
    ]
    places = [(file.folder, file.name) for file in filing.plan(files, {1: FILM}, Policy())]
    assert places == [
        ("Films/Silver Harbor (2021)/BDMV/STREAM", "1.m2ts"),
        ("Films/Silver Harbor (2021)/BDMV", "index.bdmv"),
    ]


# matching


def entry(id_: str, name: str, size: int = 10, sha1: str | None = None) -> Entry:
    return Entry(id_, name, size, sha1)


def test_a_file_is_recognised_by_hash_whatever_its_name_became() -> None:
    seen = reconcile.match([row("a.mkv", sha1="AB")], [entry("1", "a(1).mkv", sha1="ab")])
    assert seen.complete


def test_equal_content_needs_as_many_copies_as_were_asked_for() -> None:
    files = [row("a.mkv", sha1="AB"), row("b.mkv", sha1="AB")]
    seen = reconcile.match(files, [entry("1", "b.mkv", sha1="AB")])
    assert [file.received_id for file in seen.files] == [None, "1"]
    seen = reconcile.match(files, [entry("1", "b.mkv", sha1="AB"), entry("2", "x.mkv", sha1="AB")])
    assert [file.received_id for file in seen.files] == ["2", "1"]


def test_without_a_hash_name_and_size_decide_after_normalising() -> None:
    seen = reconcile.match([row("d/Bob\\'s\x02128512.mkv")], [entry("1", "bob's😀.MKV")])
    assert seen.complete
    assert not reconcile.match([row("a.mkv")], [entry("1", "a.mkv", size=11)]).complete


def test_two_known_hashes_that_differ_are_two_files() -> None:
    seen = reconcile.match([row("a.mkv", sha1="AB")], [entry("1", "a.mkv", sha1="CD")])
    assert not seen.complete
    assert [strange.id for strange in seen.strange] == ["1"]


def test_a_match_made_before_stays_while_the_row_is_there() -> None:
    files = [row("a.mkv", sha1="AB", received_id="2"), row("b.mkv", sha1="AB")]
    rows = [entry("1", "a.mkv", sha1="AB"), entry("2", "b.mkv", sha1="AB")]
    assert [file.received_id for file in reconcile.match(files, rows).files] == ["2", "1"]
    assert reconcile.match(files[:1], []).files[0].received_id is None


hashes = st.sampled_from(["AB", "CD", None])
names = st.sampled_from(["a.mkv", "b.mkv"])
things = st.lists(st.tuples(names, hashes, st.integers(1, 2)), max_size=6)


@given(things, things)
def test_no_row_is_ever_given_to_two_files(asked: Any, there: Any) -> None:
    files = [row(name, size, sha1=sha1, source_id=f"s{n}") for n, (name, sha1, size) in enumerate(asked)]
    rows = [entry(f"r{n}", name, size, sha1) for n, (name, sha1, size) in enumerate(there)]
    seen = reconcile.match(files, rows)
    given_ids = [file.received_id for file in seen.files if file.received_id is not None]
    assert len(given_ids) == len(set(given_ids))
    assert len(given_ids) + len(seen.strange) == len(rows)
    again = reconcile.match(seen.files, reversed(rows))
    assert again.files == seen.files


def test_only_units_whose_videos_are_all_there_are_whole() -> None:
    files = [
        row("1.CD1.mkv", received_id="1"),
        row("1.CD2.mkv"),
        row("2.mkv", received_id="2", episode=2, episode_last=2),
        row("2.srt", role=Role.SUBTITLE, episode=2, episode_last=2),
        row("3.srt", received_id="3", role=Role.SUBTITLE, episode=3, episode_last=3),
    ]
    assert [file.path for file in reconcile.complete_units(files)] == ["2.mkv"]


# looks


def test_looks_at_a_landing_double_their_distance() -> None:
    assert [reconcile.next_look(0, t) - t for t in (0, 1000, 2000, 4000, 300_000)] == [
        *(1000, 1000, 2000, 4000, 64_000)
    ]
    assert [reconcile.landing_window(n) // 1000 for n in (1, 100, 300, 9999)] == [120, 120, 360, 600]


def test_rechecks_get_rarer_and_the_last_is_not_before_the_day_is_over() -> None:
    waits = [reconcile.next_recheck(batch(looks=n), 0) // MINUTE for n in range(7)]
    assert waits == [5, 10, 20, 40, 60, 60, 60]
    assert reconcile.next_recheck(batch(looks=9), 1430 * MINUTE) == 1440 * MINUTE


# batches


@given(st.lists(st.integers(1, 4), min_size=1, max_size=30), st.integers(4, 9))
def test_a_batch_never_exceeds_the_limit_nor_tears_an_episode_apart(sizes: list[int], limit: int) -> None:
    files = [
        Chosen(
            source_id=f"{episode}-{n}",
            path=f"{episode}-{n}",
            size=1,
            sha1=None,
            role=Role.VIDEO,
            season=1,
            episode=episode,
            episode_last=episode,
        )
        for episode, size in enumerate(sizes)
        for n in range(size)
    ]
    parts = split(files, limit)
    assert sorted(file.source_id for part in parts for file in part) == sorted(f.source_id for f in files)
    assert all(0 < len(part) <= limit for part in parts)
    where = [{file.episode for file in part} for part in parts]
    assert sum(map(len, where)) == len(sizes)


def test_what_lies_in_the_library_is_recognised_by_its_name() -> None:
    rows = [
        entry("1", "Comet - S01E01-E02.mkv"),
        entry("2", "Comet - S02E09.mkv"),
        entry("3", "notes.txt"),
        entry("4", "E05.mp4"),
        Entry("5", "S01E07.mkv", 0, None, True),
    ]
    found = {(one.season, one.episode): one.file_id for one in recognise(rows, 0, 1)}
    assert found == {(1, 1): "1", (1, 2): "1", (1, 5): "4"}


def test_an_ed2k_link_is_written_so_that_its_name_survives() -> None:
    link = Ed2kLink(name="影|片 1.mkv", size=7, hash="a" * 32)
    assert url(link) == f"ed2k://|file|%E5%BD%B1%7C%E7%89%87 1.mkv|7|{'a' * 32}|/"
