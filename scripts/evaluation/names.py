"""Names of files and releases: what each reader makes of them, compared with what each suite of names expects.

One way of calling per suite: a title or file name goes to `from_name`, a path to `from_path`, a message to the rule
parser, and what MoviePilot calls a subtitle is read as a line of a message. Of a key that a suite doesn't assert
nothing is compared; None or an empty list asserts that there is nothing.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .conflicts import CONFLICTS
from .core import core

#: Suites whose rows are names that someone else chose; Jellyfin's are about what Reelay writes.
SUITES = (
    "sonarr",
    "sonarr_real",
    "guessit",
    "guessit_rules",
    "ptt",
    "anitopy",
    "moviepilot",
    "nastool",
    "emby_toolkit",
    "radarr",
    "radarr_real",
)
NUMBERED = ("season", "episodes", "absolute", "special_absolute", "air_date")
_HEIGHT = re.compile(r"(?:\d{3,4}\s?[x×*]\s?)?(\d{3,4})(?:[pi]|$)", re.IGNORECASE)
_HEIGHTS = {"4k": "2160p", "uhd": "2160p", "2k": "1440p", "8k": "4320p"}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader found in a name, in one vocabulary for all readers."""

    seasons: tuple[int, ...] = ()
    numbers: frozenset[int] = frozenset()
    date: str | None = None
    half: bool = False
    complete: bool = False
    year: int | None = None
    titles: tuple[str, ...] = ()
    resolution: str | None = None

    @property
    def silent(self) -> bool:
        """Whether it answers nothing about seasons and episodes."""
        return not (self.seasons or self.numbers or self.date or self.half)


def reelay(row: Mapping[str, Any]) -> Reading:
    """Reelay's own reading of a row."""
    episodes = core("media.episodes")
    if row["kind"] == "message":
        return _message(row)
    name = row["input"]
    facts = episodes.from_path(name) if row["kind"] == "path" else episodes.from_name(name)
    seasons, numbers = facts.all_seasons, facts.numbers
    if row.get("subtitle"):
        said = core("media.wordings").read(row["subtitle"])
        seasons = seasons or said.seasons
        numbers = numbers or core("model.offer").expand(said.episodes)
    return Reading(
        seasons=seasons,
        numbers=frozenset(numbers),
        date=facts.date,
        half=facts.half,
        complete=facts.complete,
        year=facts.year,
        titles=facts.titles,
        resolution=core("media.release").resolution(name),
    )


def _message(row: Mapping[str, Any]) -> Reading:
    post = core("model.message").Message(source="eval", message_id="1", text=row["input"], posted=0)
    offers = core("understand.links").offers(post)
    parsed = core("understand.rules").parse(
        post, offers[0] if offers else core("model.offer").Offer(key="none")
    )
    known = (parsed.title, parsed.original_title, *parsed.other_titles)
    return Reading(
        seasons=parsed.seasons,
        numbers=core("model.offer").expand(parsed.episodes),
        date=parsed.air_date,
        year=parsed.year,
        titles=tuple(filter(None, known)),
        resolution=parsed.release.resolution,
    )


def judge(row: Mapping[str, Any], found: Reading) -> dict[str, str]:
    """`right`, `wrong` or `refused` for each thing that a row asserts."""
    expected, verdicts = row["expected"], {}
    if expected.get("parses") is False:
        silent = found.silent and (not row["suite"].startswith("radarr") or found.year is None)
        verdicts["must refuse"] = "right" if silent else "wrong"
        return verdicts
    if any(name in expected for name in NUMBERED):
        verdicts["season+episode"] = _numbering(expected, found)
    if "year" in expected:
        verdicts["year"] = _value(found.year, expected["year"])
    if wanted := _titles(expected):
        key = core("media.titles").key
        known = {key(title) for title in found.titles if title}
        # Some suites keep the year or an anime's season within the title.
        marks = [*([str(found.year)] if found.year else []), *(f"S{season}" for season in found.seasons)]
        known |= {key(f"{title} {mark}") for title in found.titles for mark in marks}
        right = bool(known & {key(title) for title in wanted})
        verdicts["title"] = "right" if right else "wrong" if known else "refused"
    if "resolution" in expected:
        verdicts["resolution"] = _value(found.resolution, height(expected["resolution"]))
    return verdicts


def _numbering(expected: Mapping[str, Any], found: Reading) -> str:
    """Whether seasons, numbers and date are what a suite asserts, in Reelay's conventions.

    A season that no word states is the first: suites that write 1 there and suites that write nothing agree with a
    reading without season, as selection takes it. A date and a number in one name are both facts, where some suites
    keep only the date. `1-8 of 8` is a whole season and eight episodes.
    """
    dated = bool(expected.get("air_date")) and found.date == expected["air_date"]
    wrong = "air_date" in expected and found.date != expected["air_date"]
    if "season" in expected:
        season = expected["season"]
        seasons = () if season is None else tuple(season) if isinstance(season, list) else (season,)
        got = found.seasons[:1] if expected.get("multi_season") else found.seasons
        unstated = seasons == (1,) and not got and bool(found.numbers)
        special = expected.get("special") and (found.half or found.silent)
        wrong |= seasons != got and not unstated and not special
    if "episodes" in expected or "absolute" in expected:
        wanted = [frozenset(expected.get(name) or ()) for name in ("episodes", "absolute")]
        whole = [{number for each in numbers if (number := _whole(each)) is not None} for numbers in wanted]
        options = [numbers for numbers in whole if numbers] or [set()]
        complete = expected.get("full_season") and found.complete
        agrees = found.numbers in options or set(found.numbers) == set().union(*options)
        wrong |= not agrees and not complete and not (dated and options == [set()])
    if expected.get("special_absolute"):
        wrong |= not found.half
    answerable = any(expected.get(name) not in (None, [], {}) for name in NUMBERED)
    if not wrong:
        return "right"
    return "refused" if answerable and found.silent else "wrong"


def _whole(number: float | str) -> int | None:
    """5 of 5 and of "5a"; None of 5.5."""
    digits = re.fullmatch(r"(\d+)[a-z]?", str(number))
    return int(digits[1]) if digits else None


def _value(got: object, wanted: object) -> str:
    if got == wanted:
        return "right"
    return "refused" if got is None else "wrong"


def _titles(expected: Mapping[str, Any]) -> list[str]:
    named = [expected.get(name) for name in ("title", "title_cn", "title_en")]
    return [title for title in (*named, *(expected.get("titles") or ())) if title]


def height(text: str | None) -> str | None:
    """A resolution in Reelay's words: 1920x1080 and 1080i are 1080p, 4k is 2160p."""
    if not text:
        return None
    if text.lower() in _HEIGHTS:
        return _HEIGHTS[text.lower()]
    found = _HEIGHT.fullmatch(text.strip())
    return core("media.release").resolution(text) or (f"{found[1]}p" if found else text.lower())


def goals(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that are goals: without the ones whose own suite calls them mistakes, and without conflicts."""
    return [
        row
        for row in rows
        if not row.get("caveat") and not row.get("upstream_fails") and row["id"] not in CONFLICTS
        and isinstance(row["input"], str) and "not" not in row["expected"]
    ]  # fmt: skip


def score(
    rows: Sequence[dict[str, Any]], read: Callable[[Mapping[str, Any]], Reading]
) -> tuple[dict[str, dict[str, int]], list[dict[str, Any]]]:
    """Counts of verdicts by what was asked, and every row that isn't right."""
    counts: dict[str, dict[str, int]] = {}
    misses = []
    for row in rows:
        found = read(row)
        for what, verdict in judge(row, found).items():
            counts.setdefault(what, {"right": 0, "wrong": 0, "refused": 0})[verdict] += 1
            if verdict != "right":
                misses.append({"id": row["id"], "what": what, "verdict": verdict, "input": row["input"],
                               "expected": row["expected"], "got": str(found)})  # fmt: skip
    return counts, misses


def cold(names: Sequence[str]) -> float:
    """Milliseconds of processor time per distinct name that nobody has read before in this process."""
    read = core("media.episodes").from_name
    start = time.process_time()
    for name in names:
        read(name)
    return (time.process_time() - start) * 1000 / max(len(names), 1)
