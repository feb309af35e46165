"""What is taken out of a name before numbers are read: pictures, sound, sizes, checksums, addresses.

A masked stretch keeps its length, so that positions stay: `§` for noise, `¤` for a year, `¦` for what is no part of
a name at all (an uploader's banner).
"""

import re
import unicodedata

#: Names are cut here; nobody can read more, and every pattern stays linear.
LONGEST = 400
NOISE, YEAR, BANNER = "§", "¤", "¦"

_ENDING = re.compile(
    r"\.(?:mkv|mp4|m4v|avi|mov|wmv|flv|f4v|m?2?ts|mts|tp|mpe?g|vob|webm|rmvb?|asf|ogm|divx|3gp|strm|iso|srt|ass|ssa"
    r"|sub|idx|sup|vtt|smi|mka|ac3|dts|eac3|nfo|nzb|torrent|jpe?g|png|txt|rar|zip|7z)$",
    re.IGNORECASE,
)
_COPY = re.compile(r"\s?\([1-9]\)$|\s-\s(?:副本|copy)$", re.IGNORECASE)
#: Cyrillic letters that stand for Latin ones between digits (06х01).
_LOOK_ALIKE = re.compile(r"(?<=\d)[хХ](?=\d)")
_BANNER = re.compile(
    r"[\[【{(][^\[\]【】{}()]{0,40}(?:发布|發佈|发佈|www\.)[^\[\]【】{}()]{0,40}[\]】})]"
    r"|^\s?www\.[a-z0-9-]{1,40}(?:\.[a-z]{2,6}){1,2}\s?-?\s?|^\s?www[\s,][a-z0-9-]{1,40}[\s.][a-z]{2,6}\s-\s"
    r"|[\[(][a-z0-9-]{2,40}\.(?:com|net|org|cc|tv|to|link|ru|me|mx|nu|site)[\])]",
)
#: What starts with a digit: pictures, rates, depths, channels, sizes.
_DIGITS = (
    r"(?<![\da-z])(?!(?:19|20)\d\dx\d{1,3}(?!\d))\d{3,4}p?\s?[x×*]\s?\d{3,4}[pi]?(?!\d)"
    r"|(?<![\da-z])(?:360|400|480|540|576|720|1080|1440|2160|4320)[pi](?:\d{2,3})?\+?(?![\da-z])"
    r"|(?<![\da-z第#])(?<!-\s)(?:480|540|576|720|1080|2160|4320)(?![\da-z]|\s?[集话話回期])"
    r"|(?<![\da-z])[248]k(?:[\d.]*(?:fps|帧))?(?![a-z\d])"
    r"|(?<!\d)\d{2,3}(?:\.\d+)?\s?(?:fps|帧|hz)"
    r"|(?<!\d)(?:8|10|12)[\s.-]?bits?(?![a-z])"
    r"|(?<![\d.])[1257]\.[012](?:ch)?(?![\d.])(?=[\s.\-_\])】+]|$)(?!\.\s?\w+\s?\d)"
    r"|(?<![\da-z])\d+(?:[.,]\d+)?\s?(?:[gmt]i?b|[gt])(?![a-z\d])"
    r"|(?<![a-z\d])\d{1,2}audios?(?![a-z])|(?<!\d)\d{1,2}ch(?![a-z])"
)
#: What starts with a letter: codecs, sound, dynamic range.
_LETTERS = (
    r"(?<![a-z\d])[xh][\s.]?26[456](?!\d)|(?<=[a-z])x26[45](?!\d)|(?<![a-z])av1(?!\d)|(?<![a-z])mpeg-?[1-4]"
    r"|(?<![a-z])(?:vc|dvd|bd)-?[159](?!\d)"
    r"|(?<![a-z])(?:ddp?\+?|eac3|ac3|e-ac-3|aac|flac|lpcm|pcm|opus|truehd|ma|mpa|atmos|mp3"
    r"|dts(?:-?hd)?(?:[ .]?(?:ma|hra?|x))?)(?:[\s.\-_]?[1-9][\s.]\d(?:\.\d)?(?!\d)|x[1-9])"
    r"|(?<![a-z])(?:e-?ac-?3|ac-?3|mp3|mp4|mpeg4)(?![a-z\d])"
    r"|hdr10\+?|(?<![a-z])p[578](?![\da-z])|yuv\d+p\d*\w*|(?<![a-z])ass(?:x\d)?(?![a-z])|crf\s?\d\d"
)
#: Names that a machine made: checksums, random letters, identifiers.
_MACHINE = (
    r"(?<![a-z0-9])(?=[a-z0-9]{8})(?:[0-9a-f]{14,}(?![a-z0-9])"
    r"|(?!s\d|\d{1,2}x\d)(?=[a-z]{0,21}\d)[a-z0-9]{22,}(?![a-z0-9])"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.\d{1,3})?)"
)
_NOISE = re.compile(
    rf"[\[(](?=[a-f]{{0,7}}\d)[0-9a-f]{{8}}[\])]|{_MACHINE}|(?=\d)(?:{_DIGITS})|(?=[xhamvdbeflpotyc])(?:{_LETTERS})"
)


def normal(name: str) -> str:
    """A name in one width, without ending and the mark of a copy."""
    text = unicodedata.normalize("NFKC", name[:LONGEST])[:LONGEST]
    text = _LOOK_ALIKE.sub("x", text)
    text = _ENDING.sub("", text)
    bare = _COPY.sub("", text)
    # [Group] Title (9) has no other number, SKET Dance - 18 (1) has.
    lonely = text[:1] in "[【" and not any(c.isdigit() for c in bare)
    return (text if lonely else bare).strip()


def is_file(name: str) -> bool:
    """Whether a name has the ending of a file."""
    return _ENDING.search(name[-12:]) is not None


def lower(text: str) -> str:
    """In lower case, of the same length."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def masked(low: str) -> str:
    """The lower-case text with everything masked that is never a number of an episode."""
    low = _BANNER.sub(lambda found: BANNER * len(found[0]), low)
    return _NOISE.sub(lambda found: NOISE * len(found[0]), low)


def blank(text: str, start: int, end: int, mark: str = NOISE) -> str:
    """The text with one stretch masked."""
    return f"{text[:start]}{mark * (end - start)}{text[end:]}"
