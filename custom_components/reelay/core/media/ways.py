"""Episodes in names: the ordered table of ways of writing, the surest first.

A row names its way, says what must be in the text for a look to pay, and reads a match into `Numbers` or declines.
Texts are lower-case and masked (`masks`). A way is about how people write, never about a single name.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from .numerals import NUMBER, number
from .runs import BARE, CLOSED, MARKED, follow


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


type Reader = Callable[[re.Match[str], Around], Numbers | None]


@dataclass(frozen=True, slots=True)
class Way:
    """One way of writing numbers."""

    name: str
    needs: tuple[str, ...]
    pattern: re.Pattern[str]
    read: Reader


_B = r"(?<![a-z0-9])"
_V = r"(?:\s?v(?P<version>\d))?"
_EPISODE = (
    r"(?:episodes?|episodios?|episódios?|épisodes?|epizod|epi|eps?|afl(?:evering)?|folge|cap(?:[ií]tulo)?s?|chapter"
    r"|сери[яи]|эпизод)"
)
_FOLLOWS = r"(?=[\s._]*(?:[\[(【§¤|]|$|end\b|fin\b|vostfr|v\d)|[\s_.])"


def _plain(found: re.Match[str], _: Around) -> Numbers | None:
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


def _dashed(found: re.Match[str], around: Around) -> Numbers | None:
    """S2 - 03 is an episode, S01-05 are seasons; S01 04 is one only in a file or a fansub's name."""
    read, between = _plain(found, around), found["between"]
    tight = between == "-" and len(found["season"]) == 2
    if tight and len(found["first"]) == 2 and not around.fansub and int(found["first"]) > int(found["season"]):
        return None
    loose = not between.strip(" _.") and not found["more"] and len(found["season"]) == 2
    if loose and between != "." and len(found["first"]) == 2 and not (around.fansub or around.file):
        return None
    return read


def _progress(found: re.Match[str], _: Around) -> Numbers | None:
    last = number(found["last"])
    return Numbers(episodes=frozenset(range(1, last + 1))) if last and last < 3_000 else None


def _whole(found: re.Match[str], _: Around) -> Numbers | None:
    total = number(found["before"] or found["after"])
    return Numbers(complete=True, total=total)


def _dotted(found: re.Match[str], around: Around) -> Numbers | None:
    return _plain(found, around)


def _leading_pair(found: re.Match[str], _: Around) -> Numbers | None:
    """2-06 Title is season and episode; 01-02 Title are two episodes."""
    season, first = found["season"], int(found["first"])
    if season.startswith("0"):
        return Numbers(episodes=frozenset(range(int(season), first + 1)), bare=True) if first > int(season) else None
    return Numbers(seasons=(int(season),), episodes=frozenset({first}))


def _chapter(found: re.Match[str], _: Around) -> Numbers | None:
    """Cap.201 is season 2, episode 1; Cap.52 is episode 52. What a longer list says is of the same season."""
    first = int(found["first"])
    if len(found["first"]) < 3:
        return _plain(found, Around())
    last = int(found["last"]) if found["last"] else first
    season = first // 100
    if last // 100 != season or last < first:
        last = first
    return Numbers(seasons=(season,), episodes=frozenset(range(first % 100, last % 100 + 1)))


def _scene(found: re.Match[str], _: Around) -> Numbers | None:
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


def _bracketed(found: re.Match[str], around: Around) -> Numbers | None:
    """A bracket that opens a name is a group's, unless it is all there is."""
    if found.start() == 0 and len(found["first"]) == 3 and found.end() < len(found.string):
        return None
    return _plain(found, around)


def _behind_dash(found: re.Match[str], around: Around) -> Numbers | None:
    """A film has numbers, too; of several numbers behind dashes the one before brackets counts."""
    text = found.string
    if re.search(r"movies?\s?$", text[max(0, found.start() - 8) : found.start()].rstrip("-_. ")):
        return None
    if around.year_at is not None and found.start() < around.year_at and not around.fansub:
        sequel = re.match(r"[\s._]*[(\[]?¤", text[found.end() :]) and not found["more"]
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
    return _plain(found, around)


_PACKED = re.compile(r"(?:end|fin|vostfr|dvd|bd|blu|hd|tv|web|sub|dub|raw)")
_LATER = re.compile(r"\s-\s\d{1,4}(?:v\d)?\s?(?:[\[(【§]|$)")


def _only(found: re.Match[str], around: Around) -> Numbers | None:
    """The only number of a fansub's name."""
    if not around.fansub or around.year_at is not None or around.seasons:
        return None
    read = _plain(found, around)
    return replace(read, bare=True) if read else None


def _leading(found: re.Match[str], around: Around) -> Numbers | None:
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
    read = _plain(found, around)
    return replace(read, bare=True) if read else None


def _trailing(found: re.Match[str], around: Around) -> Numbers | None:
    """A number at the end of a title: an episode, if no year follows, which would make it a sequel's."""
    if around.year_at is not None and found.start() < around.year_at:
        return None
    padded = found["first"].startswith("0") and around.file
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
    if latin and not around.file and found.end() == len(found.string) and len(found["first"]) == 3 and found["first"][0] != "0" and not found["more"]:
        return None  # 525 may be season 5, episode 25.
    read = _plain(found, around)
    return replace(read, bare=True) if read else None


_EASTERN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def _glued(found: re.Match[str], around: Around) -> Numbers | None:
    """钢铁侠2 (2010) is a film's number, 白夜追凶12 an episode: where no year is named."""
    if around.year_at is not None or around.seasons or _year_like(found["first"]):
        return None
    read = _plain(found, around)
    return replace(read, bare=True) if read else None


def _season_digits(found: re.Match[str], _: Around) -> Numbers | None:
    value = int(found["first"])
    return Numbers(seasons=(value // 100,), episodes=frozenset({value % 100})) if value % 100 else None


def _opening(found: re.Match[str], around: Around) -> Numbers | None:
    """A number before a dash opens a name, where no other one stands behind a dash and no year follows."""
    rest = found.string[found.end() - 3 :]
    if around.year_at is not None or around.seasons or _LATER.search(rest):
        return None
    read = _plain(found, around)
    return replace(read, bare=True) if read else None


def _padded(found: re.Match[str], around: Around) -> Numbers | None:
    read = _plain(found, around)
    return replace(read, bare=True) if read and not around.seasons else None


def _year_like(digits: str) -> bool:
    return len(digits) == 4 and 1900 <= int(digits) < 2100


def _table(*rows: tuple[str, tuple[str, ...], str, Reader]) -> tuple[Way, ...]:
    return tuple(Way(name, needs, re.compile(pattern), read) for name, needs, pattern, read in rows)


_OF = r"(?:[\s._]?(?:of|из|iz)[\s._]?(?P<total>\d{1,4})(?![\da-z]))?"

#: Season and episode together.
PAIRED = _table(
    (
        "S01E02",
        ("e", "x", "afl"),
        rf"{_B}(?:season[\s._]{{0,2}}|sn|se\.?|s|t(?=\d\d))\s?(?P<season>\d{{1,4}})[\s._\-,\[(/:]{{0,3}}"
        rf"(?:x?episodes?|x?epi?s?\.?|x-?e|-?x|e|afl\.?)[\s._#:]{{0,2}}(?:(?<=#)\d{{1,2}}\.(?=\d))?(?P<first>\d{{1,5}})(?P<half>\.5(?![\d.]))?"
        rf"(?P<more>{MARKED}){_V}(?!\d){_OF}",
        _plain,
    ),
    ("zoos01e11", ("s",), r"(?<=[a-z])s(?P<season>\d\d)e(?P<first>\d\d)(?P<more>(?:e\d\d)*)(?!\d)", _plain),
    ("01E06", ("e",), rf"{_B}(?P<season>\d{{1,2}})e(?P<first>\d{{2,3}})(?![\da-z])", _plain),
    (
        "1x02",
        ("x",),
        rf"{_B}(?<!\d\.)(?P<season>\d{{1,2}}|(?:19|20)\d\d)\s?x\s?(?P<first>\d{{1,3}})"
        r"(?P<more>(?:[\s._]?[-–&+][\s._]?(?:(?:19|20)?\d{1,2}x|x)\d{1,3}|[\s._]\d{1,2}x\d{2,3}|x\d{2,3}|[-–]\d{2,3})*)(?![a-z0-9])",
        _plain,
    ),
    ("castle1x01", ("x",), r"(?<=[a-z])(?P<season>\d)x(?P<first>\d\d)(?![\da-z])", _plain),
    (
        "S2 - 03",
        ("s",),
        rf"{_B}s(?P<season>\d{{1,2}})(?P<between>\s?-\s?|[\s_]?\[|[\s_.])(?P<first>\d{{2,4}})"
        rf"(?P<more>(?:-\d{{2,4}})?){_V}(?=[\s\]._(\[)]|$)",
        _dashed,
    ),
    ("[5.01]", ("[",), r"\[(?P<season>\d{1,2})\.(?P<first>\d{2,3})\]", _dotted),
    ("Episode 1.22", ("ep",), rf"{_B}(?:episode|ep)[\s.](?P<season>\d{{1,2}})\.(?P<first>\d\d)(?!\d)", _dotted),
)
#: Words and brackets that make a number an episode.
MARKED_WAYS = _table(
    ("321 - Title", ("-",), r"^(?P<first>\d{2,3})\s-\s(?=[^\W\d])", _opening),
    ("全12集", ("集", "话", "話", "回"), rf"[全共]\s?(?P<before>{NUMBER})\s?[集话話回]|(?<!第)(?<![0-9])(?P<after>{NUMBER})\s?[集话話回]\s?全", _whole),
    ("更新至8集", ("更",), rf"更新?\s?(?:至|到)?\s?第?(?P<last>{NUMBER})\s?[集话話回]", _progress),
    ("серии: 5 из 20", ("серии",), r"серии[\s:]{1,3}(?P<last>\d{1,4})\s?из\s?\d", _progress),
    ("第2集", ("第",), rf"第\s?(?P<first>{NUMBER})(?P<more>(?:\s?[-~至到]\s?第?\s?{NUMBER})?)\s?[集话話回]", _plain),
    ("2集", ("集", "话", "話", "回"), rf"{_B}(?P<first>\d{{1,4}})(?P<more>(?:\s?[-~]\s?\d{{1,4}})?)\s?[集话話回]", _plain),
    ("Cap.201", ("cap",), rf"{_B}cap[\s.]{{0,2}}(?P<first>\d{{3,4}})(?:_(?P<last>\d{{3,4}}))?(?![\d])", _chapter),
    (
        "Episode 5",
        ("ep", "ép", "ca", "ch", "af", "fo", "сер", "эпи"),
        rf"{_B}{_EPISODE}(?:[\s._:№#-]{{0,3}}|\sno)(?P<first>\d{{1,5}})(?P<half>\.5(?![\d.]))?(?P<more>{MARKED}{CLOSED}){_V}(?![\d]){_OF}",
        _plain,
    ),
    ("E05", ("e",), rf"{_B}e\.?(?P<first>\d{{1,5}})(?P<more>{MARKED}){_V}(?![\da-z]){_OF}", _plain),
    ("#05", ("#",), rf"(?<![\w#])#(?P<first>\d{{1,4}})(?P<more>(?:-\d{{1,4}})?){_V}(?![\d])", _plain),
    ("3of6", ("of", "iz", "из"), rf"{_B}(?P<first>\d{{1,3}})[\s._]?(?:of|iz)[\s._]?(?P<total>\d{{1,3}})(?![\da-z])", _plain),
    ("26 из 26", ("из",), rf"{_B}(?P<last>\d{{1,4}})\s?из\s?\d{{1,4}}", _progress),
    (
        "60.Bolum",
        ("blm", "bol", "böl", "сери", "ser"),
        rf"{_B}(?P<first>\d{{1,4}})(?P<more>(?:-\d{{1,4}})?)(?:-?я)?[\s._]?"
        r"(?:b[oö]l[uü]m|blm|сери[яий]|ser(?:ii|iya|ija|ia|ya)?(?=[\s._)]|$))",
        _plain,
    ),
)  # fmt: skip
#: Brackets and dashes around a number.
FRAMED = _table(
    ("01 - 119 [", ("-",), r"(?<=[\s_])(?P<first>0\d{1,3})(?P<more>\s-\s\d{2,4})(?=\s?(?:[\[(]|$))", _plain),
    ("- 101 (01) -", ("(",), r"\s-\s(?P<season>\d{1,2})(?P<first>\d\d)\s\((?P=first)\)", _plain),
    (
        "- 05",
        ("-", "–"),
        rf"(?<=[\s_.\])])[-–][\s_.]{{1,3}}(?P<first>\d{{1,4}})(?:v\d(?=-))?(?P<half>\.5(?:\.\d)?)?(?P<more>{BARE})(?:[a-d](?![a-z]))?{_V}"
        + _FOLLOWS,
        _behind_dash,
    ),
    ("(01-12)", ("(",), r"\((?P<first>\d{2,4})(?P<more>\s?[-~]\s?\d{2,4})(?:\+[a-z+]{1,40})?\)", _plain),
    (
        "[05]",
        ("[", "【"),
        rf"[\[【](?:tv\s)?\.?(?P<first>\d{{1,4}})\.?(?P<half>(?<=\.)5)?(?P<more>(?:\s?[-~]\s?\d{{1,4}})?){_V}(?:\s?\(\d{{1,4}}\))?\s?"
        r"(?:end|fin|完)?[\]】]",
        _bracketed,
    ),
    ("2- 03", ("-",), r"(?<=\d)-\s(?P<first>0\d)(?=\s?[\[(]|$)", _plain),
    ("_05[", ("[",), rf"(?<=[a-z])-(?P<first>\d\d){_V}(?=[\[(])", _plain),
)
#: Numbers without any sign of their own, which leave room for doubt.
BARE_WAYS = _table(
    (
        "103.hdtv",
        ("hdtv", "pdtv", "dsr", "tvrip"),
        r"(?<=[a-z0-9!?)'\]¤§][._\s])(?P<first>\d{1,6})(?P<more>(?:[._\s]\d{3})?)(?:v\d)?"
        r"(?=[._\s](?:§+[._\s]?)?(?:proper[._\s]|repack[._\s])?(?:hdtv|pdtv|dsr|tvrip))",
        _scene,
    ),
    ("2005.211", ("¤",), r"(?<=¤[._])(?P<first>[1-9]\d{2}|0[1-9]\d\d)(?=[._-][a-z])", _season_digits),
    ("2-06 Title", ("-",), r"^(?P<season>\d{1,2})-(?P<first>\d\d)(?=[\s._]+[^\W\d])", _leading_pair),
    ("445 vostfr", ("vostfr",), rf"[\s._](?P<first>\d{{1,4}})(?=[\s._]vostfr)", _padded),
    (
        "05 Title",
        (),
        rf"^(?:\[[^\[\]]{{1,40}}\]\s?)?(?P<first>\d{{1,4}})(?P<more>(?:\s?[-~]\s?\d{{1,4}})?){_V}(?=$|[\s._\-\[(【、])",
        _leading,
    ),
    (
        "Title 05",
        (),
        rf"(?<!\d\.)(?<=[_\s.])(?P<first>\d{{1,4}})(?P<more>(?:[-~+&]\d{{1,4}}|[\s._][-~+&][\s._]\d{{1,4}}|[\s._][-~+&]\d{{1,4}})*){_V}(?=[_\s.]*(?:§|$|[\[(【]))",
        _trailing,
    ),
    ("白夜追凶12", (), r"(?<=[\u3040-\u9fff])(?P<first>\d{1,4})(?=$|[\s._\-\[(【§])", _glued),
    ("[G] Title 05 Words", ("[",), rf"(?<!\d\.)(?<=[_\s.])(?P<first>\d{{2,4}}){_V}(?=[_\s.])", _only),
    ("Title.05.Words", (".",), r"(?<=[a-z)!?][._])(?P<first>0\d)(?=[._][a-z])", _padded),
    ("[G] Title (9)", ("(",), r"\s\((?P<first>\d{1,3})\)$", _only),
)


def first_of(ways: tuple[Way, ...], text: str, around: Around) -> Numbers | None:
    """What the first way finds that reads anything in the text."""
    for way in ways:
        if way.needs and not any(need in text for need in way.needs):
            continue
        for found in way.pattern.finditer(text):
            read = way.read(found, around)
            if read is not None:
                return replace(read, way=way.name, start=found.start(), end=found.end())
    return None
