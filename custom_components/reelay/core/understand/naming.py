"""From the line that names a work to its titles and year: everything that says how it is packed or numbered goes."""

import re
from dataclasses import dataclass

from ..media import release, wordings
from ..media.titles import simplify

_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_HAS_CJK = re.compile(rf"[{_CJK}]")
_URL = re.compile(
    r"(?:https?://|ed2k://|magnet:)\S*|(?:www\.)?(?:115cdn|115|anxia)\.com\s?/\S*|/?share\.115\.com\S*",
    re.IGNORECASE,
)
_TAG = re.compile(r"(?:(?<=\s)|^)#[^\s#]{1,40}")
_DECOR = re.compile(r"^[^\w《「『\[【(（<'\"~～«]+")
#: The place in a list (1. 教父, 01.Lupin.III) is no part of a title.
_LIST_NUMBER = re.compile(r"^(?:\d{1,3}[.、)）]\s+|0\d\.)(?=\S)")
_NEW_SEASON = re.compile(r"^[★☆\s]*(?:\d{4}年)?\d{1,2}月新番[★☆\s]*")
_CATEGORY_WORDS = (
    "电影|影片|电视剧|连续剧|剧集|剧场版|国漫|番剧|日番|日漫|美漫|动漫|动画|纪录片|记录片|综艺"
    "|真人秀|短剧|微短剧"
    "|[美英韩日泰港台国]剧|欧美剧|国产剧|华语|外语|欧美|合集|系列"
)
_CATEGORY = re.compile(
    rf"(?:\d{{1,2}}月)?(?:新番|{_CATEGORY_WORDS}|更新|完结|首发|置顶|资源|分享|4k|1080p|原盘|115"
    rf"|ed2k|网盘|推荐|热播|新片|新剧|连载|中字|hd)"
    rf"(?:[·.\-/|\s&]{{0,2}}(?:{_CATEGORY_WORDS}|115|ed2k|网盘|更新|完结|4k|1080p|连载中?))*",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    rf"^(?:[A-Za-z]{{2,10}}\s(?=[纪记]录片))?(?P<word>{_CATEGORY_WORDS})(?:[\s:：·|｜\-—]+)(?=\S)"
)
_BOX = re.compile(r"^\s?[\[【](?P<inside>[^\[\]【】\n]{1,60})[\]】]\s?[.\-_★]?\s?")
_TITLE_MARKS = re.compile(r"《(?P<inside>[^《》\n]{1,80})》|^「(?P<other>[^「」\n]{2,60})」")
_YEAR = re.compile(
    r"[(（\[【]\s?(?P<year>1[89]\d\d|20\d\d)(?:年)?(?:\s?[-–~—至]\s?(?P<last>\d{4}|至今|今"
    r"|now)?)?\s?[)）\]】]",
    re.IGNORECASE,
)
_BARE_YEAR = re.compile(
    r"(?<=[\s._\-\])】])(?P<year>1[89]\d\d|20\d\d)(?:\s?[-–~]\s?(?P<last>(?:19"
    r"|20)\d\d))?(?![\dA-Za-z]|[-.]\d\d?[-.]\d\d?(?!\d)|年?[至-])"
)
_CUTS = re.compile(
    r"✨|[|｜]|[\[【]|(?<=\S)\s?[(（](?![上中下0-9一二三四五六七八九十]{1,2}[)）])"
    r"|[，,]\s?(?=\S{0,6}(?:链接|下载|地址|提取|访问|密码|有效|速存|https?:))"
    r"|(?<=\s)(?:TV|动画|真人|国语|粤语|日语|原声)版|👉|🔗|💾|(?<=\s)(?:下载|链接)\s?[:：]|等\d+个文件"
)
_SET = re.compile(
    r"\s?\d{1,2}\s?[-~]\s?\d{1,2}\s?(?:部|合集|全集)|(?<=\s)\d{1,2}\s?[-~]\s?\d{1,2}(?=\s|$)"
    r"|\s?(?:全|共)?[\d一二三四五六七八九十]{1,3}部(?:合集|全集|曲合集)?(?=[\s\[【(（]|$)"
    r"|(?<=\s)(?:电影)?(?:全?系列)?合集|(?<=\s)全系列"
)
_COLLECTION = re.compile(
    r"合集|[二三四五六七八九\d]部曲|系列电影|电影系列|电影集|作品集|\d\s?[-~]\s?\d{1,2}\s?部"
    r"|(?<![第\d])\d{1,2}部(?:全|合)|(?<![A-Za-z])(?:Collection|Trilogy|Anthology"
    r"|Quadrilogy)(?![A-Za-z])",
    re.IGNORECASE,
)
_PUBLISHER = re.compile(
    r"字幕|发布|压制|工作室|论坛|社$|组$|屋$|\bsubs?\b|raws?|team|www\.|\.com|\.net|[A-Za-z]-[A-Za-z]"
    r"|^[A-Za-z0-9@&.\-_ ]+$",
    re.IGNORECASE,
)
_RELEASE_TITLE = re.compile(
    r"(?:^|[\]】.\s])(?P<name>[A-Z][A-Za-z0-9'’&!,:-]*(?:[. ][A-Za-z0-9'’&!,:-]+){0,11}?)[. ]"
    r"(?:S\d{1,2}(?!\d)|(?:19|20)\d\d(?!\d))"
)
_EXTENSION = re.compile(r"\.(?:mkv|mp4|avi|ts|iso|m2ts|rmvb|wmv|mov)$", re.IGNORECASE)
_NO_TITLE = re.compile(
    rf"(?:已?补|已?更|更新|完结|下载|链接|连结|地址|分享|资源|网盘|合集|全集|大小|更新至|最新"
    rf"|补档|补更|{_CATEGORY_WORDS}|打开|点击\S*|\W|\d)*",
    re.IGNORECASE,
)
_ROMAN = re.compile(r"[IVX]{1,4}|Part\s?\w+|\d?D|OVA|TV|BD|HD|SP", re.IGNORECASE)
_SPACE = " \t._"


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """What a naming line says. `category` holds the words of kind found around the title; `rest` follows it."""

    title: str | None = None
    original: str | None = None
    others: tuple[str, ...] = ()
    year: int | None = None
    year_at: int | None = None
    numbering_at: int | None = None
    collection: bool = False
    category: str = ""
    rest: str = ""


def read(line: str) -> Naming:
    """Take a naming line apart."""
    text = _TAG.sub(" ", _URL.sub(" ", line)).strip()
    text = re.sub(r"\s{2,}", "  ", release.without_edition(_DECOR.sub("", _EXTENSION.sub("", text))))
    collection = _COLLECTION.search(simplify(text)) is not None
    text, category, boxed = _unbox(_LIST_NUMBER.sub("", text))
    marked = _TITLE_MARKS.search(text)
    if marked and _CATEGORY.fullmatch(simplify(marked["inside"] or "")):
        category += f" {marked['inside']}"
        text = text[marked.end() :].strip()
        marked = None
    while prefix := _PREFIX.match(simplify(text)):
        category += f" {prefix['word']}"
        text = text[prefix.end() :].strip()
    if marked:
        found = _cut(marked["inside"] or marked["other"])
        outside = _cut(f"x{text[marked.end() :]}")
        year = found.year or outside.year
        return _named(found.head, year, None, outside, collection, category, text[marked.end() :])
    found = _cut(text)
    if not found.head and boxed:
        return _named(boxed, found.year, found.year_at, found, collection, category, text)
    return _named(
        found.head, found.year, found.year_at, found, collection, category, text[len(found.head) :], boxed
    )


def without_addresses(text: str) -> str:
    """The text without addresses; hashtags stay."""
    return _URL.sub(" ", text)


def without_links(text: str) -> str:
    """The text without addresses and hashtags: their digits mean nothing here."""
    return _TAG.sub(" ", _URL.sub(" ", text))


@dataclass(frozen=True, slots=True)
class _Cut:
    head: str
    year: int | None
    year_at: int | None
    numbering_at: int | None


def _unbox(text: str) -> tuple[str, str, str | None]:
    """Take leading brackets off: categories, publishers; what is left of them may be the title itself."""
    category = ""
    kept: list[str] = []
    while box := _BOX.match(text := _NEW_SEASON.sub("", text)):
        inside = box["inside"].strip()
        rest = text[box.end() :]
        if _CATEGORY.fullmatch(simplify(inside)):
            category += f" {inside}"
        elif (
            kept and not _HAS_WORD.search(_BOXES.sub("", rest)) and not rest.lstrip().startswith(("[", "【"))
        ):
            kept.append(inside)
        else:
            kept.append(inside)
        text = rest
    if not kept:
        return text, category, None
    if _HAS_WORD.search(_BOXES.sub("", text)) and not _fact(text):
        own = next(
            (
                each
                for each in kept
                if _HAS_CJK.search(each) and not _PUBLISHER.search(each) and not _fact(each)
            ),
            None,
        )
        latin = not _HAS_CJK.search(_BOXES.sub("", text)[:40])
        return text, category, own if latin else None
    names = _names(kept)
    sets = [each for each in kept if _COLLECTION.search(simplify(each))]
    if sets and names:
        joined = " ".join(_of_set(each) for each in dict.fromkeys([*names[:1], *sets]))
        return f"{text}{_facts(kept)}", category, joined
    if len(names) > 1 and _PUBLISHER.search(names[0]):
        names = names[1:]
    chosen = " / ".join(names[:2]) if names else ""
    return f"{text}{_facts(kept)}", category, chosen or None


_HAS_WORD = re.compile(rf"[A-Za-z]{{2}}|[{_CJK}]")
_BOXES = re.compile(r"[\[【][^\[\]【】]*[\]】]")


def _names(boxes: list[str]) -> list[str]:
    """The boxes that can hold titles: those before the first fact; behind it stand notes of the publisher."""
    found: list[str] = []
    for box in boxes:
        if not _fact(box):
            found.append(box)
        elif found:
            break
    return found


def _of_set(text: str) -> str:
    """The words of a box that names a set of films, without those about packing behind it."""
    kept = []
    for word in text.split():
        if _fact(word) and not _COLLECTION.search(simplify(word)):
            break
        kept.append(word)
    return " ".join(kept)


def _facts(boxes: list[str]) -> str:
    return "".join(f" [{each}]" for each in boxes if _fact(each))


def _fact(text: str) -> bool:
    """Whether a piece starts with packing, numbering or a bare number."""
    start = release.starts(text)
    return (
        start == 0
        or wordings.read(f"[{text}]").start in (0, 1)
        or re.fullmatch(r"\s?[\d.\-v]+\s?", text) is not None
    )


def _cut(text: str) -> _Cut:
    """The title at the start of a text, and where facts begin."""
    numbering = wordings.read(text)
    roman = re.search(rf"(?<=[{_CJK}])[\u2160-\u216b]", text)
    if roman and numbering.start == roman.start():
        plain = _cut(text[: roman.start()] + text[roman.end() :])
        return _Cut(plain.head, plain.year, plain.year_at, roman.start())
    boxed = _YEAR.search(text)
    bare = None if boxed else _last_bare(text)
    year = boxed or bare
    ends = [numbering.start, release.starts(text), year.start() if year else None]
    ends += [found.start() for pattern in (_CUTS, _SET) if (found := _first(pattern, text))]
    end = min((end for end in ends if end), default=len(text))
    head = text[:end]
    if 0 in ends and not year:
        head = ""
    if not _can_be_title(head):
        head = ""
    return _Cut(head, int(year["year"]) if year else None, year.start() if year else None, numbering.start)


def _first(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next((found for found in pattern.finditer(text) if found.start() > 0), None)


def _last_bare(text: str) -> re.Match[str] | None:
    """A year without brackets: the last one before the words about packing, never the first word."""
    packed = release.starts(text)
    found = [
        each for each in _BARE_YEAR.finditer(text) if packed is None or each.start() <= packed or packed == 0
    ]
    return found[-1] if found else None


def _named(
    head: str,
    year: int | None,
    year_at: int | None,
    found: _Cut,
    collection: bool,
    category: str,
    rest: str,
    boxed: str | None = None,
) -> Naming:
    titles = [
        name
        for each in re.split(r"\s?/\s|\s/|\s?／\s?|(?<=[^\x00-\x7f])/(?=[A-Za-z])", head)
        for name in _split(_tidy(each))
    ]
    if boxed and boxed != head:
        titles = [name for each in boxed.split(" / ") for name in _split(_tidy(each))] + titles
    titles = [each for each in dict.fromkeys(titles) if each and _can_be_title(each)]
    chinese = [each for each in titles if _HAS_CJK.search(each)]
    latin = [each for each in titles if not _HAS_CJK.search(each)]
    if chinese and not latin and (released := _RELEASE_TITLE.search(rest)):
        latin = [_tidy(released["name"])]
    title = next(iter(chinese or latin), None)
    original = latin[0] if chinese and latin else None
    others = tuple(each for each in (*chinese, *latin) if each not in (title, original))
    return Naming(
        title=title,
        original=original,
        others=others,
        year=year,
        year_at=year_at,
        numbering_at=found.numbering_at,
        collection=collection,
        category=category,
        rest=rest,
    )


def _can_be_title(text: str) -> bool:
    """Whether a text is more than labels and signs; numbers alone can be (1917, 9-1-1)."""
    return (
        not _NO_TITLE.fullmatch(simplify(text)) or re.fullmatch(r"[\d\- .:]*\d[\d\- .:]*", text) is not None
    )


def _tidy(title: str) -> str:
    """Separators of release names become spaces; what hangs over at the ends goes."""
    title = re.sub(r"(?<=\S)[._](?=\S)(?<!\d[._](?=\d))", " ", title)
    title = re.sub(r"\s{2,}", " ", title.strip(_SPACE))
    title = (
        re.sub(r"(?:\s+[-–—|·+&~★]+|[:：,，、;；\-–—|(（\[【]+)$", "", title).strip(_SPACE)
        if not re.search(r"\S-\S.*\S-$|-\S.*-$", title)
        else title
    )
    return title.strip("*\"' ")


def _split(title: str) -> list[str]:
    """A title written in two languages, one behind the other."""
    if not _HAS_CJK.search(title):
        return [title]
    found = re.match(rf"^(?P<cjk>.*[{_CJK}]\S*)\s+(?P<latin>[A-Za-z0-9][^{_CJK}]*)$", title)
    if (
        found
        and re.search(r"[A-Za-z]{2}|^[A-Z]$", found["latin"])
        and not _ROMAN.fullmatch(found["latin"].strip())
    ):
        cjk, latin = found["cjk"], found["latin"].strip()
        number = re.match(r"(\d{1,2})\s+(?=\D)", latin)
        if number and number[1] not in cjk:
            cjk, latin = f"{cjk}{number[1]}", latin[number.end() :]
        return [cjk, latin]
    found = re.match(rf"^(?P<latin>[A-Za-z0-9][^{_CJK}]{{2,80}}?)\s+(?P<cjk>[{_CJK}].*)$", title)
    if found and re.search(r"[a-z]{2}|×", found["latin"]) and not re.search(r"[A-Za-z]", found["cjk"]):
        return [found["cjk"], found["latin"]]
    found = re.match(rf"^(?P<cjk>[{_CJK}·：:！!？?\d\s]+)(?P<latin>[A-Z][a-z][^{_CJK}]{{2,}})$", title)
    return [found["cjk"].strip(), found["latin"].strip()] if found else [title]
