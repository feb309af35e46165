"""Dates in names, by named ways of writing. A date that could be read in two ways is none."""

import re
from dataclasses import dataclass
from datetime import date

#: Shows that are numbered by date are younger than this; the last year guards two-digit years.
_FIRST_YEAR, _LAST_SHORT_YEAR = 1970, 2029
_MONTHS = {
    name: index
    for index, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july", "aug august",
         "sep sept september", "oct october", "nov november", "dec december"), 1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + ")"


@dataclass(frozen=True, slots=True)
class Day:
    """A date, or a month and day (`--MM-DD`), and where it stands; no text where it can be read in two ways."""

    text: str
    start: int
    end: int


#: Each way of writing a date by name; groups y, m, d, and a, b where day and month may change places.
_WAYS = {
    "2024-05-02": r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<s>[.\-_/]|年)\s?(?P<m>\d\d?)(?:(?P=s)|月)\s?(?P<d>\d\d?)(?!\d)日?",
    "2024 05 02": r"(?<!\d)(?P<y>(?:19|20)\d\d)\s(?P<m>\d\d)\s(?P<d>\d\d)(?!\d)",
    "20240502": r"(?<![\da-f])(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)(?![\da-f])",
    "30-04-2024": r"(?<![\da-z])(?<!\d[-./])(?P<a>\d\d?)(?P<s>[-./])(?P<b>\d\d?)(?P=s)(?P<y>(?:19|20)\d\d)(?!\d)",
    "5th Mar 2025": rf"(?<!\d)(?P<d>\d\d?)(?:st|nd|rd|th)?[\s._-]{_MONTH}[\s._-](?P<y>(?:19|20)\d\d)(?!\d)",
    "140722": r"(?:^|(?<=[\s_.]))(?P<yy>\d\d)(?P<m>\d\d)(?P<d>\d\d)(?=[\s_.]|$)(?!.hdtv)",
    "0725期": r"(?<!\d)(?P<m>\d\d)(?P<d>\d\d)(?=期)",
    "31.01.15": r"(?<![\da-z.])(?P<a>\d\d)(?P<s>[-./])(?P<b>\d\d)(?P=s)(?P<c>\d\d)(?![\d/-]|[.\s(]{1,2}(?:19|20)\d\d)",
}
_PATTERNS = tuple((name, re.compile(pattern)) for name, pattern in _WAYS.items())
#: What every date has; one look that saves eight.
_HAS = re.compile(r"(?:19|20)\d\d|\d\d[-./]\d\d[-./]\d\d|(?:^|[\s_.])\d{6}(?:[\s_.]|$)|\d{4}期")


def find(text: str) -> Day | None:
    """The date that the surest way of writing finds; `text` is lower-case."""
    if not _HAS.search(text):
        return None
    for _, pattern in _PATTERNS:
        for found in pattern.finditer(text):
            days = _read(found)
            if days:
                return Day(days.pop() if len(days) == 1 else "", *found.span())
    return None


def _read(found: re.Match[str]) -> set[str]:
    """All dates that a match may mean."""
    part = found.groupdict()
    if "c" in part:
        a, b, c = int(part["a"]), int(part["b"]), int(part["c"])
        if part["s"] == "-" and (b, c) == (a + 1, a + 2):
            return set()  # 01-02-03 are three episodes.
        options = (_short(c, b, a), _short(c, a, b), _short(a, b, c))
    elif "a" in part:
        a, b, year = int(part["a"]), int(part["b"]), int(part["y"])
        options = (_day(year, b, a), _day(year, a, b), None)
    else:
        year_ = int(part["y"]) if part.get("y") else 2000 + int(part["yy"]) if part.get("yy") else None
        month = _MONTHS[part["month"]] if part.get("month") else int(part["m"])
        day = _day(year_, month, int(part["d"]))
        swapped = _day(year_, int(part["d"]), month) if part.get("s") and not day else None  # 2012.16.02
        options = (day, swapped, None)
    return {day for day in options if day}


def _short(year: int, month: int, day: int) -> str | None:
    return _day(2000 + year, month, day) if 2000 + year <= _LAST_SHORT_YEAR else None


def _day(year: int | None, month: int, day: int) -> str | None:
    try:
        if year is None:
            return f"--{month:02}-{day:02}" if date(2000, month, day) else None
        return date(year, month, day).isoformat() if year >= _FIRST_YEAR else None
    except ValueError:
        return None
