"""Words in names for what isn't the work itself, for specials, issues and parts."""

import re

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
    + r")(?=$|[\s._\-\])】\d]|[^\x00-\x7f])"
)
_SPECIAL = re.compile(
    r"(?<![a-z+&])(?:sp|ova|oad|oav|ovd|specials?(?![ ._]edition))(?P<first>\d{0,2})(?![a-z\d])"
    r"|特别篇|特別篇|番外篇?|特典映像"
)
_ISSUE = re.compile(rf"第\s?(?P<issue>{NUMBER})\s?期")
_PART = re.compile(
    r"(?<![a-z])(?:cd|dis[ck]|part|pt)[\s._-]?(?P<digit>[1-9])(?![\da-z])"
    r"|(?<=期)[\s:]?[(（]?(?P<half>[上中下])"
    r"|[(（\[](?P<word>[上中下])[)）\]]|(?<=[\s._])(?P<alone>[上中下])[集部篇](?![^\W\d_])"
    r"|期\s?[(（](?P<count>[一二三四五六])[)）]"
    r"|(?P<halves>[上中下])[集部篇](?=$|[\s._\-\[(【§])"
)
_PART_WORDS = ("part", "cd", "dis", "pt", "上", "中", "下", "期")
_MINI = re.compile(
    r"(?<![a-z])part[\s._]?(?P<digit>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten)(?![\da-z])"
    r"(?=.{0,40}(?:hdtv|pdtv|dsr))"
)
_SPELT = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def special(text: str) -> re.Match[str] | None:
    """Where a word for specials stands; `first` is its own number."""
    return _SPECIAL.search(text)


def issue(text: str) -> tuple[int | None, int | None]:
    """The issue of a variety show (第3期) and where it stands."""
    found = _ISSUE.search(text) if "期" in text else None
    return (number(found["issue"]), found.start()) if found else (None, None)


def part(text: str) -> str:
    """The part of a film or an issue: a digit or 上, 中, 下; empty where there is none."""
    found = _PART.search(text) if any(word in text for word in _PART_WORDS) else None
    if not found:
        return ""
    if found["count"]:
        return str(number(found["count"]))
    return next(value for value in found.groupdict().values() if value)


def mini(text: str) -> tuple[int, int] | None:
    """The part of a mini-series that television showed, which is its episode, and where it stands."""
    found = _MINI.search(text) if "part" in text else None
    if not found:
        return None
    word = found["digit"]
    return (int(word) if word.isdigit() else _SPELT.index(word)), found.start()


def extra(low: str, masked: str, first_fact: int) -> str | None:
    """A word for an extra counts alone, at an edge, or behind a year or number: titles hold such words."""
    stem = masked.rstrip("§¤ ._-[]()【】")
    for found in _WORD_EXTRAS.finditer(low):
        at_edge = found.start() == 0 and (found.lastgroup == "sample" or found.end() >= len(stem))
        dashed = found.end() >= len(stem) and (found.start() == 0 or low[found.start() - 1] in "-[(【")
        foreign = not found[0].isascii() and found.lastgroup != "promo"
        if at_edge or dashed or foreign or found.start() > first_fact or found.lastgroup == "credits":
            return found.lastgroup
    return None
