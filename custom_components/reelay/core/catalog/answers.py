"""What TMDB's answers say, in typed values; a field that is missing, empty or of another type says nothing.

Traps (facts: tmdb-and-models D): a missing translation comes as the original title, dates may be "", season 0 may be
older than season 1, a film's alternative titles lie under `titles`, those of a series under `results`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..media import titles as words
from ..model.offer import Kind

#: Titles of one work that are compared, and that are passed on.
MOST_TITLES = 80
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_MAINLAND_FIRST = ("CN", "SG", "HK", "TW")
_OVER = frozenset({"Ended", "Canceled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """A season as the catalogue counts it; 0 are the specials."""

    number: int
    episodes: int
    year: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A hit of a search: enough to see whether it's worth a closer look."""

    kind: Kind
    tmdb: int
    titles: tuple[str, ...]
    year: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """A work in full. `main` are the titles it goes by, `titles` all there are; `over`: no more episodes will come."""

    kind: Kind
    tmdb: int
    title: str
    main: tuple[str, ...]
    titles: tuple[str, ...]
    year: int | None = None
    seasons: tuple[Season, ...] = ()
    over: bool = False
    imdb: str | None = None
    tvdb: int | None = None
    poster: str | None = None

    @property
    def regular(self) -> tuple[Season, ...]:
        """The seasons without the specials."""
        return tuple(season for season in self.seasons if season.number > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Another order of a series' episodes: season there → the catalogue's own (season, episode), in order."""

    name: str
    type: int
    seasons: dict[int, tuple[tuple[int, int], ...]]


def rows(answer: Any, kind: Kind) -> tuple[Row, ...]:
    """The hits of a search, in the catalogue's order."""
    found = []
    for each in _objects(answer, "results"):
        number = _number(each.get("id"))
        names = _distinct(_names(each))
        if number and names:
            found.append(Row(kind=kind, tmdb=number, titles=names, year=_year(each)))
    return tuple(found)


def pages(answer: Any) -> int:
    """How many pages of hits there are."""
    return (_number(answer.get("total_pages")) if isinstance(answer, dict) else None) or 0


def details(answer: Any, kind: Kind) -> Details | None:
    """A work, or None where the answer isn't one."""
    number = _number(answer.get("id")) if isinstance(answer, dict) else None
    names = _names(answer) if number else []
    if not number or not names:
        return None
    alternative = list(_alternative(answer))
    translated = list(_translated(answer))
    title = _title(names, alternative, translated)
    main = _distinct([title, *names, *(name for _, language, name in translated if language in ("zh", "en"))])
    other = _object(answer, "external_ids")
    return Details(
        kind=kind,
        tmdb=number,
        title=title,
        main=main,
        titles=_distinct([*main, *(name for _, name in alternative), *(name for _, _, name in translated)])[
            :MOST_TITLES
        ],
        year=_year(answer),
        seasons=_seasons(answer) if kind is Kind.SERIES else (),
        over=_text(answer.get("status")) in _OVER,
        imdb=_text(other.get("imdb_id")) or _text(answer.get("imdb_id")) or None,
        tvdb=_number(other.get("tvdb_id")),
        poster=_text(answer.get("poster_path")) or None,
    )


def group_ids(answer: Any) -> tuple[str, ...]:
    """The ids of a series' other orders, those by seasons first (6 production, 7 TV, 1 air date, 2 absolute)."""
    rank = {6: 0, 7: 1, 1: 2, 2: 3}
    found = [
        (rank.get(_number(each.get("type")) or 0, 9), _text(each.get("id")))
        for each in _objects(answer, "results")
    ]
    return tuple(number for _, number in sorted(found, key=lambda each: each[0]) if number)


def group(answer: Any) -> Group | None:
    """One other order with its episodes."""
    seasons: dict[int, tuple[tuple[int, int], ...]] = {}
    for place in _objects(answer, "groups"):
        episodes = []
        for each in sorted(_objects(place, "episodes"), key=lambda each: _number(each.get("order"), 0) or 0):
            season, number = _number(each.get("season_number"), 0), _number(each.get("episode_number"))
            if season is not None and number:
                episodes.append((season, number))
        order = _number(place.get("order"), 0)
        if episodes and order is not None:
            seasons[order] = tuple(episodes)
    if not seasons:
        return None
    return Group(name=_text(answer.get("name")), type=_number(answer.get("type")) or 0, seasons=seasons)


def is_chinese(title: str) -> bool:
    """Whether a title is written in Chinese characters, and not in Japanese or Korean ones besides."""
    return bool(_CHINESE.search(title)) and not _KANA.search(title)


def _title(
    names: list[str], alternative: list[tuple[str, str]], translated: list[tuple[str, str, str]]
) -> str:
    """The Chinese title where there is one, that of the mainland first; else what the catalogue calls it."""
    for country in _MAINLAND_FIRST:
        for where, language, name in translated:
            if where == country and language == "zh":
                return name
    # The answer in Chinese: the first name is a translation unless it is the original one.
    if is_chinese(names[0]):
        return names[0]
    for country in _MAINLAND_FIRST:
        for where, name in alternative:
            if where == country and is_chinese(name):
                return name
    return names[0]


def _names(answer: dict[str, Any]) -> list[str]:
    fields = ("title", "name", "original_title", "original_name")
    return [name for field in fields if (name := _text(answer.get(field)))]


def _alternative(answer: dict[str, Any]) -> Iterable[tuple[str, str]]:
    lists = _object(answer, "alternative_titles")
    for each in (*_objects(lists, "titles"), *_objects(lists, "results")):
        if name := _text(each.get("title")):
            yield _text(each.get("iso_3166_1")), name


def _translated(answer: dict[str, Any]) -> Iterable[tuple[str, str, str]]:
    for each in _objects(_object(answer, "translations"), "translations"):
        data = _object(each, "data")
        if name := _text(data.get("title")) or _text(data.get("name")):
            yield _text(each.get("iso_3166_1")), _text(each.get("iso_639_1")), name


def _seasons(answer: dict[str, Any]) -> tuple[Season, ...]:
    found: dict[int, Season] = {}
    for each in _objects(answer, "seasons"):
        number = _number(each.get("season_number"), 0)
        if number is not None:
            found[number] = Season(
                number=number,
                episodes=_number(each.get("episode_count"), 0) or 0,
                year=_year(each),
                name=_text(each.get("name")),
            )
    return tuple(found[number] for number in sorted(found))


def _year(answer: dict[str, Any]) -> int | None:
    for field in ("release_date", "first_air_date", "air_date"):
        date = _text(answer.get(field))
        if re.match(r"(?:18|19|20)\d\d(?:-|$)", date):
            return int(date[:4])
    return None


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Without those that differ in script, width or case only."""
    found: dict[str, str] = {}
    for name in names:
        if key := words.key(name):
            found.setdefault(key, name)
    return tuple(found.values())


def _text(value: Any) -> str:
    return value.strip()[:300] if isinstance(value, str) else ""


def _number(value: Any, least: int = 1) -> int | None:
    fits = isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**40
    return value if fits else None


def _object(answer: Any, name: str) -> dict[str, Any]:
    value = answer.get(name) if isinstance(answer, dict) else None
    return value if isinstance(value, dict) else {}


def _objects(answer: Any, name: str) -> list[dict[str, Any]]:
    value = answer.get(name) if isinstance(answer, dict) else None
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
