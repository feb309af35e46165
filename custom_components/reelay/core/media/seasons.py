"""Seasons in names, by named ways of writing: S01, S01-S03, Season 2, Seasons 1, 2 & 3, 2nd Season, 第二季, Сезон 2."""

import re
from dataclasses import dataclass

from .numerals import NUMBER, number, roman

_WORD = (
    r"(?:seasons?|saisons?|staffeln?|temporadas?|temps?\.?|tem\.?|stagion[ei]|sezon[yi]?|sez\.?|сезон[ыа]?"
    r"|sn|se\.?)"
)
_B = r"(?<![a-z0-9])"
_SPELT = {
    word: value
    for value, words in enumerate(
        ("one", "two deux dos", "three trois tres", "four quatre", "five cinq", "six", "seven sept", "eight huit",
         "nine neuf", "ten dix"), 1,
    )
    for word in words.split()
}  # fmt: skip
_ITEM = re.compile(r"(?P<sep>[^\da-z]{0,4}(?:(?:to|and|a|y|e)[\s.])?\s?)s?(?P<number>\d{1,4})")
_RANGE = re.compile(r"[-~–—:至到]|\bto\b|\ba\b")


@dataclass(frozen=True, slots=True)
class Seasons:
    """The seasons a name states, and where."""

    numbers: tuple[int, ...]
    start: int
    end: int


#: Each way of writing by name: what must be in the text for a look to pay, and the pattern.
_WAYS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("第1季至第3季", ("季",), rf"第\s?(?P<a>{NUMBER})\s?季?\s?[-~–至到]\s?第?\s?(?P<z>{NUMBER})\s?季(?!度)"),
    ("1-3季", ("季",), r"(?<!\d)(?P<a>\d{1,2})\s?[-~–至到]\s?(?P<z>\d{1,2})\s?季(?!度)"),
    ("全三季", ("季",), rf"[全共]\s?(?P<all>{NUMBER})\s?季"),
    ("第二季", ("季",), rf"第\s?(?P<a>{NUMBER})\s?季(?!度)"),
    (
        "2nd Season",
        ("sea", "sai", "sta", "tem"),
        r"(?<![\d])(?P<a>\d{1,2})\s?(?:st|nd|rd|th|er|[aoªº°]\.?)[\s._]?(?:season|saison|staffel|temporada|stagione)",
    ),
    ("2 сезон", ("сез", "sez"), r"(?<![\d])(?P<a>\d{1,2})(?:\s?-?й)?[\s._]?(?:sezon|sez(?![a-z])|сезон)"),
    (
        "Seasons 1-3",
        ("sea", "sai", "sta", "tem", "sez", "сез", "sn", "se."),
        (
            rf"{_B}{_WORD}(?:[\s._]{{0,3}}|\s?:\s?|-|[\s.]no)(?P<a>\d{{1,2}}(?!\d)|(?:19|20)\d\d)"
            r"(?P<more>(?:\s?(?:[,&+:~–]|-(?!\s0\d|\s?\d{3})|\s(?:to|and|a|y|e)\s|\.(?:a|to)\.|[\s.])\s?&?\s?\d{1,2}(?![\da-z]))*)"
            r"(?![\da-z])"
        ),
    ),
    (
        "Season Two",
        ("season", "saison"),
        rf"{_B}(?:seasons?|saison)[\s._](?P<word>{'|'.join(_SPELT)}|[ivx]{{1,5}})(?![a-z])",
    ),
    ("1xAll", ("xall",), rf"{_B}(?P<a>\d{{1,2}})xall(?![a-z])"),
    (
        "S01-S03",
        ("s",),
        (
            rf"{_B}(?<![\d§]-)s(?P<a>(?:19|20)\d\d|\d{{1,2}})"
            r"(?P<more>(?:\s?[-~–+&]{1,2}\s?s?\d{1,2}(?![\da-z])|[\s._]?s\d{1,2}|\.to\.s\d{1,2}|[\s.]0\d(?=[\s.]0\d|$))*"
            r"(?:(?<=0\d)[\s.]0\d)?)(?![a-z0-9])"
        ),
    ),
    ("Series 2", ("series",), r"(?<![a-z])series[\s._](?P<a>\d{1,2})(?![\da-z])"),
    ("S 01", ("s ",), rf"{_B}s\s(?P<a>\d\d)(?![\da-z])"),
    ("S01D02", ("d",), rf"{_B}s(?P<a>\d{{1,2}})(?:dis[ck]|d)[\d][\d&,-]{{0,6}}(?![a-z])"),
)
_PATTERNS = tuple((needs, re.compile(pattern)) for _, needs, pattern in _WAYS)


def find(text: str, *, fansub: bool = False) -> Seasons | None:
    """What the surest way of writing finds in a lower-case text."""
    for needs, pattern in _PATTERNS:
        if not any(need in text for need in needs):
            continue
        found = pattern.search(text)
        if found and (read := _read(found, fansub=fansub)):
            return read
    return None


def _read(found: re.Match[str], *, fansub: bool) -> Seasons | None:
    part, end = found.groupdict(), found.end()
    if part.get("word"):
        value = _SPELT.get(part["word"]) or roman(part["word"])
        return Seasons((value,), found.start(), end) if value else None
    if part.get("all"):
        count = number(part["all"]) or 0
        return Seasons(tuple(range(1, count + 1)), found.start(), end) if 0 < count < 60 else None
    first = number(part["a"])
    if first is None:
        return None
    numbers = [first]
    if part.get("z"):
        last = number(part["z"]) or first
        numbers += range(first + 1, last + 1)
    elif part.get("more"):
        more, end = _list(part["more"], first, found.start("more"), fansub=fansub)
        numbers += more
    return Seasons(tuple(dict.fromkeys(numbers)), found.start(), end)


def _list(more: str, first: int, start: int, *, fansub: bool) -> tuple[list[int], int]:
    """The seasons behind a first one; what is no season any more ends the list."""
    numbers: list[int] = []
    last, end = first, start
    for item in _ITEM.finditer(more):
        value, separator = int(item["number"]), item["sep"]
        marked = "s" in item[0][len(separator) : len(separator) + 1]
        ranged = _RANGE.search(separator) is not None
        spaced = separator.strip() == "-" and separator != "-" and not marked
        if value <= last or value > last + 60 or (fansub and spaced and len(item["number"]) > 1):
            break
        if fansub and separator == "-" and not marked:
            break
        if not ranged and not marked and separator.strip(" .") == "" and value > last + 2:
            break
        numbers += range(last + 1, value + 1) if ranged else [value]
        last, end = value, start + item.end()
    return numbers, end
