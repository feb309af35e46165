"""What a match of a way of writing means: readers take it, or decline where a name says something else."""

import re
from dataclasses import dataclass, replace

from .numerals import number
from .runs import follow


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What one way of writing found. `seasons` is empty where it says nothing; `total` is of a count like 3of6."""

    way: str = ""
    start: int = 0
    end: int = 0
    seasons: tuple[int, ...] = ()
    episodes: frozenset[int] = frozenset()
    total: int | None = None
    complete: bool = False
    half: bool = False
    bare: bool = False
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What is known about a name before its numbers are read."""

    fansub: bool = False
    year_at: int | None = None
    seasons: bool = False
    season_at: int = 0
    file: bool = False
    in_season: bool = False


def plain(found: re.Match[str], _: Around) -> Numbers | None:
    """Groups season, first, more, version, half and total mean what they say."""
    part = found.groupdict()
    first = number(part["first"])
    if first is None:
        return None
    season = number(part["season"]) if part.get("season") else None
    version = int(part["version"]) if part.get("version") else 1
    if part.get("half"):
        return Numbers(seasons=_one(season), half=True, version=version)
    numbers, other = follow(first, part.get("more") or "")
    total = int(part["total"]) if part.get("total") else None
    if season is not None and other is not None and other > season:
        return Numbers(seasons=tuple(range(season, other + 1)), complete=True)
    return Numbers(
        seasons=_one(season),
        episodes=numbers,
        version=version,
        total=total,
        complete=total is not None and len(numbers) == total > 1,
    )


def _one(season: int | None) -> tuple[int, ...]:
    return () if season is None else (season,)


def dashed(found: re.Match[str], around: Around) -> Numbers | None:
    """S2 - 03 is an episode, S01-05 are seasons; S01 04 is one only in a file or a fansub's name."""
    read, between = plain(found, around), found["between"]
    tight = between == "-" and len(found["season"]) == 2
    if (
        tight
        and len(found["first"]) == 2
        and not around.fansub
        and int(found["first"]) > int(found["season"])
    ):
        return None
    loose = not between.strip(" _.") and not found["more"] and len(found["season"]) == 2
    if loose and between != "." and len(found["first"]) == 2 and not (around.fansub or around.file):
        return None
    return read


def progress(found: re.Match[str], _: Around) -> Numbers | None:
    last = number(found["last"])
    return Numbers(episodes=frozenset(range(1, last + 1))) if last and last < 3_000 else None


def whole(found: re.Match[str], _: Around) -> Numbers | None:
    total = number(found["before"] or found["after"])
    return Numbers(complete=True, total=total)


def leading_pair(found: re.Match[str], _: Around) -> Numbers | None:
    """2-06 Title is season and episode; 01-02 Title are two episodes."""
    season, first = found["season"], int(found["first"])
    if season.startswith("0"):
        return (
            Numbers(episodes=frozenset(range(int(season), first + 1)), bare=True)
            if first > int(season)
            else None
        )
    return Numbers(seasons=(int(season),), episodes=frozenset({first}))


def chapter(found: re.Match[str], _: Around) -> Numbers | None:
    """Cap.201 is season 2, episode 1; Cap.52 is episode 52. What a longer list says is of the same season."""
    first = int(found["first"])
    if len(found["first"]) < 3:
        return plain(found, Around())
    last = int(found["last"]) if found["last"] else first
    season = first // 100
    if last // 100 != season or last < first:
        last = first
    return Numbers(seasons=(season,), episodes=frozenset(range(first % 100, last % 100 + 1)))


def scene(found: re.Match[str], _: Around) -> Numbers | None:
    """103 before a source of television is season 1, episode 3; 2401 is season 24; 07 is episode 7."""
    first, more = found["first"], found["more"].strip("._ ")
    value = int(first)
    if more and int(more) != value + 1:
        first, value, more = more, int(more), ""
    if len(first) < 3:
        return Numbers(episodes=frozenset({value}), bare=True)
    if len(first) > 4:
        season, a, b = int(first[:-4]), int(first[-4:-2]), int(first[-2:])
        return Numbers(seasons=(season,), episodes=frozenset({a, b})) if b == a + 1 else None
    if value % 100 == 0 and not more:
        return None
    return Numbers(seasons=(value // 100,), episodes=frozenset({value % 100, value % 100 + bool(more)}))


def bracketed(found: re.Match[str], around: Around) -> Numbers | None:
    """A bracket that opens a name is a group's, unless it is all there is."""
    if found.start() == 0 and len(found["first"]) == 3 and found.end() < len(found.string):
        return None
    return plain(found, around)


def behind_dash(found: re.Match[str], around: Around) -> Numbers | None:
    """A film has numbers, too; of several numbers behind dashes the one before brackets counts."""
    text = found.string
    if re.search(r"movies?\s?$", text[max(0, found.start() - 8) : found.start()].rstrip("-_. ")):
        return None
    sequel = _YEAR_NEXT.match(text, found.end()) and not found["more"] and not around.fansub
    if sequel and not found["first"].startswith("0"):
        return None
    if 1900 <= int(found["first"]) <= 2100 and not around.fansub:
        return None
    rest = text[found.end() :].lstrip(" ._")
    later = _LATER.search(rest)
    worded = rest[:1].isalpha() and not _PACKED.match(rest)
    if worded and not around.fansub and not found["first"].startswith("0"):
        return None
    if rest and rest[0] not in "[(【§" and later and not rest.startswith("-"):
        return None
    return plain(found, around)


_YEAR_NEXT = re.compile(r"[\s._]*[(\[]?¤")
_PACKED = re.compile(r"(?:end|fin|vostfr|dvd|bd|blu|hd|tv|web|sub|dub|raw)")
_LATER = re.compile(r"\s-\s\d{1,4}(?:v\d)?\s?(?:[\[(【§]|$)")


def only(found: re.Match[str], around: Around) -> Numbers | None:
    """The only number of a fansub's name."""
    if not around.fansub or around.year_at is not None or around.seasons:
        return None
    read = plain(found, around)
    return replace(read, bare=True) if read else None


def leading(found: re.Match[str], around: Around) -> Numbers | None:
    """A number that opens a name: alone, zero-padded, behind it a dash or Chinese; else it belongs to the title."""
    value, text = found["first"], found.string
    rest = text[found.end() :].lstrip(" ._、")
    alone = not rest or rest[0] in "§[(【"
    if around.seasons and not around.in_season and not value.startswith("0"):
        return None
    if around.year_at is not None and not (alone and len(value) < 3 and not around.seasons):
        return None
    padded = value.startswith("0") and len(value) > 1
    foreign = bool(rest) and rest[0] > "\u2e80" and not text[found.end() : found.end() + 1].isalnum()
    sure = alone or padded or foreign or rest.startswith("-") or around.in_season
    if not sure or _year_like(value):
        return None
    read = plain(found, around)
    return replace(read, bare=True) if read else None


def trailing(found: re.Match[str], around: Around) -> Numbers | None:
    """A number at the end of a title: an episode, if no year follows, which would make it a sequel's."""
    if around.year_at is not None and found.start() < around.year_at:
        return None
    behind = found["first"].startswith("0") or _EASTERN.search(found.string) is not None
    padded = around.file and behind
    if _year_like(found["first"]) or (around.seasons and not (around.fansub or padded)):
        return None
    if found.start() < around.season_at:
        return None
    latin = not around.fansub and not _EASTERN.search(found.string)
    if latin and around.file and (tight := re.fullmatch(r"-(\d\d)", found["more"])):
        # No file holds so many episodes: 03-20 is season and episode, 11-13 may be either.
        season, last = int(found["first"]), int(tight[1])
        wide = not season < last <= season + 3
        return Numbers(seasons=(season,), episodes=frozenset({last}), bare=True) if wide else None
    if (
        latin
        and not around.file
        and found.end() == len(found.string)
        and len(found["first"]) == 3
        and found["first"][0] != "0"
        and not found["more"]
    ):
        return None  # 525 may be season 5, episode 25.
    read = plain(found, around)
    return replace(read, bare=True) if read else None


_EASTERN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def glued(found: re.Match[str], around: Around) -> Numbers | None:
    """钢铁侠2 (2010) is a film's number, 白夜追凶12 an episode: where no year is named."""
    if around.year_at is not None or around.seasons or _year_like(found["first"]):
        return None
    read = plain(found, around)
    return replace(read, bare=True) if read else None


def season_digits(found: re.Match[str], _: Around) -> Numbers | None:
    value = int(found["first"])
    return Numbers(seasons=(value // 100,), episodes=frozenset({value % 100})) if value % 100 else None


def opening(found: re.Match[str], around: Around) -> Numbers | None:
    """A number before a dash opens a name, where no other one stands behind a dash and no year follows."""
    rest = found.string[found.end() - 3 :]
    if around.year_at is not None or around.seasons or _LATER.search(rest):
        return None
    read = plain(found, around)
    return replace(read, bare=True) if read else None


def padded(found: re.Match[str], around: Around) -> Numbers | None:
    read = plain(found, around)
    return replace(read, bare=True) if read and not around.seasons else None


def _year_like(digits: str) -> bool:
    return len(digits) == 4 and 1900 <= int(digits) < 2100
