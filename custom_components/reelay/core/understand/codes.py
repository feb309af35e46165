"""Which access code belongs to which link: codes stand in the link, behind it, below it or above it.

Links and labelled codes are taken in reading order. A code goes to a neighboring link, the one before it rather than
the one after it, the nearer one first, and never past another drive's link.
"""

import re
from dataclasses import dataclass

#: What announces a code; whether it does depends on what stands before and behind.
_WORD = re.compile(
    "[码碼]|口令|[\U0001f511\U0001f510\U0001f5dd]|[Pp][Aa][Ss][Ss]|PASS|[Pp][Ww][Dd]|[Cc][Oo][Dd][Ee]"
)
_BEFORE = re.compile(r"(?:访问|訪問|提取|接收|分享|取件)密?$|(?:(?<![压壓缩縮])|(?:访问|訪問|提取))密$")
_NOT_BEFORE = re.compile(
    r"(?:验证|驗證|邀请|邀請|激活|兑换|優惠|优惠|推荐|推薦|[密编編解番号號条維维高原乱亂数數代尺页頁源])$"
)
_VALUE = re.compile(
    r"(?:\s?[\U0001f511\U0001f510\U0001f5dd])?[\s:=*_`\[(「『<\"'“”是为為统一都均]{0,6}"
    r"(?P<code>[A-Za-z0-9]{4})(?![A-Za-z0-9])"
)
_LATIN_VALUE = re.compile(
    r"(?:word|wd|_?code)?\s?[:=\s][\s:=*_`\[(<\"']{0,6}(?P<code>[A-Za-z0-9]{4})(?![A-Za-z0-9])", re.IGNORECASE
)
_FOR_ALL = re.compile(r"统一|統一|均为|均為|都是|通用|相同|一样")
_BARE = re.compile(r"#?[ \t]{1,3}(?P<code>[A-Za-z0-9]{4})(?![A-Za-z0-9])(?P<rest>[^\n]{0,4})")
_NOT_BARE = re.compile(
    r"(?:19|20)\d\d|1080|2160|[xh]26[45]|s\d\d?e?\d?|ep?\d{2,3}|\d+(?:\.\d)?[tgmk]b?"
    r"|\d+fps|hdr\d?|dv\w*|\d+hz|p\d+|\d+bit|av1\w?|4k\w*|\d{1,3}[pi]",
    re.IGNORECASE,
)
_FARTHEST = 8
_BACKWARD, _FORWARD, _BLANK = 0.0, 0.6, 2.0


@dataclass(slots=True)
class Place:
    """A link in the text. `key` is the share code, None for another drive; `code` is what the link itself states."""

    start: int
    end: int
    key: str | None
    code: str | None = None


def bind(text: str, places: list[Place]) -> dict[str, str]:
    """The access code of each share, for those that have one. `text` has ASCII punctuation, `places` are sorted."""
    found = _labelled(text, places)
    given: dict[str, str] = {place.key: place.code for place in reversed(places) if place.key and place.code}
    spread = next((match["code"] for match in found if _for_all(text, match)), None)
    for index, code in _assign(text, places, found).items():
        key = places[index].key
        if key and places[index].code is None:
            given.setdefault(key, code)
    for place in places:
        if place.key and place.key not in given:
            bare = _bare(text, place)
            if bare or spread:
                given[place.key] = bare or spread or ""
    return given


def stated(text: str, places: list[Place]) -> list[tuple[int, int]]:
    """Where codes stand outside of links: their letters and digits mean nothing else."""
    spans = [match.span("code") for match in _labelled(text, places)]
    return spans + [found.span("code") for place in places if place.key and (found := _behind(text, place))]


def _labelled(text: str, places: list[Place]) -> list[re.Match[str]]:
    """Every code that has a label; what stands inside a link isn't one."""
    found: list[re.Match[str]] = []
    link = end = 0
    for word in _WORD.finditer(text):
        match = _value(text, word) if word.start() >= end else None
        if match is None:
            continue
        end = match.end()
        while link < len(places) and places[link].end <= match.start():
            link += 1
        if link == len(places) or not places[link].start < match.start("code") < places[link].end:
            found.append(match)
    return found


def _value(text: str, word: re.Match[str]) -> re.Match[str] | None:
    """The code that a word announces, if it does."""
    before = text[max(0, word.start() - 4) : word.start()]
    if word[0].isascii():
        announces = not before[-1:].isascii() or not before[-1:].isalpha()
        return _LATIN_VALUE.match(text, word.end()) if announces else None
    if word[0] in "码碼" and not _BEFORE.search(before):
        alone = text[word.end() : word.end() + 2].lstrip()[:1] in (":", "=") and not _NOT_BEFORE.search(
            before
        )
        return _VALUE.match(text, word.end()) if alone else None
    return _VALUE.match(text, word.end())


def _for_all(text: str, match: re.Match[str]) -> bool:
    """Whether a code is said to be the one for all links."""
    return _FOR_ALL.search(text, max(0, match.start() - 10), match.start("code")) is not None


#: The links taken so far, newest first.
type _Taken = tuple[int, str, "_Taken"] | None


def _assign(text: str, places: list[Place], codes: list[re.Match[str]]) -> dict[int, str]:
    """Give as many codes as possible to neighboring links, nearest first; each link takes one, in order."""
    lonely = len(codes) == 1 and len({place.key for place in places}) == 1
    # By the last link taken: codes given, cost, and which went where. Only the newest few can matter.
    best: dict[int, tuple[int, float, _Taken]] = {-1: (0, 0.0, None)}
    before = -1
    for match in codes:
        position, code = match.start(), match["code"]
        while before + 1 < len(places) and places[before + 1].start < position:
            before += 1
        options = _options(text, places, before, position, lonely)
        following = dict(best)
        for last, (given, cost, taken) in best.items():
            for index, price in options:
                score = (given + 1, cost + price, (index, code, taken))
                if index > last and (index not in following or _rank(score) > _rank(following[index])):
                    following[index] = score
        best = dict(sorted(following.items(), key=lambda item: _rank(item[1]), reverse=True)[:4])
    _, _, taken = max(best.values(), key=_rank, default=(0, 0.0, None))
    result = {}
    while taken:
        index, code, taken = taken
        result[index] = code
    return result


def _rank(score: tuple[int, float, _Taken]) -> tuple[int, float]:
    return score[0], -score[1]


def _options(
    text: str, places: list[Place], before: int, position: int, lonely: bool
) -> list[tuple[int, float]]:
    options = []
    for index, start, end, price in (
        (before, places[before].end if before >= 0 else 0, position, _BACKWARD),
        (before + 1, position, places[before + 1].start if before + 1 < len(places) else 0, _FORWARD),
    ):
        if not 0 <= index < len(places) or end - start > 2_000:
            continue
        between = text[start:end]
        lines = between.count("\n")
        if lines <= _FARTHEST or lonely:
            options.append((index, price + lines + (_BLANK if "\n\n" in between.replace(" ", "") else 0.0)))
    return options


def _bare(text: str, place: Place) -> str | None:
    found = _behind(text, place)
    return found["code"] if found else None


def _behind(text: str, place: Place) -> re.Match[str] | None:
    """Four characters right behind a link: mixed ones, or any where nothing follows on the line."""
    found = _BARE.match(text, place.end)
    if not found or _NOT_BARE.fullmatch(found["code"]):
        return None
    code, alone = found["code"], not found["rest"].strip()
    if code.isalpha() or code.isdigit():
        fragment = "#" in text[max(0, place.end - 1) : place.end + 1]
        return found if alone or (code.isdigit() and fragment) else None
    return found
