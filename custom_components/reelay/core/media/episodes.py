"""Seasons, episodes, parts and dates in the names of files and folders.

Only what a name states: absolute numbers, issues of a variety show and numbers of another order are not converted
here, that takes a catalogue. The ways of writing are tables in `ways`, `seasons` and `dates`; how messages word the
same things is in `wordings`.
"""

import re
import unicodedata
from dataclasses import dataclass, field, replace

from . import dates, extras, headings, masks, seasons as season_ways, ways
from .headings import Heading
from .ways import Around, Numbers

_YEAR = re.compile(r"(?<![\da-z])(?<!cap\.)(?<!cap )(1[89]\d\d|20[0-3]\d)(?![\da-z])")
_YEAR_IN_BRACKETS = re.compile(r"[(\[（【]\s?(1[89]\d\d|20\d\d)\s?(?:[)\]）】]|-\s?(?:19|20)\d\d\s?[)\]])")
_GROUP = re.compile(r"\s?[\[【][^\]】]{1,60}[\]】][\s._-]*")
_FANSUB = re.compile(r"^\s?[\[【](?!\d{1,4}[\]】])")
_SPECIAL_FOLDER = re.compile(r"\s*(?:specials?|sps?|ovas?|特别篇|番外篇?)\s*", re.IGNORECASE)
_BARE_SEASON_FOLDER = re.compile(
    r"(?:season|series|saison|staffel|s)?[\s._-]?\d{1,4}|第?.{1,4}季|specials?", re.IGNORECASE
)
_HALF = re.compile(r"\s-\s\d{1,3}\.5(?!\d)")
#: A slash within brackets separates words, not folders.
_INNER_SLASH = re.compile(r"[\[(][^\[\]()/]{0,40}/[^\[\]()/]{0,40}[\])]")
_FOLDERS, _LONGEST_PATH = 6, 1_200
#: How far behind a word for specials its own number stands at most.
_NEAR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class NameFacts:
    """What a name states.

    `first` to `last` are episode numbers as written, in the season if one is stated, else of an order the name
    doesn't tell; `listed` names them where they aren't a range. `seasons` holds all of several, `season` a single one.
    `bare`: the number stood alone, without a word or bracket, and may be something else. `half` marks recaps (12.5).
    `date` is ISO, or `--MM-DD` without a year. `extra` names the kind of a file beside the work; `complete` says that
    the name claims all of it, `total` how many that are.
    """

    season: int | None = None
    first: int | None = None
    last: int | None = None
    part: str = ""
    date: str | None = None
    issue: int | None = None
    special: bool = False
    half: bool = False
    bare: bool = False
    version: int = 1
    year: int | None = None
    extra: str | None = None
    seasons: tuple[int, ...] = ()
    listed: tuple[int, ...] = ()
    complete: bool = False
    total: int | None = None
    group: str | None = None
    #: What titles are read from, because few readers want all of them; and titles that folders add.
    heading: Heading | None = field(default=None, repr=False, compare=False)
    added: tuple[str, ...] = field(default=(), repr=False, compare=False)
    #: The title that a folder gives to a name without one.
    adopted: str = ""

    @property
    def title(self) -> str:
        """What stands before the facts, else the folder's title; empty for neither."""
        return (headings.title(self.heading) if self.heading else "") or self.adopted

    @property
    def titles(self) -> tuple[str, ...]:
        """All titles that the name and its folders hold, the main one first."""
        own = headings.titles(self.heading) if self.heading else ()
        return tuple(dict.fromkeys((*own, *self.added)))

    @property
    def numbers(self) -> frozenset[int]:
        """All episode numbers."""
        if self.listed:
            return frozenset(self.listed)
        if self.first is None or self.last is None:
            return frozenset()
        return frozenset(range(self.first, self.last + 1))

    @property
    def all_seasons(self) -> tuple[int, ...]:
        """All seasons; specials without a season are season 0."""
        if self.seasons:
            return self.seasons
        return (0,) if self.special and self.first is not None and self.first == self.last else ()


def from_name(name: str, *, in_season: bool = False) -> NameFacts:
    """Read a file's name, with or without its ending; `in_season`: it lies in a folder for a season."""
    text = masks.normal(name)
    low = masks.lower(text)
    masked = masks.masked(low)
    ends = [len(text)]
    day = dates.find(masked)
    if day:
        ends.append(day.start)
        masked = masks.blank(masked, day.start, day.end)
    year, year_at, masked = _year(masked, ends)
    fansub = _FANSUB.match(text) is not None
    around = Around(fansub=fansub, year_at=year_at, file=masks.is_file(name), in_season=in_season)
    found, stated, masked = _numbers(masked, around, ends)
    special = extras.special(masked)
    if special and special.start() == 0 and stated:
        special = None  # A title may begin with such a word.
    episodes = found.episodes
    if special:
        ends.append(special.start())
        if episodes and 0 <= found.start - special.end() <= _NEAR:
            stated = (0,)  # S2 Special 01 is no episode of season 2.
        if not episodes and special["first"]:
            episodes, stated = frozenset({int(special["first"])}), stated or (0,)
    issue, issue_at = extras.issue(masked)
    if issue_at is not None:
        ends.append(issue_at)
    if found.bare and (day or issue_at is not None):
        found, episodes = replace(found, bare=False), frozenset()
    if not episodes and not stated and (mini := extras.mini(low)):
        episodes = frozenset({mini[0]})
        ends.append(mini[1])
    extra = extras.extra(low, masked, min(ends))
    ordered = sorted(episodes)
    gaps = bool(ordered) and len(ordered) != ordered[-1] - ordered[0] + 1
    opening = (
        found.end if found.way and found.start <= _opening(text) else day.end if day and day.start == 0 else 0
    )
    doubt = headings.clean(text[: found.end]) if found.bare and found.start else ""
    heading = Heading(text, masked, min((end for end in ends if end >= opening), default=len(text)), opening)
    return NameFacts(
        season=stated[0] if len(stated) == 1 else None,
        seasons=stated,
        first=ordered[0] if ordered else None,
        last=ordered[-1] if ordered else None,
        listed=tuple(ordered) if gaps else (),
        part=extras.part(masked),
        date=day.text or None if day else None,
        issue=issue,
        special=special is not None,
        half=found.half or (stated == (0,) and _HALF.search(masked) is not None),
        bare=found.bare and bool(ordered),
        version=found.version,
        year=year,
        extra=extra,
        heading=heading,
        added=(doubt,) if doubt else (),
        complete=found.complete,
        total=found.total,
        group=headings.group(text) if fansub else None,
    )


def from_path(path: str) -> NameFacts:
    """Read a file by its name and, for what the name leaves open, by its folders from inside out."""
    path = _INNER_SLASH.sub(lambda found: found[0].replace("/", " "), path[-_LONGEST_PATH:])
    parts = [part for part in path.replace("\\", "/").split("/")[-_FOLDERS:] if part.strip()]
    if not parts:
        return NameFacts()
    folders = [(folder, from_name(folder)) for folder in reversed(parts[:-1])]
    season = next((found for folder, _ in folders if (found := season_of_folder(folder)) is not None), None)
    facts = from_name(parts[-1], in_season=season is not None)
    sure = facts.first is not None and not facts.bare
    named = next(
        (
            each
            for _, each in folders[:2]
            if each.season is not None and each.first is not None and not each.bare
        ),
        None,
    )
    if named and not sure and (facts.first is None or facts.first not in (named.first, None)):
        facts = replace(
            facts,
            season=named.season,
            seasons=named.seasons,
            first=named.first,
            last=named.last,
            listed=named.listed,
            bare=False,
        )
    elif not facts.seasons and (season or (season == 0 and facts.first is not None)):
        first, last = facts.first, facts.last
        if first is not None and first == last and first // 100 == season > 0:
            first = last = first % 100
        facts = replace(facts, season=season, seasons=(season,), first=first, last=last)
    dated = next((each for _, each in folders[:1] if each.date), None)
    if facts.date is None and facts.first is None and dated:
        facts = replace(facts, date=dated.date)
    return _named_by(facts, folders)


def _named_by(facts: NameFacts, folders: list[tuple[str, NameFacts]]) -> NameFacts:
    """Titles and year of the folders for what a name leaves open."""
    known = list(facts.titles)
    year = facts.year
    for folder, each in folders:
        if _BARE_SEASON_FOLDER.fullmatch(folder.strip()):
            continue
        known += each.titles
        year = year if year is not None else each.year
    return replace(facts, added=tuple(dict.fromkeys(known)), adopted=next(iter(known), ""), year=year)


def season_of_folder(name: str) -> int | None:
    """The one season a folder's name states; None for none, or for several (`S01-S03`)."""
    text = unicodedata.normalize("NFKC", name[: masks.LONGEST])
    if _SPECIAL_FOLDER.fullmatch(text):
        return 0
    masked = masks.masked(masks.lower(text))
    found = ways.first_of(ways.PAIRED, masked, Around())
    if found:
        return found.seasons[0] if len(found.seasons) == 1 else None
    stated = season_ways.find(masked)
    return stated.numbers[0] if stated and len(stated.numbers) == 1 else None


def _opening(text: str) -> int:
    """Where a name begins behind its group."""
    found = _GROUP.match(text)
    return found.end() if found else 0


def _year(text: str, ends: list[int]) -> tuple[int | None, int | None, str]:
    found = _YEAR_IN_BRACKETS.search(text)
    if not found:
        later = [year for year in _YEAR.finditer(text) if year.start() > 0]
        found = later[-1] if later else None
        if len(later) > 1 and text[later[-2].end() : later[-1].start()] in ("-", "~"):
            found = later[-2]
    if not found:
        return None, None, text
    ends.append(found.start())
    return int(found[1]), found.start(), masks.blank(text, found.start(), found.end(), masks.YEAR)


def _numbers(text: str, around: Around, ends: list[int]) -> tuple[Numbers, tuple[int, ...], str]:
    """Season and episode together; else the season, then the number, the surest way of writing first."""
    found = ways.first_of(ways.PAIRED, text, around)
    if found:
        ends.append(found.start)
        return found, found.seasons, masks.blank(text, found.start, found.end)
    stated: tuple[int, ...] = ()
    season = season_ways.find(text, fansub=around.fansub)
    if season:
        stated = season.numbers
        ends.append(season.start)
        text = masks.blank(text, season.start, season.end)
        around = replace(around, seasons=True, season_at=season.start)
    found = (
        ways.first_of(ways.MARKED_WAYS, text, around)
        or ways.first_of(ways.FRAMED, text, around)
        or ways.first_of(ways.BARE_WAYS, text, around)
    )
    if not found:
        return Numbers(), stated, text
    if found.bare and len(stated) > 1:
        return Numbers(), stated, text
    if not found.bare or found.start == 0 or not _marks_before(text, found.start):
        ends.append(found.start)
    return found, found.seasons or stated, masks.blank(text, found.start, found.end)


def _marks_before(text: str, at: int) -> bool:
    return any(mark in text[:at] for mark in "§¤")
