"""Seasons, episodes, parts and dates in the names of files and folders.

Only what a name states: absolute numbers, issues of a variety show and numbers of another order are not converted
here, that takes a catalogue. How messages word the same things is in `wordings`.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from .numerals import NUMBER, number

#: Kinds of files beside the work itself, by the words that name them.
_EXTRAS = {
    "sample": r"samples?|样片|样本",
    "trailer": r"trailers?|teasers?|预告片?|先导片?|预告",
    "credits": r"nc(?:op|ed)[\dv]*|creditless|片头曲|片尾曲",
    "menu": r"menus?|菜单",
    "promo": r"promos?|pv\d*|cm\d*|宣传片?|广告",
    "interview": r"interviews?|访谈|专访|采访",
    "extra": r"featurettes?|bonus|extras?|behind[ ._-]the[ ._-]scenes?|deleted[ ._-]scenes?|making[ ._-]of"
    r"|花絮|特典|彩蛋|精彩短片|精彩片段|幕后|制作特辑|bts",
}
_WORD_EXTRAS = re.compile(
    r"(?:^|(?<=[\s._\-\[(【])|(?<=[^\x00-\x7f]))(?:"
    + "|".join(f"(?P<{name}>{words})" for name, words in _EXTRAS.items())
    + r")(?=$|[\s._\-\])】\d]|[^\x00-\x7f])",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{2,4}$")
_COPY = re.compile(r"\s?\((?:[1-9])\)$|\s-\s(?:副本|copy)$", re.IGNORECASE)

#: Numbers that are never an episode: picture, sound, sizes, checksums. Masked before anything is read.
_NOISE = re.compile(
    r"\[[0-9a-f]{8}\]|\([0-9a-f]{8}\)"
    r"|(?<![\da-z])\d{3,4}\s?[x×*]\s?\d{3,4}(?!\d)"
    r"|(?<![\da-z])(?:480|540|576|720|1080|1440|2160|4320)[pi]?(?:\d{2,3})?(?![\da-z])"
    r"|(?<![\da-z])[248]k(?:[\d.]*(?:fps|帧))?(?![a-z\d])"
    r"|(?<!\d)\d{2,3}(?:\.\d+)?\s?(?:fps|帧|hz)"
    r"|(?<!\d)(?:8|10|12)[\s.-]?bits?(?![a-z])"
    r"|(?<![a-z\d])[xh][\s.]?26[456](?!\d)|(?<![a-z])av1(?!\d)|(?<![a-z])mpeg-?[1-4]"
    r"|(?<![a-z])(?:vc|dvd|bd)-?[159](?!\d)"
    r"|(?<![a-z])(?:ddp?|eac3|ac3|e-ac-3|aac|flac|lpcm|pcm|opus|truehd|ma|atmos|mp3"
    r"|dts(?:-?hd)?(?:[ .]?(?:ma|hra?|x))?)"
    r"[\s.\-_]?[1-9][\s.]\d(?:\.\d)?(?!\d)"
    r"|(?<![\d.])[1257]\.[012](?:ch)?(?![\d.])(?=[\s.\-_\])】]|$)"
    r"|(?<![\da-z])\d+(?:\.\d+)?\s?[gmt]i?b?(?![a-z\d])"
    r"|hdr10\+?|(?<![a-z])p[578](?![\da-z])|(?<![a-z\d])\d{1,2}audios?(?![a-z])|yuv\d+p\d*\w*"
    r"|ass(?:x\d)?(?![a-z])",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)(?:[.\-_/年]\s?(\d{1,2})[.\-_/月]\s?(\d{1,2})(?!\d)日?"
    r"|\s(\d\d)\s(\d\d)(?!\d)|(\d\d)(\d\d)(?!\d))"
)
_BACKWARD_DATE = re.compile(r"(?<!\d)(\d\d)[-.](\d\d)[-.]((?:19|20)\d\d)(?!\d)")
_SHORT_DATE = re.compile(r"^(\d\d)(\d\d)(\d\d)(?=[\s_.])")
_MONTH_DAY = re.compile(r"(?<!\d)(\d\d)(\d\d)(?=期)")
_VERSION = r"(?:\s?v(?P<version>\d))?"
#: More episodes behind a first one: -E05, -05, E03, .S01E03, - S01E03; a number behind a spaced dash is a title.
_RUN = (
    r"(?:(?:\s?[-~]\s?|[. ]{1,2})s\d{1,4}\s?ep?\d{1,5}(?!\d)|[-~+](?:ep?\s?)?\d{1,5}(?!\d*[pk\d])"
    r"|\s?[-~.&]?\s?ep?\d{1,5}(?!\d))*"
)
_STARTS = r"(?<![a-z\d])"

_NUMBERED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # S01E02, S01E02E03, S01E02-E05, S01.E02, S2 EP3
        rf"{_STARTS}s(?P<season>\d{{1,4}})[\s._\-\[]{{0,3}}ep?(?P<first>\d{{1,5}})(?P<more>{_RUN}){_VERSION}(?![\d])",
        # S2 - 03, S02 [03], S02 03
        (
            rf"{_STARTS}s(?P<season>\d{{1,2}})(?:\s?-\s?|[\s_]?\["
            rf"|[\s_.])(?P<first>\d{{2,4}})(?P<more>(?:-\d{{2,4}})?){_VERSION}(?=[\s\]._(\[]|$)"
        ),
        # 3x07, 2x04x05
        (
            rf"{_STARTS}(?P<season>\d{{1,2}})x(?P<first>\d{{1,3}})(?P<more>(?:(?:[-x]"
            rf"|[-.]\d{{1,2}}x)\d{{2,3}})*)(?=[\s_.\-\[(\])]|$)"
        ),
        # Season 2 Episode 5, 第二季 第5集
        rf"season[\s._]?(?P<season>\d{{1,3}})[\s._\-,]{{0,3}}episode[\s._]?(?P<first>\d{{1,4}})(?P<more>{_RUN})(?!\d)",
        # 第2集, 第2-4集, 第十话, 第05回
        rf"第\s?(?P<first>{NUMBER})(?P<more>(?:\s?[-~至到]\s?第?\s?{NUMBER})?)\s?[集话話回]",
        rf"{_STARTS}(?P<first>\d{{1,4}})(?P<more>(?:\s?[-~]\s?\d{{1,4}})?)\s?[集话話回](?!全)",
        # EP05, E05, Ep. 5, Episode 5, #05
        rf"{_STARTS}(?:episode|ep|e)[\s._]{{0,2}}(?P<first>\d{{1,4}})(?P<more>{_RUN}){_VERSION}(?![\da-z])",
        rf"(?<![\w#])#(?P<first>\d{{1,4}})(?P<more>(?:-\d{{1,4}})?){_VERSION}(?![\d])",
        # 3of6
        rf"{_STARTS}(?P<first>\d{{1,3}})\s?of\s?\d{{1,3}}(?P<more>)(?![\da-z])",
        # [05], [05v2], [12 END], [01-02], 【02】, [01(49)]
        r"\((?P<first>\d{2,4})(?P<more>\s?[-~]\s?\d{2,4})\)",
        (
            rf"[\[【](?:tv\s)?(?P<first>\d{{1,4}})(?P<more>(?:\s?[-~]\s?\d{{1,4}})?){_VERSION}(?:\s?\(\d{{1,4}}\))?\s?(?:end"
            rf"|fin|完)?[\]】]"
        ),
        # - 05 [, - 05v2., _05_
        (
            rf"(?<=[\s_])-[\s_]{{1,2}}(?P<first>\d{{1,4}})(?P<more>(?:\s?[-~]\s?\d{{1,4}})?){_VERSION}(?=[\s_]*(?:[\[(【]"
            rf"|$|end|fin)|[\s_.])"
        ),
    )
)
#: The patterns from here on leave room for doubt: the number has no word or bracket of its own.
_BARE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            rf"^(?:\[[^\[\]]{{1,40}}\]\s?)?(?P<first>\d{{1,4}})(?P<more>(?:\s?[-~]\s?\d{{1,4}})?){_VERSION}(?=$"
            rf"|[\s._\-\[(【])"
        ),
        rf"[_\s.](?P<first>\d{{1,4}})(?P<more>(?:-\d{{1,4}})?){_VERSION}(?=[_\s.]*(?:§|$|[\[(【]))",
    )
)
#: 钢铁侠2 (2010) is a film's number, 白夜追凶12 an episode: behind a title in Chinese, where no year follows.
_GLUED = re.compile(r"(?<=[\u3040-\u9fff])(?P<first>\d{1,4})(?P<more>)(?=$|[\s._\-\[(【§])")
_SEASON = (
    re.compile(rf"{_STARTS}s(?P<season>\d{{1,2}}|(?:19|20)\d\d)(?![a-z\d])", re.IGNORECASE),
    re.compile(rf"第\s?(?P<season>{NUMBER})\s?季(?!度)"),
    re.compile(
        r"(?<![a-z])(?:season|saison|staffel|temporada)[\s._]?(?P<season>\d{1,3})(?!\d)"
        r"|(?<![a-z])series[\s._](?P<uk>\d{1,2})(?!\d)",
        re.IGNORECASE,
    ),
    re.compile(r"(?<!\d)(?P<season>\d{1,2})(?:st|nd|rd|th)[\s._]season", re.IGNORECASE),
)
_SEASONS = re.compile(
    rf"s\d{{1,2}}\s?[-~+&]\s?s?\d{{1,2}}(?!\d)|season[s]?\s?\d+\s?[-~]\s?\d+"
    rf"|\d\s?[-~至到]\s?第?\d{{1,2}}\s?季|全\s?{NUMBER}\s?季"
    rf"|第{NUMBER}季?\s?[-~至到]\s?第?{NUMBER}季",
    re.IGNORECASE,
)
_SPECIAL = re.compile(
    r"(?<![a-z])(?:sp|ova|oad|oav|specials?)(?P<first>\d{0,2})(?![a-z\d])|特别篇|特別篇|番外篇?|特典映像",
    re.IGNORECASE,
)
_HALF = re.compile(r"(?:[\[【]|\s-\s|(?<![A-Za-z])[Ee][Pp]?)(?P<first>\d{1,3})\.5(?:v\d)?(?=[\]】\s(]|$)")
_ISSUE = re.compile(rf"第\s?(?P<issue>{NUMBER})\s?期")
_PART = re.compile(
    r"(?<![a-z])(?:cd|dis[ck]|part|pt)[\s._-]?(?P<digit>[1-9])(?![\da-z])"
    r"|(?<=期)[\s:]?[(（]?(?P<half>[上中下])"
    r"|[(（\[](?P<word>[上中下])[)）\]]|(?<=[\s._])(?P<alone>[上中下])[集部篇](?![^\W\d_])"
    r"|期\s?[(（](?P<count>[一二三四五六])[)）]"
    r"|(?P<halves>[上中下])[集部篇](?=$|[\s._\-\[(【§])",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\dA-Za-z])(1[89]\d\d|20\d\d)(?![\dA-Za-z])")
_YEAR_IN_BRACKETS = re.compile(r"[(\[（【]\s?(1[89]\d\d|20\d\d)\s?[)\]）】]")
_GROUP = re.compile(r"^[\[【][^\]】]{1,60}[\]】]\s?(?=\S)")
_MARKED = re.compile("[§¤]")
_TRIM = " ._-–—~|·"


@dataclass(frozen=True, slots=True, kw_only=True)
class NameFacts:
    """What a file's name states; None or empty where it doesn't.

    `season` 0 are specials. `first` to `last` are the episodes as numbered in the name, `bare` when the number has
    no word, bracket or dash of its own and may be something else. `half` marks a recap numbered like 7.5: `first`
    is then empty, because it isn't episode 7. `issue` numbers a variety show's programme (第3期), `date` is ISO, or
    `--MM-DD` without a year. `part` is a digit (CD2, Part 1) or one of 上 中 下. `special` is said by a word
    (SP, OVA, 番外). `extra` names a file that is none of the work: sample, trailer, credits, menu, promo,
    interview, extra. `title` is what stands before all that.
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
    title: str = ""


# A share's names are read for its facts and for the selection, in one stage after the other.
@lru_cache(maxsize=1024)
def from_name(name: str) -> NameFacts:
    """Read a file's name (the last part of its path, with or without its ending)."""
    text = unicodedata.normalize("NFKC", name.rpartition("/")[2])[:400]
    text = _COPY.sub("", _SUFFIX.sub("", text))
    masked = _NOISE.sub(lambda found: "§" * len(found[0]), text)
    ends = [len(text)]
    year, masked = _year(masked, ends)
    day, masked = _date(masked, ends)
    half = _HALF.search(masked)
    if half:
        ends.append(half.start())
        masked = _blank(masked, half)
    season, first, last, version, bare, masked = _numbers(masked, ends, glued=year is None)
    if season is None:
        season = _season(masked, ends)
    special = _SPECIAL.search(masked)
    if special:
        ends.append(special.start())
        if first is None and special["first"]:
            first = last = int(special["first"])
            season = 0 if season is None else season
    issue = _ISSUE.search(masked)
    part = _PART.search(masked)
    if issue:
        ends.append(issue.start())
    if bare and (day or issue):
        first = last = None
    return NameFacts(
        season=season,
        first=first,
        last=last,
        part=_part(part),
        date=day,
        issue=number(issue["issue"]) if issue else None,
        special=special is not None,
        half=half is not None,
        bare=bare and first is not None,
        version=version,
        year=year,
        extra=_extra(text, masked, ends),
        title=_title(text, masked, ends),
    )


def season_of_folder(name: str) -> int | None:
    """The one season a folder's name states; None for none, or for several (`S01-S03`)."""
    text = unicodedata.normalize("NFKC", name)[:400]
    if _SEASONS.search(text):
        return None
    found = _season(_NOISE.sub(lambda noise: "§" * len(noise[0]), text), [])
    if found is None and re.fullmatch(r"\s*(?:specials?|sps?|ovas?|特别篇|番外篇?)\s*", text, re.IGNORECASE):
        return 0
    return found


def _blank(text: str, found: re.Match[str], mark: str = "§") -> str:
    return f"{text[: found.start()]}{mark * len(found[0])}{text[found.end() :]}"


def _year(text: str, ends: list[int]) -> tuple[int | None, str]:
    found = _YEAR_IN_BRACKETS.search(text)
    if not found:
        later = [
            year for year in _YEAR.finditer(text) if year.start() > 0 and not _DATE.match(text, year.start())
        ]
        found = later[-1] if later else None
        if len(later) > 1 and text[later[-2].end() : later[-1].start()] in ("-", "~"):
            found = later[-2]
    if not found:
        return None, text
    ends.append(found.start())
    return int(found[1]), _blank(text, found, "¤")


def _date(text: str, ends: list[int]) -> tuple[str | None, str]:
    for found in _DATE.finditer(text):
        year, month, day = (
            int(found[1]),
            int(found[2] or found[4] or found[6]),
            int(found[3] or found[5] or found[7]),
        )
        if _is_date(year, month, day):
            ends.append(found.start())
            return f"{year:04}-{month:02}-{day:02}", _blank(text, found)
    backward = _BACKWARD_DATE.search(text)
    if backward and _is_date(int(backward[3]), int(backward[2]), int(backward[1])):
        return f"{backward[3]}-{backward[2]}-{backward[1]}", _blank(text, backward)
    short = _SHORT_DATE.match(text)
    if short and _is_date(2000 + int(short[1]), int(short[2]), int(short[3])):
        return f"20{short[1]}-{short[2]}-{short[3]}", _blank(text, short)
    month_day = _MONTH_DAY.search(text)
    if month_day and _is_date(2000, int(month_day[1]), int(month_day[2])):
        ends.append(month_day.start())
        return f"--{month_day[1]}-{month_day[2]}", _blank(text, month_day)
    return None, text


def _is_date(year: int, month: int, day: int) -> bool:
    try:
        return bool(date(year, month, day))
    except ValueError:
        return False


def _numbers(
    text: str, ends: list[int], *, glued: bool
) -> tuple[int | None, int | None, int | None, int, bool, str]:
    """Season, first, last, version, bare and the text without them; the surest way of writing wins."""
    for patterns, bare in ((_NUMBERED, False), ((*_BARE, _GLUED), True)):
        for pattern in patterns:
            if pattern is _GLUED and not glued:
                continue
            for found in pattern.finditer(text):
                facts = found.groupdict()
                first = number(facts["first"])
                if first is None or (bare and first >= 1900 and len(facts["first"]) == 4 and first < 2100):
                    continue
                numbers = [
                    value for each in re.findall(NUMBER, facts["more"]) if (value := number(each)) is not None
                ]
                last = numbers[-1] if numbers and numbers[-1] >= first else first
                if (bare and not _MARKED.search(text, 0, found.start())) or not bare:
                    ends.append(found.start())
                season = int(facts["season"]) if facts.get("season") else None
                version = int(facts["version"]) if facts.get("version") else 1
                return season, first, last, version, bare, _blank(text, found)
    return None, None, None, 1, False, text


def _season(text: str, ends: list[int]) -> int | None:
    for pattern in _SEASON:
        found = pattern.search(text)
        if found and (value := number(next(filter(None, found.groups())))) is not None:
            ends.append(found.start())
            return value
    return None


def _part(found: re.Match[str] | None) -> str:
    if not found:
        return ""
    if found["count"]:
        return str(number(found["count"]))
    return next(value for value in found.groupdict().values() if value)


def _extra(text: str, masked: str, ends: list[int]) -> str | None:
    """A word for an extra counts alone, at the start or the end, or behind a year or number: titles hold such words."""
    first_fact = min(ends)
    stem = masked.rstrip("§¤ ._-[]()【】")
    for found in _WORD_EXTRAS.finditer(text):
        at_edge = found.start() == 0 and (found.lastgroup == "sample" or found.end() >= len(stem))
        dashed = found.end() >= len(stem) and (found.start() == 0 or text[found.start() - 1] in "-[(【")
        foreign = not found[0].isascii() and found.lastgroup != "promo"
        if at_edge or dashed or foreign or found.start() > first_fact or found.lastgroup == "credits":
            return found.lastgroup
    return None


def _first_mark(masked: str) -> int:
    return next((at for at, char in enumerate(masked) if char in "§¤" and at > 0), 0)


def _title(text: str, masked: str, ends: list[int]) -> str:
    noise = _first_mark(masked)
    end = min([*ends, noise or len(text)])
    title = text[:end]
    group = _GROUP.match(title)
    if group and title[group.end() :].strip(_TRIM + "[]()【】"):
        title = title[group.end() :]
    return re.sub(r"[\s._]+", " ", title).strip(_TRIM + "[]()【】《》")
