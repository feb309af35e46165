"""Episodes in names: the ordered table of ways of writing, the surest first.

A row names its way, says what must be in the text for a look to pay, and what reads a match (`readers`). Texts are
lower-case and masked (`masks`). A way is about how people write, never about a single name.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from . import readers
from .numerals import NUMBER
from .readers import Around, Numbers
from .runs import BARE, CLOSED, MARKED

__all__ = ["Around", "Numbers", "Way", "first_of"]

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
_UNIT, _UNITS = "[集话話回화회]", ("集", "话", "話", "回", "화", "회")
_FOLLOWS = r"(?=[\s._]*(?:[\[(【§¤|]|$|end\b|fin\b|vostfr|v\d)|[\s_.])"


def _table(*rows: tuple[str, tuple[str, ...], str, Reader]) -> tuple[Way, ...]:
    return tuple(Way(name, needs, re.compile(pattern), read) for name, needs, pattern, read in rows)


_OF = r"(?:[\s._]?(?:of|из|iz)[\s._]?(?P<total>\d{1,4})(?![\da-z]))?"

#: Season and episode together.
PAIRED = _table(
    (
        "S01E02",
        ("e", "x", "afl"),
        (
            rf"{_B}(?:season[\s._]{{0,2}}|sn|se\.?|s|t(?=\d\d))\s?(?P<season>\d{{1,4}})[\s._\-,\[(/:]{{0,3}}"
            rf"(?:x?episodes?|x?epi?s?\.?|x-?e|-?x|e|afl\.?)[\s._#:]{{0,2}}(?:(?<=#)\d{{1,2}}\.(?=\d))?"
            rf"(?P<first>\d{{1,5}})(?P<half>\.5(?![\d.]))?"
            rf"(?P<more>{MARKED}){_V}(?!\d){_OF}"
        ),
        readers.plain,
    ),
    (
        "zoos01e11",
        ("s",),
        r"(?<=[a-z])s(?P<season>\d\d)e(?P<first>\d\d)(?P<more>(?:e\d\d)*)(?!\d)",
        readers.plain,
    ),
    ("01E06", ("e",), rf"{_B}(?P<season>\d{{1,2}})e(?P<first>\d{{2,3}})(?![\da-z])", readers.plain),
    (
        "1x02",
        ("x",),
        (
            rf"{_B}(?<!\d\.)(?P<season>\d{{1,2}}|(?:19|20)\d\d)\s?x\s?(?P<first>\d{{1,3}})"
            r"(?P<more>(?:[\s._]?[-–&+][\s._]?(?:(?:19|20)?\d{1,2}x|x|e)\d{1,3}|[\s._]\d{1,2}x\d{2,3}"
            r"|x\d{2,3}|[-–]\d{2,3})*)(?![a-z0-9])"
        ),
        readers.plain,
    ),
    ("castle1x01", ("x",), r"(?<=[a-z])(?P<season>\d)x(?P<first>\d\d)(?![\da-z])", readers.plain),
    (
        "S2 - 03",
        ("s",),
        (
            rf"{_B}s(?P<season>\d{{1,2}})(?P<between>\s?-\s?|[\s_]?\[|[\s_.])(?P<first>\d{{2,4}})"
            rf"(?P<more>(?:-\d{{2,4}})?){_V}(?=[\s\]._(\[)]|$)"
        ),
        readers.dashed,
    ),
    ("[5.01]", ("[",), r"\[(?P<season>\d{1,2})\.(?P<first>\d{2,3})\]", readers.plain),
    (
        "Episode 1.22",
        ("ep",),
        rf"{_B}(?:episode|ep)[\s.](?P<season>\d{{1,2}})\.(?P<first>\d\d)(?!\d)",
        readers.plain,
    ),
)
#: Words and brackets that make a number an episode.
MARKED_WAYS = _table(
    ("321 - Title", ("-",), r"^(?P<first>\d{2,3})\s-\s(?=[^\W\d])", readers.opening),
    (
        "全12集",
        _UNITS,
        rf"[全共]\s?(?P<before>{NUMBER})\s?{_UNIT}|(?<!第)(?<![0-9])(?P<after>{NUMBER})\s?{_UNIT}\s?全",
        readers.whole,
    ),
    ("更新至8集", ("更",), rf"更新?\s?(?:至|到)?\s?第?(?P<last>{NUMBER})\s?{_UNIT}", readers.progress),
    ("серии: 5 из 20", ("серии",), r"серии[\s:]{1,3}(?P<last>\d{1,4})\s?из\s?\d", readers.progress),
    (
        "第2集",
        ("第",),
        rf"第\s?(?P<first>{NUMBER})(?P<more>(?:\s?[-~至到]\s?第?\s?{NUMBER})?)\s?{_UNIT}",
        readers.plain,
    ),
    ("2集", _UNITS, rf"{_B}(?P<first>\d{{1,4}})(?P<more>(?:\s?[-~]\s?\d{{1,4}})?)\s?{_UNIT}", readers.plain),
    (
        "Cap.201",
        ("cap",),
        rf"{_B}cap[\s.]{{0,2}}(?P<first>\d{{3,4}})(?:_(?P<last>\d{{3,4}}))?(?!\d)",
        readers.chapter,
    ),
    (
        "Episode 5",
        ("ep", "ép", "ca", "ch", "af", "fo", "сер", "эпи"),
        (rf"{_B}{_EPISODE}(?:[\s._:№#-]{{0,3}}|\sno)(?P<first>\d{{1,5}})"
        rf"(?P<half>\.5(?![\d.]))?(?P<more>{MARKED}{CLOSED}){_V}(?!\d){_OF}"),
        readers.plain,
    ),
    ("E05", ("e",), rf"{_B}e\.?(?P<first>\d{{1,5}})(?P<more>{MARKED}){_V}(?![\da-z]){_OF}", readers.plain),
    ("#05", ("#",), rf"(?<![\w#])#(?P<first>\d{{1,4}})(?P<more>(?:-\d{{1,4}})?){_V}(?![\d])", readers.plain),
    (
        "3of6",
        ("of", "iz"),
        rf"{_B}(?P<first>\d{{1,3}})[\s._]?(?:of|iz)[\s._]?(?P<total>\d{{1,3}})(?![\da-z])",
        readers.plain,
    ),
    ("26 из 26", ("из",), rf"{_B}(?P<last>\d{{1,4}})\s?из\s?\d{{1,4}}", readers.progress),
    (
        "60.Bolum",
        ("blm", "bol", "böl", "сери", "ser"),
        (rf"{_B}(?P<first>\d{{1,4}})(?P<more>(?:-\d{{1,4}})?)(?:-?я)?[\s._]?"
        r"(?:b[oö]l[uü]m|blm|сери[яий]|ser(?:ii|iya|ija|ia|ya)?(?=[\s._)]|$))"),
        readers.plain,
    ),
)  # fmt: skip
#: Brackets and dashes around a number.
FRAMED = _table(
    (
        "01 - 119 [",
        ("-",),
        r"(?<=[\s_])(?P<first>0\d{1,3})(?P<more>\s-\s\d{2,4})(?=\s?(?:[\[(]|$))",
        readers.plain,
    ),
    ("- 101 (01) -", ("(",), r"\s-\s(?P<season>\d{1,2})(?P<first>\d\d)\s\((?P=first)\)", readers.plain),
    (
        "- 05",
        ("-", "–"),
        rf"(?<=[\s_.\])])[-–][\s_.]{{1,3}}(?P<first>\d{{1,4}})(?:v\d(?=-))?"
        rf"(?P<half>\.(?:5(?:\.\d)?|[1-9](?![\d.])))?(?P<more>{BARE})(?:[a-d](?![a-z]))?{_V}" + _FOLLOWS,
        readers.behind_dash,
    ),
    (
        "(01-12)",
        ("(",),
        r"\((?P<first>\d{2,4})(?P<more>\s?[-~]\s?\d{2,4})(?:\+[a-z+]{1,40})?\)",
        readers.plain,
    ),
    (
        "[05]",
        ("[", "【"),
        (
            rf"[\[【](?:tv\s)?\.?(?P<first>\d{{1,4}})\.?(?P<half>(?<=\.)5)?"
            rf"(?P<more>(?:\s?[-~]\s?\d{{1,4}})?){_V}(?:\s?\(\d{{1,4}}\))?\s?"
            r"\(?(?:end|fin|完|tv)?(?:全集|合集)?\)?[\]】]"
        ),
        readers.bracketed,
    ),
    ("2- 03", ("-",), r"(?<=\d)-\s(?P<first>0\d)(?=\s?[\[(]|$)", readers.plain),
    ("_05[", ("[",), rf"(?<=[a-z])-(?P<first>\d\d){_V}(?=[\[(])", readers.plain),
)
#: Numbers without any sign of their own, which leave room for doubt.
BARE_WAYS = _table(
    (
        "103.hdtv",
        ("hdtv", "pdtv", "dsr", "tvrip"),
        (
            r"(?<=[a-z0-9!?)'\]¤§][._\s])(?P<first>\d{1,6})(?P<more>(?:[._\s]\d{3})?)(?:v\d)?"
            r"(?=[._\s](?:§+[._\s]?)?(?:proper[._\s]|repack[._\s])?(?:hdtv|pdtv|dsr|tvrip))"
        ),
        readers.scene,
    ),
    ("2005.211", ("¤",), r"(?<=¤[._])(?P<first>[1-9]\d{2}|0[1-9]\d\d)(?=[._-][a-z])", readers.season_digits),
    ("2-06 Title", ("-",), r"^(?P<season>\d{1,2})-(?P<first>\d\d)(?=[\s._]+[^\W\d])", readers.leading_pair),
    ("445 vostfr", ("vostfr",), r"[\s._](?P<first>\d{1,4})(?=[\s._]vostfr)", readers.padded),
    (
        "05 Title",
        (),
        rf"^(?:\[[^\[\]]{{1,40}}\]\s?)?(?P<first>\d{{1,4}})(?P<more>(?:\s?[-~]\s?\d{{1,4}})?){_V}(?=$|[\s._\-\[(【、])",
        readers.leading,
    ),
    (
        "Title 05",
        (),
        (
            r"(?<!\d\.)(?<=[_\s.])(?P<first>\d{1,4})(?P<more>(?:(?:[\s._]?[-~+&]|[\s._][-~+&][\s._])\d{1,4})*)"
            rf"{_V}(?=[_\s.]*(?:§|$|[\[(【]))"
        ),
        readers.trailing,
    ),
    (
        "白夜追凶12",
        (),
        r"(?<=[\u3040-\u9fff])(?P<first>\d{1,4})(?P<more>(?:-\d{1,4})?)(?=$|[\s._\-\[(【§])",
        readers.glued,
    ),
    ("[G] Title 05 Words", ("[",), rf"(?<!\d\.)(?<=[_\s.])(?P<first>\d{{2,4}}){_V}(?=[_\s.])", readers.only),
    ("Title.05.Words", (".",), r"(?<=[a-z)!?][._])(?P<first>0\d)(?=[._][a-z])", readers.padded),
    ("[G] Title (9)", ("(",), r"\s\((?P<first>\d{1,3})\)$", readers.only),
)


def first_of(ways: tuple[Way, ...], text: str, around: Around) -> Numbers | None:
    """What the first way finds that reads anything in the text."""
    for way in ways:
        needs = way.needs
        if needs and needs[0] not in text and (len(needs) == 1 or not any(need in text for need in needs)):
            continue
        for found in way.pattern.finditer(text):
            read = way.read(found, around)
            if read is not None:
                return replace(read, way=way.name, start=found.start(), end=found.end())
    return None
