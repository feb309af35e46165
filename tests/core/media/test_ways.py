"""Each named way of writing comes back from names that nobody has seen: at least twenty of each."""

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings, strategies as st

from custom_components.reelay.core.media import ways
from custom_components.reelay.core.media.episodes import NameFacts, from_name, from_path, season_of_folder

LATIN = ("Paper Comet", "The Quiet Harbor", "Nordlicht", "Red Kites Over Ash")
CHINESE = ("纸彗星", "静港之夜", "长风渡口", "北境来信")
PACKED = ("1080p WEB-DL H264 AAC2.0-GRP", "2160p.BluRay.x265.10bit.DTS-HD.MA.5.1-TEAM", "720p.HDTV.x264-ABC")
Numbers = tuple[tuple[int, ...], frozenset[int]]


def _dots(title: str) -> str:
    return title.replace(" ", ".")


def _one(season: int | None, *episodes: int) -> Numbers:
    return (() if season is None else (season,), frozenset(episodes))


#: name of the way -> (season, episode) -> a stem for `{t}` and what it states
WAYS: dict[str, tuple[str, Callable[[int, int], Numbers]]] = {
    "S01E02": ("{t}.S{s:02}E{e:02}.{p}", lambda s, e: _one(s, e)),
    "s1e2": ("{t} s{s}e{e} {p}", lambda s, e: _one(s, e)),
    "S01E02E03": ("{t}.S{s:02}E{e:02}E{f:02}.{p}", lambda s, e: _one(s, e, e + 1)),
    "S01E02-E03": ("{t}.S{s:02}E{e:02}-E{f:02}.{p}", lambda s, e: _one(s, e, e + 1)),
    "S01E02-03": ("{t}.S{s:02}E{e:02}-{f:02}.{p}", lambda s, e: _one(s, e, e + 1)),
    "S01E02 & S01E03": ("{t} S{s:02}E{e:02} & S{s:02}E{f:02} {p}", lambda s, e: _one(s, e, e + 1)),
    "S01 EP02": ("{t} S{s:02} EP{e:02} {p}", lambda s, e: _one(s, e)),
    "T01E02": ("{t} - T{s:02}E{e:02}", lambda s, e: _one(s, e)),
    "1x02": ("{t} - {s}x{e:02} - Words Here", lambda s, e: _one(s, e)),
    "1x02-1x03": ("{t} - {s}x{e:02}-{s}x{f:02}", lambda s, e: _one(s, e, e + 1)),
    "Season 1 Episode 2": ("{t} Season {s} Episode {e}", lambda s, e: _one(s, e)),
    "Temporada 1 Capitulo 2": ("{t} Temporada {s} Capitulo {e}", lambda s, e: _one(s, e)),
    "1 сезон 2 серия": ("{t} {s} сезон {e} серия", lambda s, e: _one(s, e)),
    "第二季 第03集": ("{c} 第{s}季 第{e:02}集 4K", lambda s, e: _one(s, e)),
    "第03集": ("{c} 第{e}集", lambda s, e: _one(None, e)),
    "第03-04话": ("{c} 第{e}-{f}话", lambda s, e: _one(None, e, e + 1)),
    "25화": ("{t} {e}화", lambda s, e: _one(None, e)),
    "S2 Special 05": ("[Kumo] {t} - S{s} Special {e:02} [1080p]", lambda s, e: _one(0, e)),
    "EP05": ("{t} EP{e:02} {p}", lambda s, e: _one(None, e)),
    "Ep. 5": ("{t} Ep. {e} - Words", lambda s, e: _one(None, e)),
    "#05": ("{t} #{e:02}", lambda s, e: _one(None, e)),
    "[G] Title - 05": ("[Kumo] {t} - {e:02} [1080p]", lambda s, e: _one(None, e)),
    "[G] Title - 05v2": ("[Kumo] {t} - {e:02}v2 [1080p][0A1B2C3D]", lambda s, e: _one(None, e)),
    "[G] Title S2 - 05": ("[Kumo] {t} S{s} - {e:02} [1080p]", lambda s, e: _one(s, e)),
    "[G] Title 2nd Season - 05": ("[Kumo] {t} 2nd Season - {e:02} [1080p]", lambda s, e: _one(2, e)),
    "[G][Title][05][1080p]": ("[Kumo][{c}][{e:02}][1080p][CHS]", lambda s, e: _one(None, e)),
    "【组】【片名】【05】": (
        "【云组】【{c}】【{e:02}】【BIG5_MP4】【1920X1080】",
        lambda s, e: _one(None, e),
    ),
    "[05 END]": ("[Kumo][{c}][{e:02} END][1080p]", lambda s, e: _one(None, e)),
    "[01(49)]": ("[Kumo] {c} [{e:02}({g})] [1080p]", lambda s, e: _one(None, e)),
    "Season folder": ("Season {s}/{t} - {e:02}", lambda s, e: _one(s, e)),
    "第二季 folder": ("{c}/第{s}季/第{e:02}集", lambda s, e: _one(s, e)),
    "[05(END)]": ("[Kumo][{c}][{e:02}（END）][1080p]", lambda s, e: _one(None, e)),
    "S01": ("{t}.S{s:02}.{p}", lambda s, e: _one(s)),
    "Season 1": ("{t} Season {s} {p}", lambda s, e: _one(s)),
    "S01-S03": ("{t} S{s:02}-S{s2:02} {p}", lambda s, e: (tuple(range(s, s + 3)), frozenset())),
    "Seasons 1-3": ("{t} Seasons {s}-{s2} {p}", lambda s, e: (tuple(range(s, s + 3)), frozenset())),
    "Season 1, 2 & 3": ("{t} Season {s}, {s1} & {s2}", lambda s, e: (tuple(range(s, s + 3)), frozenset())),
    "103.hdtv": ("{d}.{s}{e:02}.hdtv-lol", lambda s, e: _one(s, e)),
    "白夜追凶12": ("{c}{e}", lambda s, e: _one(None, e)),
    "甄嬛传01-02": ("{c}{e:02}-{f:02}", lambda s, e: _one(None, e, e + 1)),
    "第二季 23 4K": ("{c} 第{s}季 {e} 4K", lambda s, e: _one(s, e)),
    "[01-02TV全集]": ("[Kumo][{c}][{e:02}-{f:02}TV全集][1080P]", lambda s, e: _one(None, e, e + 1)),
    "05 4K": ("{e:02} 4K", lambda s, e: _one(None, e)),
}
PAIRS = tuple(product((1, 2, 4, 9), (3, 8, 11, 24, 47)))


def _read(name: str) -> NameFacts:
    return from_path(name) if "/" in name else from_name(name)


@pytest.mark.parametrize("way", WAYS)
def test_a_way_of_writing_is_read_in_twenty_unseen_names(way: str) -> None:
    form, expected = WAYS[way]
    for index, (season, episode) in enumerate(PAIRS):
        title = LATIN[index % len(LATIN)]
        name = form.format(
            t=title, d=_dots(title), c=CHINESE[index % len(CHINESE)], p=PACKED[index % len(PACKED)], s=season,
            s1=season + 1, s2=season + 2, e=episode, f=episode + 1, g=episode + 48,
        )  # fmt: skip
        facts = _read(f"{name}.mkv" if not way.startswith(("S01-", "Season 1,", "Seasons")) else name)
        assert (facts.all_seasons, facts.numbers) == expected(season, episode), name


DATES = {
    "2024.05.02": "{t}.{y}.{m:02}.{d:02}.1080p.WEB.h264-GRP",
    "2024-05-02": "{t} - {y}-{m:02}-{d:02} - Guest",
    "20240502": "{t} {y}{m:02}{d:02} HDTV",
    "2024年5月2日": "{t} {y}年{m}月{d}日",
    "5th Mar 2024": "{t} {d}th {mon} {y} 720p",
    "25-05-2024": "{t} {d:02}-{m:02}-{y} HDTV",
}


@pytest.mark.parametrize("way", DATES)
def test_a_way_of_writing_a_date_is_read_in_twenty_unseen_names(way: str) -> None:
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    for index, (month, day) in enumerate(product((1, 4, 8, 11, 12), (14, 19, 23, 27))):
        name = DATES[way].format(
            t=LATIN[index % 4], y=2015 + index % 10, m=month, d=day, mon=months[month - 1]
        )
        facts = from_name(name)
        assert facts.date == f"{2015 + index % 10}-{month:02}-{day:02}", name
        assert facts.numbers == frozenset(), name


@pytest.mark.parametrize("name", ["Show.05.06.2024.1080p", "Show 10-11-2008 HDTV", "09.03.08"])
def test_a_date_that_could_be_read_in_two_ways_is_none(name: str) -> None:
    facts = from_name(name)
    assert (facts.date, facts.numbers) == (None, frozenset())


FILMS = (
    "{t}.2019.2160p.BluRay.x265.10bit.DTS-HD.MA.5.1-GRP",
    "{t} 2 (2014) 1080p",
    "{t} 3 2019 WEB-DL",
    "{c}2 (2010) 1080p AC3",
    "{c}.{d}.2017.BluRay.1080p.x264.DTS.4Audios-ABC",
)


def test_films_have_no_episodes_whatever_number_their_title_ends_in() -> None:
    for form, index in product(FILMS, range(4)):
        name = form.format(t=LATIN[index], d=_dots(LATIN[index]), c=CHINESE[index])
        facts = from_name(f"{name}.mkv")
        assert (facts.numbers, facts.all_seasons) == (frozenset(), ()), name
        assert facts.year is not None


@given(st.binary(min_size=16, max_size=24))
def test_a_checksum_states_nothing(digest: bytes) -> None:
    facts = from_name(f"{digest.hex()}.mkv")
    assert (facts.numbers, facts.all_seasons, facts.date, facts.year) == (frozenset(), (), None, None)


ALPHABET = st.sampled_from(
    [*"SsEe0123456789 ._-[]()【】第季集话期xX#&+~年月日至全更", "\u202e", "\x00", "サ", "é", "🎬"]
)


@given(st.text(ALPHABET, max_size=120))
@settings(max_examples=400, deadline=None)
def test_any_mix_of_what_names_are_made_of_gives_ordered_numbers(name: str) -> None:
    for facts in (from_name(name), from_path(name)):
        assert (facts.first is None) == (facts.last is None)
        assert facts.first is None or facts.last is None or facts.first <= facts.last
        assert len(facts.numbers) <= 3_000
        assert facts.titles == tuple(dict.fromkeys(facts.titles))
    season_of_folder(name)


def test_every_row_of_the_tables_has_a_name_of_its_own() -> None:
    names = [way.name for way in (*ways.PAIRED, *ways.MARKED_WAYS, *ways.FRAMED, *ways.BARE_WAYS)]
    assert len(names) == len(set(names))
