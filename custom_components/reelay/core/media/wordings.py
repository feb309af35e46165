"""How messages word seasons and episodes: single ones, ranges, progress (更新至), totals (全…集), dates, specials.

The text of a message says less than a file name and says it in more ways; a number counts only with a word or a
letter that makes it one.
"""

import re
from dataclasses import dataclass
from datetime import date

from ..model.offer import Runs, compact
from .numerals import NUMBER, number, roman

_DASH = r"[-–—~～至到]"
_UNIT = r"[集话話回]"
_LONGEST_RUN = 3_000
#: More than a few lines say nothing more about numbers.
_LONGEST = 3_000
#: Heights of pictures, which stand in brackets as episodes do.
_PICTURE = frozenset({480, 540, 576, 720, 1080, 1440, 2160, 4320})

_SEASON_EPISODE = re.compile(
    r"(?<![A-Za-z0-9])S(?P<season>\d{1,4})\s?[._\- ]?\s?EP?\.?\s?(?P<first>\d{1,4})(?!\d)", re.IGNORECASE
)
_SEASON_DASH = re.compile(
    rf"(?<![A-Za-z0-9])S(?P<season>\d{{1,2}})\s{{1,2}}(?P<first>\d{{1,3}})"
    rf"\s?{_DASH}\s?(?P<last>\d{{1,3}})(?![\dA-Za-z.])",
    re.IGNORECASE,
)
_SEASON_DASHED = re.compile(
    r"(?<![A-Za-z0-9])S(?P<season>\d{1,2})\s-\s(?P<first>\d{2,4})(?:v\d)?(?![\dA-Za-z.])", re.IGNORECASE
)
_EPISODE = re.compile(
    r"(?<![A-Za-z0-9])(?:EP|E|Episode\s)\.?\s?(?P<first>\d{1,4})(?![\dA-Za-z])", re.IGNORECASE
)
_TAIL = re.compile(
    rf"\s{{0,2}}(?:(?P<dash>{_DASH})|(?P<list>[、,，&+/])|)\s{{0,2}}"
    rf"(?:S(?P<season>\d{{1,2}})\s?)?(?P<mark>EP?\.?|第)?"
    rf"(?P<number>\d{{1,4}})(?![\dA-Za-z]|\.\d(?!\d\d))\s?{_UNIT}?",
    re.IGNORECASE,
)
_PROGRESS = re.compile(
    rf"(?:更新?|连载|連載)\s?(?:进度)?[:：]?\s?(?P<to>至|到)?\s?"
    rf"(?:(?:第?\s?(?P<cn>{NUMBER})\s?季|S(?P<season>\d{{1,2}}))\s?)?"
    rf"(?P<mark>第|EP?)?\s?(?P<number>{NUMBER})"
    rf"(?:\s?(?P<unit>[集话話回期])|\s?(?P<other>[年月日号季部])|(?P<glued>[A-Za-z%.\d]))?",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    rf"第\s?(?P<first>{NUMBER})\s?{_UNIT}?(?:\s?{_DASH}\s?(?:第\s?)?(?P<last>{NUMBER}))?"
    rf"(?P<list>(?:[、,，和&+]\s?第?\s?{NUMBER}){{0,40}})\s?{_UNIT}"
    rf"(?P<more>(?:[、,，和&+]\s?第?\s?{NUMBER}\s?{_UNIT}?){{0,40}})"
)
_ISSUE = re.compile(
    rf"(?:第\s?)?(?P<number>{NUMBER}|\d{{8}})\s?期(?:\s?(?P<part>[上中下](?:\s?[+、]\s?[上中下])*))?"
)
_BRACKET_RUN = re.compile(
    rf"(?:[\[【（(]\s?|第\s?|(?<=\s)|^)(?P<first>\d{{1,4}})\s?{_DASH}\s?(?P<last>\d{{1,4}})\s?"
    rf"(?P<unit>{_UNIT})?\s?(?:合集|全|完|FIN|END|v\d)?(?P<close>[\]】）)])?",
    re.IGNORECASE,
)
_BRACKET_ONE = re.compile(
    r"[\[【]\s?(?P<first>\d{1,4})(?:v\d|\s?\(\d{1,4}\))?\s?(?:END|FIN|完)?\s?[\]】]", re.IGNORECASE
)
_DASHED = re.compile(r"(?<=\S)\s?-\s(?P<first>\d{2,4})(?:v\d)?(?=\s*(?:[\[【(（]|$))")
_TOTAL = re.compile(
    rf"(?P<word>全|共)\s?(?P<before>{NUMBER})\s?{_UNIT}"
    rf"|(?P<after>{NUMBER})\s?{_UNIT}\s?(?P<tail>全|完结|完結|完(?!整)|大结局)"
)
_COUNT = re.compile(rf"(?<![第\d\-~至到])(?P<count>\d{{1,4}})\s?{_UNIT}(?!\s?[\-~至到/])")
_COMPLETE = re.compile(
    rf"全集|全{_UNIT}|完结|完結|全套|大结局|大結局"
    r"|(?<![A-Za-z])(?:FIN|Complete(?:\s(?:Series|Season))?)(?![A-Za-z])",
    re.IGNORECASE,
)
_MISSING = re.compile(
    r"缺\s?(?P<list>(?:第?\s?(?:EP?)?\s?\d{1,4}\s?[集话話]?\s?[、,，&+\s]?\s?){1,40})", re.IGNORECASE
)
_SEASON = re.compile(
    rf"第\s?(?P<first>{NUMBER})\s?(?:季\s?)?(?:{_DASH}\s?(?:第\s?)?(?P<last>{NUMBER})\s?)?季(?!度)"
    rf"|(?<![\d.])(?P<from>\d{{1,2}})\s?(?:季\s?)?{_DASH}\s?(?P<to>\d{{1,2}})\s?季"
    rf"|(?<![A-Za-z0-9])S(?P<s1>\d{{1,2}}|(?:19|20)\d\d)"
    rf"(?:\s?{_DASH}\s?S(?P<s2>\d{{1,2}})|[-~](?P<s3>\d{{1,2}}))?(?![A-Za-z0-9])"
    rf"|(?<![A-Za-z])Seasons?\s?(?P<e1>\d{{1,2}})(?:\s?{_DASH}\s?(?P<e2>\d{{1,2}}))?(?!\d)"
    r"|(?<!\d)(?P<nth>\d{1,2})(?:st|nd|rd|th)\s?Season",
    re.IGNORECASE,
)
_ALL_SEASONS = re.compile(rf"[全共]\s?(?P<count>{NUMBER})\s?季|(?P<after>{NUMBER})\s?季全")
_ROMAN = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff])[\u2160-\u216b](?![\u2160-\u216b])")
_SPECIAL = re.compile(
    r"(?<![A-Za-z0-9])(?:SP\d{0,2}|OVA\d{0,2}|OAD\d{0,2}|Specials?)(?![A-Za-z0-9])|特别篇|特別篇|番外篇?|特典",
    re.IGNORECASE,
)
#: Specials that come along with something else (TV + OVA) don't make it season 0.
_JOINED = re.compile(r"[+＋&和含及、附]\s?$")
_PART = re.compile(
    rf"第\s?{NUMBER}\s?部分|最[终終]季"
    r"|(?<![A-Za-z])(?:Part|Cour)\s?\d(?![\dA-Za-z])"
    r"|(?:(?<=[\s)）\]】])|^)[\u3400-\u9fff]{1,9}[篇编編章](?![\u3400-\u9fff])",
    re.IGNORECASE,
)
_NO_PART = re.compile(r"正篇|(?:特别|特別|番外|短|长|中|前|後|后|上|下)篇|文章|徽章")
_DAY = re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)[.\-/年]?(?P<m>\d\d?)[.\-/月]?(?P<d>\d\d?)日?(?!\d)")
_BRACKETED = re.compile(r"[(（][^()（）]{0,80}[)）]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What a piece of text states. `start` is where its first such words begin, None where there are none.

    `episodes` are runs; progress (更新至8集) counts from 1. `total` is a planned or full number (共10集, 全12集);
    only `complete` says that all of them are there. `date` is ISO or `--MM-DD`; `special` a word for specials.
    `crossing` marks a range over several seasons (S01E01-S03E10), whose episodes can't be listed.
    """

    seasons: tuple[int, ...] = ()
    episodes: Runs = ()
    complete: bool = False
    total: int | None = None
    part: str | None = None
    date: str | None = None
    special: bool = False
    crossing: bool = False
    start: int | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing about seasons or episodes is stated."""
        return not (self.seasons or self.episodes or self.complete or self.total or self.date or self.special)


class _Reader:
    """One reading of one text: what is found is blanked, so that no number counts twice."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts: list[int] = []
        self.seasons: set[int] = set()
        self.numbers: set[int] = set()
        self.total: int | None = None
        self.complete = False
        self.date: str | None = None
        #: A full date without 期: it dates an episode only where episodes are numbered too.
        self.day: str | None = None
        self.crossing = False

    def take(self, start: int, end: int) -> None:
        self.starts.append(start)
        self.text = f"{self.text[:start]}{'\x00' * (end - start)}{self.text[end:]}"

    def add(self, first: int, last: int) -> None:
        if 0 <= last - first <= _LONGEST_RUN:
            self.numbers.update(range(first, last + 1))

    def season(self, first: int | None, last: int | None) -> None:
        if first is not None:
            self.seasons.update(
                range(first, (last if last is not None and first < last <= first + 99 else first) + 1)
            )


def read(text: str) -> Wording:
    """Read one line or a few; quality words and links should be masked before."""
    reader = _Reader(text[:_LONGEST])
    missing = _missing(reader)
    _dates(reader)
    _progress(reader)
    _totals(reader)
    _all_seasons(reader)
    _lettered(reader)
    _chinese(reader)
    _seasons(reader)
    _bracketed(reader)
    _counts(reader)
    _roman(reader)
    special = _SPECIAL.search(reader.text)
    if special:
        joined = _JOINED.search(reader.text, 0, special.start()) is not None
        reader.take(*special.span())
        if reader.seasons or not joined:
            reader.seasons.add(0)
    part = _PART.search(reader.text)
    if part and _NO_PART.fullmatch(part[0].strip()):
        part = None
    if part and part[0].isascii() and not (reader.seasons or reader.numbers):
        part = None  # The Witch Part 2 is a title.
    if part and part.start() > 0:
        reader.starts.append(part.start())
    complete = _COMPLETE.search(reader.text)
    if complete:
        reader.starts.append(complete.start())
    if part and reader.complete and reader.total and not reader.numbers:
        # All episodes of a part aren't the season (袭击篇[8集全]).
        reader.add(1, reader.total)
    many = len(reader.seasons) > 1
    numbers = set() if many or reader.crossing else reader.numbers - missing
    return Wording(
        seasons=tuple(sorted(reader.seasons)),
        episodes=compact(numbers),
        complete=(reader.complete or complete is not None) and not numbers,
        total=reader.total,
        part=part[0].strip() if part else None,
        date=reader.date or (reader.day if reader.numbers else None),
        special=special is not None,
        crossing=reader.crossing,
        start=min(reader.starts, default=None),
    )


def _missing(reader: _Reader) -> set[int]:
    found = _MISSING.search(reader.text)
    if not found:
        return set()
    reader.take(*found.span())
    return {int(value) for value in re.findall(r"\d+", found["list"])}


def _dates(reader: _Reader) -> None:
    for found in list(_ISSUE.finditer(reader.text)):
        digits = found["number"]
        day = _day(digits) if digits.isdecimal() and len(digits) in (4, 8) else None
        if day:
            reader.date = day
            lead = re.search(r"更新?(?:至|到)?\s?$", reader.text[: found.start()])
            reader.take(lead.start() if lead else found.start(), found.end())
    for found in list(_DAY.finditer(reader.text)):
        day = _date(int(found["y"]), int(found["m"]), int(found["d"]))
        if day and len(found[0]) >= 8:
            reader.day = reader.day or day
            reader.take(*found.span())


def _day(digits: str) -> str | None:
    if len(digits) == 8:
        return _date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    return f"--{digits[:2]}-{digits[2:]}" if _date(2000, int(digits[:2]), int(digits[2:])) else None


def _date(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _progress(reader: _Reader) -> None:
    for found in list(_PROGRESS.finditer(reader.text)):
        value = number(found["number"])
        counts = found["unit"] or (found["mark"] and found["mark"] != "第") or found["to"]
        if value is None or not counts or found["other"] or found["glued"] or value > _LONGEST_RUN:
            continue
        season = found["season"] or found["cn"]
        if season:
            reader.season(number(season), None)
        reader.add(1, value)
        reader.take(*found.span())


def _totals(reader: _Reader) -> None:
    for found in list(_TOTAL.finditer(reader.text)):
        reader.total = number(found["before"] or found["after"])
        if found["word"] != "共":
            reader.complete = True
        reader.take(*found.span())


def _all_seasons(reader: _Reader) -> None:
    found = _ALL_SEASONS.search(reader.text)
    if found:
        reader.season(1, number(found["count"] or found["after"]))
        reader.complete = True
        reader.take(*found.span())


def _lettered(reader: _Reader) -> None:
    """S01E02 and its lists and ranges, then E02 alone."""
    for found in list(_SEASON_DASH.finditer(reader.text)):
        reader.season(int(found["season"]), None)
        reader.add(int(found["first"]), int(found["last"]))
        reader.take(*found.span())
    for found in list(_SEASON_DASHED.finditer(reader.text)):
        reader.season(int(found["season"]), None)
        reader.add(int(found["first"]), int(found["first"]))
        reader.take(*found.span())
    for pattern in (_SEASON_EPISODE, _EPISODE):
        while one := pattern.search(reader.text):
            season = int(one["season"]) if pattern is _SEASON_EPISODE else None
            reader.season(season, None)
            reader.take(one.start(), _list(reader, int(one["first"]), one.end(), season))


def _list(reader: _Reader, first: int, at: int, season: int | None) -> int:
    """Follow `-E08、E10` behind a first number and answer where it ends."""
    reader.add(first, first)
    while tail := _TAIL.match(reader.text, at):
        spaced = tail[0][0] == " " and not tail["mark"] and not tail["season"]
        if not (tail["dash"] or tail["mark"] or tail["list"]) or (tail["dash"] and spaced):
            break
        value = int(tail["number"])
        if tail["season"] and season is not None and int(tail["season"]) != season:
            reader.season(season, int(tail["season"]))
            reader.crossing = True
        elif tail["dash"]:
            reader.add(first, value)
        elif tail["mark"] or value > first:
            reader.add(value, value)
        else:
            break
        first, at = value, tail.end()
    return at


def _chinese(reader: _Reader) -> None:
    """第8集 and ranges; a number in brackets behind it counts the same thing otherwise: 第128集（年番第28集）."""
    outside = _BRACKETED.sub(lambda each: "\x00" * len(each[0]), reader.text)
    text = outside if _CHINESE.search(outside) else reader.text
    for found in list(_CHINESE.finditer(text)):
        first, last = number(found["first"]), number(found["last"] or found["first"])
        if first is None or last is None:
            continue
        reader.add(first, last)
        for each in re.findall(NUMBER, found["list"] + found["more"]):
            reader.numbers.add(number(each) or first)
        reader.take(*found.span())
    for found in list(_ISSUE.finditer(reader.text)):
        value = number(found["number"])
        if value is not None and value < 1000 and (found["part"] or found[0].startswith("第")):
            reader.add(value, value)
            reader.take(*found.span())


def _seasons(reader: _Reader) -> None:
    for found in list(_SEASON.finditer(reader.text)):
        first = found["first"] or found["from"] or found["s1"] or found["e1"] or found["nth"]
        last = found["last"] or found["to"] or found["s2"] or found["s3"] or found["e2"]
        reader.season(number(first), number(last) if last else None)
        reader.take(*found.span())


def _roman(reader: _Reader) -> None:
    """A Roman numeral as one character behind a title is its season, if there are episodes at all (无职转生Ⅱ)."""
    found = _ROMAN.search(reader.text)
    if found and reader.starts and not reader.seasons:
        reader.season(roman(found[0]), None)
        reader.take(*found.span())


def _bracketed(reader: _Reader) -> None:
    if reader.numbers:
        return
    for found in list(_BRACKET_RUN.finditer(reader.text)):
        first, last = int(found["first"]), int(found["last"])
        closed = found["close"] and found[0][0] in "[【（("
        if (closed or found["unit"]) and first < last and not 1880 <= first <= 2100:
            reader.add(first, last)
            reader.take(*found.span())
    if reader.numbers:
        return
    for found in (*_BRACKET_ONE.finditer(reader.text), *_DASHED.finditer(reader.text)):
        value = int(found["first"])
        if value not in _PICTURE and not 1880 <= value <= 2100:
            reader.add(value, value)
            reader.take(*found.span())
            return


def _counts(reader: _Reader) -> None:
    """(80集) and a bare 80集 are a whole of that many."""
    if reader.numbers or reader.total is not None:
        return
    found = _COUNT.search(reader.text)
    if found:
        reader.total = int(found["count"])
        reader.complete = True
        reader.take(*found.span())
