"""The titles in a name: what stands before its facts, without group and banner, in each of its languages."""

import re

_GROUP = re.compile(r"^\s?[\[【(][^\]】)]{1,60}[\]】)][\s._-]*(?=\S)")
_BOX = re.compile(r"[\[【]([^\[\]【】]{2,120})[\]】]")
_SPLIT = re.compile(r"\s[/|]\s|[|／]|\s?/\s|(?<=[\u3040-\u9fff])/|·(?=[A-Za-z])|\s+aka\s+", re.IGNORECASE)
_LIST_NUMBER = re.compile(r"^\d{1,3}\.(?=\s?[^\W\d])")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SCRIPTS = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff\d！？!?~])[\s._:\-]+(?=[A-Za-z])|(?<=[A-Za-z!?])[\s._]+(?=[\u3040-\u30ff\u3400-\u9fff])")
_NO_TITLE = re.compile(
    r"(?:\d{4}年)?\d{1,2}月新?番|[★☆]*|新番|国漫|连载|完结|招募.*|tv|bd(?:rip)?|web(?:rip|-dl)?|mp4|mkv|合集|"
    r"(?:tv )?series|movie",
    re.IGNORECASE,
)
_NOTE = re.compile(r"[(（][^()（）]{0,30}(?:地区|地區|僅限|仅限)[^()（）]{0,30}[)）]")
_TRIM = " ._-–—~|·★☆/:,+"
_BRACKETS = "[]()【】《》{}（）"


def title(text: str, masked: str, ends: list[int]) -> str:
    """The text before the first fact; empty where a name begins with one."""
    return clean(_before(text, masked, ends))


def titles(text: str, masked: str, ends: list[int]) -> tuple[str, ...]:
    """The title, then what it is called otherwise in the same name."""
    before = _before(text, masked, ends)
    found = [clean(before)]
    boxes = _boxes(text, masked, ends) if "[" in text or "【" in text else []
    if not found[0] or _is_box(before):
        found = [box for box in boxes if box] or found
    found += boxes
    pieces = [piece for each in found for piece in _SPLIT.split(each)]
    scripts = [piece for each in pieces if _CJK.search(each) for piece in _SCRIPTS.split(each)]
    return tuple(filter(None, dict.fromkeys(map(clean, [*found, *pieces, *scripts]))))[:12]


def clean(title: str) -> str:
    """Dots and underscores are spaces; what only frames a title goes."""
    return re.sub(r"[\s._]+", " ", _NOTE.sub(" ", title)).strip(_TRIM + _BRACKETS)


def _is_box(before: str) -> bool:
    return before.strip()[:1] in ("[", "【")


def _boxes(text: str, masked: str, ends: list[int]) -> list[str]:
    """What the brackets hold that may be a title: not the first one, nor facts."""
    result = []
    for index, box in enumerate(_BOX.finditer(text)):
        inside = masked[box.start(1) : box.end(1)]
        if index > 6 or "§" in inside or "¤" in inside or "¦" in inside or box[1].isdigit():
            continue
        if any(box.start() <= end < box.end() for end in ends):
            inner = min(end for end in ends if box.start() <= end < box.end())
            result.append(clean(text[box.start(1) : inner]))
        elif not _NO_TITLE.fullmatch(box[1].strip()):
            result.append(clean(box[1]))
    return result[1:] + result[:1] if len(result) > 1 else result


def _before(text: str, masked: str, ends: list[int]) -> str:
    start = 0
    while masked[start : start + 1] == "¦":
        start += 1
    noise = next((at for at in range(start + 1, len(masked)) if masked[at] in "§¤¦"), len(text))
    before = text[start : min([*(end for end in ends if end >= start), noise])]
    group = _GROUP.match(before)
    if group and before[group.end() :].strip(_TRIM + _BRACKETS):
        before = before[group.end() :]
    numbered = _LIST_NUMBER.match(before)
    return before[numbered.end() :] if numbered and numbered.end() < len(before) and start == 0 and before[0] == "0" else before
