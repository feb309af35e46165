"""The titles in a name: what stands before its facts, without group and banner, in each of its languages."""

import re
from dataclasses import dataclass

_GROUP = re.compile(r"^\s?[\[【][^\]】]{1,60}[\]】][\s._-]*(?=\S)")
_BOX = re.compile(r"[\[【]([^\[\]【】]{2,120})(?:[\]】]|$)")
_PAREN = re.compile(r"[(（]([^()（）]{2,80})[)）]")
_OPEN_PAREN = re.compile(r"\s?[(（][^()（）]*$")
_SPLIT = re.compile(
    r"\s?[|／]\s?|\s?/\s|(?<=[\u3040-\u9fff!？?！])/|/(?=[\u3040-\u9fff])|·(?=[A-Za-z])|\s+aka\s+",
    re.IGNORECASE,
)
_LIST_NUMBER = re.compile(r"^0\d\.(?=\s?[^\W\d])")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SCRIPTS = re.compile(
    r"(?<=[\u3040-\u30ff\u3400-\u9fff\d！？!?~])[\s._:\-]+(?=[A-Za-z])"
    r"|(?<=[A-Za-z!?])[\s._]+(?=[\u3040-\u30ff\u3400-\u9fff])|\s?~\s?(?=[A-Z])"
)
_NO_TITLE = re.compile(
    r"(?:\d{4}年)?\d{1,2}月新?番|[★☆\s]*|新番|国漫|连载|完结|招募.*|tv|bd(?:rip)?|web(?:rip|-dl)?|mp4|mkv|avc|aac|合集"
    r"|ch[st](?:[_&].*)?|gb|big5|.{0,6}字幕|[简繁日英體体]{1,3}(?:双语|雙語|内嵌|外挂)?|dual.audio",
    re.IGNORECASE,
)
_NO_BOX = re.compile(r"(?:tv )?series|movie|\d{1,4}(?:v\d)?", re.IGNORECASE)
#: Words of packing that end a title wherever they stand behind its first word.
_PACKED = re.compile(
    r"(?<=[\w)!?])[\s._\-(\[]+(?:(?:dvd|bd|br|uhd|hd|web|vhs|vod|tv)-?rip(?:mux)?|bdremux|bdmux|remux|web-?dl|blu-?ray|hdtv|pdtv"
    r"|xvid|divx|dvdr|swesub|truefrench|dual[\s._]audio|audio[\s._]latino)(?![A-Za-z])",
    re.IGNORECASE,
)
#: Words that are no title where nothing but such words follows.
_TAIL = re.compile(
    r"(?<=[\w)!?])[\s._:\-(\[]+(?:(?:the[\s._])?(?:complete|full)(?:[\s._](?:series|seasons?|version))?|extended(?:[\s._](?:cut|edition))?"
    r"|unrated|uncut|imax|remastered|custom|director'?s?[\s._]cut|theatrical|german|french|multi|dubbed|dts|dl|hq|hfr|ac3"
    r"|internal|proper|repack|uncensored|vol(?:ume)?|part|hd|bd|dvd|miniserie|tv|v\d|s\d{1,2}|season[\s._]\d{1,2}|第.{1,3}季)$",
    re.IGNORECASE,
)
_NUMBER_TAIL = re.compile(r"\s-\s\d{1,4}(?:\.5)?$")
_SEGMENT_END = re.compile(r"\s?[(\[]?\b[Ss]\d{1,3}[\s.]?[Ee]\d|[\[]|\s?[(（]")
_NOTE = re.compile(r"[(（][^()（）]{0,30}(?:地区|地區|僅限|仅限)[^()（）]{0,30}[)）]")
_TRIM = " ._-–—~|·★☆/:,+\"'"
_BRACKETS = "[]()【】《》{}（）"
_MOST_WORDS = 6


@dataclass(frozen=True, slots=True)
class Heading:
    """A name, the same with its facts masked, where its title ends, and where it begins behind a number."""

    text: str
    masked: str
    end: int
    begin: int = 0


def group(text: str) -> str | None:
    """What the bracket that opens a name holds."""
    found = re.match(r"\s?[\[【]([^\]】]{1,60})[\]】]", text)
    return found[1].strip() if found else None


def title(heading: Heading) -> str:
    """The text before the first fact; empty where a name begins with one."""
    return next(iter(_outside(_before(heading))), "")


def titles(heading: Heading) -> tuple[str, ...]:
    """The title, then what it is called otherwise in the same name."""
    text, masked, before = heading.text, heading.masked, _before(heading)
    outside = _outside(before)
    found = [*outside, *_boxes(text, masked)]
    found += _PAREN.findall(before)
    if " / " in text:
        found += [segment[: cut.start()] if (cut := _SEGMENT_END.search(segment)) else segment
                  for segment in text.split(" / ")[1:4]]  # fmt: skip
    pieces = [piece for each in found for piece in _SPLIT.split(each)]
    scripts = [piece for each in pieces if _CJK.search(each) for piece in _SCRIPTS.split(each)]
    numberless = [re.sub(r"(?<=[\u3040-\u9fff])\d$", "", each) for each in (*pieces, *scripts)]
    known = dict.fromkeys(clean(_unpacked(each)) for each in (*found, *pieces, *scripts, *numberless))
    return tuple(each for each in known if each and not _NO_TITLE.fullmatch(each))[:14]


def clean(title: str) -> str:
    """Dots and underscores are spaces; what only frames a title goes."""
    return re.sub(r"[\s._]+", " ", _NOTE.sub(" ", title)).strip(_TRIM + _BRACKETS)


def _unpacked(title: str) -> str:
    """Without words of packing at the end."""
    packed = _PACKED.search(title)
    title = title[: packed.start()] if packed else title
    for _ in range(_MOST_WORDS):
        shorter = _NUMBER_TAIL.sub("", _TAIL.sub("", title.rstrip(" ._-([)]")))
        if shorter == title or not clean(shorter):
            break
        title = shorter
    return title


def _outside(before: str) -> list[str]:
    """What stands outside of brackets, the first piece first; what the first bracket holds where nothing does."""
    pieces = [
        clean(_unpacked(_OPEN_PAREN.sub("", piece) or piece)) for piece in _BOX.sub("\n", before).split("\n")
    ]
    found = [piece for piece in pieces if piece and not _NO_TITLE.fullmatch(piece)]
    if found:
        return found
    return [inner for box in _BOX.findall(before) if (inner := clean(box)) and not _NO_TITLE.fullmatch(inner)]


def _boxes(text: str, masked: str) -> list[str]:
    """What brackets hold that may be a title, without facts; the first one last, since it is mostly a group's."""
    if "[" not in text and "【" not in text:
        return []
    result = []
    for index, box in enumerate(_BOX.finditer(text)):
        inside = masked[box.start(1) : box.end(1)]
        if (
            index > 6
            or inside[:1] in "§¤¦"
            or any(no.fullmatch(box[1].strip()) for no in (_NO_BOX, _NO_TITLE))
        ):
            continue
        marked = "".join("\n" if mark in "§¤¦" else char for char, mark in zip(box[1], inside, strict=True))
        result += [piece for each in marked.split("\n") if len(piece := clean(each)) > 1]
    return result[1:] + result[:1]


def _before(heading: Heading) -> str:
    text, masked, start = heading.text, heading.masked, heading.begin
    while masked[start : start + 1] in ("¦", " ", "§", "¤") and start < len(masked):
        start += 1
    noise = next((at for at in range(start + 1, len(masked)) if masked[at] in "§¤¦"), len(text))
    before = text[start : min(heading.end if heading.end >= start else len(text), noise)]
    found = _GROUP.match(before)
    if found and before[found.end() :].strip(_TRIM + _BRACKETS):
        before = before[found.end() :]
    return _LIST_NUMBER.sub("", before) if start == 0 else before
