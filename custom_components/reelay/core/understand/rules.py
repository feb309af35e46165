"""The deterministic reader of messages: what the words say about the work, without a model and without a catalogue."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ..media import release, wordings
from ..media.episodes import from_name
from ..media.titles import simplify
from ..media.wordings import Wording
from ..model.message import Message
from ..model.offer import Kind, Offer, Parsed, Release, Runs, compact
from . import codes, ed2k, naming, nature, shares
from .lines import Field, Line, lines, unmarked
from .naming import Naming
from .nature import Nature
from .text import Words, clean, narrow, words

_FILM = re.compile(
    r"电影(?!节|网|频道|资源|分享)|影片(?!更新)|剧场版|院线|\bmovies?\b|\bfilms?\b", re.IGNORECASE
)
_SERIES = re.compile(
    r"电视剧|连续剧|剧集|番剧|[日国美]番|新番|国漫|日漫|美漫|动漫|综艺|真人秀|脱口秀|短剧"
    r"|[美英韩日泰港台国]剧|欧美剧|国产剧|日韩剧|追剧|电视节目|纪录片|记录片|\btv\b|\bseries\b",
    re.IGNORECASE,
)
_TAG = re.compile(r"#([^\s#]{1,40})")
_TMDB = re.compile(
    r"(?:tmdb\s?-?(?:id|编号)?\s?[:=#\-]?\s?|themoviedb\.org/(?P<path>movie"
    r"|tv)/)(?P<id>\d{1,8})(?![\d.]|\s?分)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d)")
_DATE_LINE = re.compile(
    r"^\W*(?:\d{4}\s?年)?\s?\d{1,2}\s?月\s?\d{1,2}\s?[日号](?:\s?(?:更新|周.|星期.))?\W*$"
    r"|^\W*\d{4}[-./]\d{1,2}[-./]\d{1,2}\W*$"
)
_NO_NAME = re.compile(
    r"^\W*(?:影片)?更新通知|请您检阅|^\W*文件数|复制这段|^\W*点击|^\W*点按钮|^\W*复制|^\W*@"
    r"|^\W*(?:每日|今日)更新|^\W*标签|^\W*(?:频道|群组|投稿|来自|转自|转发)|^\W*https?:"
    r"|^\W*ed2k:|^\W*本?资源|^\W*失效|^\W*链接失效|^\W*已?失效"
    r"|^\W*\W?\s?\d{1,3}(?:\.\d)?(?:\s?分)?$"
)
_NAMELESS = frozenset(
    {
        Field.TYPE,
        Field.QUALITY,
        Field.SIZE,
        Field.TAGS,
        Field.STORY,
        Field.FILES,
        Field.LINK,
        Field.OTHER,
        Field.YEAR,
        Field.TMDB,
    }
)
_SILENT = frozenset(
    {
        Field.STORY,
        Field.FILES,
        Field.TAGS,
        Field.LINK,
        Field.OTHER,
        Field.SIZE,
        Field.TMDB,
        Field.TYPE,
        Field.YEAR,
        Field.ALIAS,
    }
)
_UNPACKED = frozenset({Field.STORY, Field.FILES, Field.LINK, Field.TYPE})
_MOST_LINES = 12
#: What is read out of a longer text isn't remembered.
_LONGEST_KEPT = 8_192


def parse(message: Message, offer: Offer) -> Parsed:
    """Read a message for one of its offers; where it offers several works, that offer's own words come first."""
    text = words(message)
    read = _parse if len(text.full) <= _LONGEST_KEPT else _parse.__wrapped__
    return read(text, offer, message.person is not None)


# A message is read when it comes, for what makes an edit matter, and again when it is identified, which in a burst
# is much later.
@lru_cache(maxsize=1024)
def _parse(text: Words, offer: Offer, meant: bool) -> Parsed:
    """`meant`: a person handed it in, so it is no advert."""
    offers = offer.share is not None or offer.ed2k_count > 0
    what = Nature.MEDIA if meant else nature.of(text, offers)
    whole, _ = _read(Words(text.full, _without_codes(text.spoken)), offer)
    parsed = whole if offer.hint is None else _own(_without_codes(clean(offer.hint)), whole)
    return parsed.model_copy(
        update={
            "is_media": what is Nature.MEDIA,
            "is_ad": what is Nature.ADVERT,
            "retracted": what is Nature.RETRACTED,
        }
    )


def _without_codes(text: str) -> str:
    """The text with access codes taken out, links stay."""
    plain = narrow(text)
    pieces: list[str] = []
    at = 0
    for start, end in sorted(codes.stated(plain, shares.places(plain))):
        if start >= at:
            pieces += [text[at:start], " " * (end - start)]
            at = end
    return "".join([*pieces, text[at:]])


def _own(hint: str, whole: Parsed) -> Parsed:
    """One offer's own words; what they leave open is said for all offers at once."""
    own, sure = _read(Words(hint, hint), None)
    named = own.title is not None
    shared: dict[str, object] = {"kind": own.kind if sure else whole.kind or own.kind}
    if not named:
        for name in ("title", "original_title", "other_titles", "year", "tmdb_id", "collection"):
            shared[name] = getattr(own, name) or getattr(whole, name)
    if own.year is None and not named:
        shared["year_of_season"] = whole.year_of_season
    if not own.seasons and not own.episodes and not named:
        for name in ("seasons", "episodes", "complete", "declared_total", "part", "air_date"):
            shared[name] = getattr(whole, name)
    packed = own.release.model_dump(exclude_defaults=True)
    shared["release"] = (
        Release.model_validate(whole.release.model_dump() | packed) if not named else own.release
    )
    return own.model_copy(update=shared)


def _read(text: Words, offer: Offer | None) -> tuple[Parsed, bool]:
    """What a text says, and whether it says the kind rather than suggests it."""
    rows = lines(text.spoken)
    row, name = _name(rows)
    only_files = offer is not None and offer.share is None
    names = [link.name for _, _, link in ed2k.spans(text.full)] if only_files else []
    if names and not name.title:
        name = _from_file(names[0], name)
    numbering = _numbering(rows, row)
    if names:
        numbering = _with_files(numbering, names)
    tmdb, tmdb_path = _tmdb(text.full)
    year = name.year or _field_year(rows)
    said = _kind(rows, row, name, numbering, tmdb_path)
    kind = said or (Kind.FILM if year is not None else None)
    seasons = numbering.seasons
    titles = _titles(rows, name)
    parsed = Parsed(
        is_media=True,
        kind=kind,
        title=titles[0],
        original_title=titles[1],
        other_titles=titles[2],
        year=year,
        year_of_season=_of_season(name, seasons),
        seasons=seasons if kind is not Kind.FILM else (),
        episodes=numbering.episodes if kind is not Kind.FILM else (),
        complete=_complete(numbering, kind),
        declared_total=numbering.total if kind is not Kind.FILM else None,
        part=numbering.part if kind is not Kind.FILM else None,
        air_date=_full_date(numbering.date, year),
        tmdb_id=tmdb,
        collection=name.collection,
        release=_release(rows, names),
    )
    return parsed, said is not None


def _name(rows: Sequence[Line]) -> tuple[Line | None, Naming]:
    """The line that names the work: a labelled one, or the first that can, rather one with a year or numbers."""
    for field in (Field.TITLE, Field.KIND):
        for row in rows:
            if row.field is field and row.value:
                found = naming.read(row.value)
                if found.title:
                    return row, found
    best: tuple[int, Line, Naming] | None = None
    candidates = [row for row in rows if row.field is Field.TEXT or row.field not in _NAMELESS]
    for row in [row for row in candidates if row.field is Field.TEXT][:8]:
        text = simplify(naming.without_links(row.value)).strip()
        if _DATE_LINE.match(text) or _NO_NAME.search(text) or not re.search(r"\w", text):
            continue
        found = naming.read(row.value)
        if not found.title:
            continue
        score = 2 * (found.year is not None) + (found.numbering_at is not None) + ("《" in row.value)
        score += release.starts(row.value) is not None
        if best is None or score > best[0] + 1:
            best = (score, row, found)
    if best:
        return best[1], best[2]
    aliases = next((row for row in rows if row.field is Field.ALIAS and row.value), None)
    return (aliases, naming.read(aliases.value)) if aliases else (None, Naming())


def _from_file(file: str, name: Naming) -> Naming:
    found = naming.read(file)
    return Naming(
        title=found.title, original=found.original, year=name.year or found.year, collection=name.collection
    )


def _titles(rows: Sequence[Line], name: Naming) -> tuple[str | None, str | None, tuple[str, ...]]:
    """The title, the one in the other script, and all others that the message lists."""
    found: list[str] = [*filter(None, (name.title, name.original)), *name.others]
    for row in rows:
        if row.field in (Field.ALIAS, Field.TITLE) and row.value:
            for part in re.split(r"\s?[/／|｜;；]\s?", row.value)[:8]:
                read = naming.read(part)
                found += [*filter(None, (read.title, read.original))]
    found = list(dict.fromkeys(found))
    title = name.title
    chinese = [each for each in found if re.search(r"[\u3040-\u30ff\u3400-\u9fff]", each)]
    latin = [each for each in found if each not in chinese]
    if title is not None and title in latin and chinese:
        title = chinese[0]
    original = name.original or next((each for each in latin if each != title), None)
    return title, original, tuple(each for each in found if each not in (title, original))[:8]


def _numbering(rows: Sequence[Line], title: Line | None) -> Wording:
    """What the naming line says, then the fields about numbering, then free lines near the top."""
    order = [title] if title else []
    order += [row for row in rows if row.field is Field.NUMBERING]
    order += [row for row in rows if row.field in (Field.TEXT, Field.KIND, Field.QUALITY, Field.TITLE)][
        :_MOST_LINES
    ]
    seen: list[Wording] = []
    for row in dict.fromkeys(order):
        if row.field in _SILENT:
            continue
        value = naming.without_links(row.value)
        if row.field is Field.NUMBERING:
            value = _labelled_number(row, value)
        found = wordings.read(value)
        if not found.empty or found.part:
            seen.append(found)
    return _merge(seen)


def _labelled_number(row: Line, value: str) -> str:
    """A number alone takes its unit from its label: 集数：12, 季：2, 更新至：8."""
    alone = re.fullmatch(r"\W*(\d{1,4})\W*", value)
    if not alone:
        return f"{row.label}{value}" if simplify(row.label).startswith("更新至") else value
    label = simplify(row.label)
    if "季" in label and "集" not in label:
        return f"第{alone[1]}季"
    return f"更新至{alone[1]}集" if label.startswith("更新") else f"共{alone[1]}集"


def _merge(found: Iterable[Wording]) -> Wording:
    """The first word on each question counts; numbers outrank a claim of completeness."""
    found = list(found)
    seasons = next((each.seasons for each in found if each.seasons), ())
    episodes: Runs = next((each.episodes for each in found if each.episodes), ())
    return Wording(
        seasons=seasons,
        episodes=episodes,
        complete=any(each.complete for each in found) and not episodes,
        total=next((each.total for each in found if each.total), None),
        part=next((each.part for each in found if each.part), None),
        date=next((each.date for each in found if each.date), None),
        special=any(each.special for each in found),
        crossing=any(each.crossing for each in found),
    )


def _with_files(said: Wording, names: Sequence[str]) -> Wording:
    """ed2k links name their files: those are what is there, whatever the text plans."""
    facts = [from_name(name) for name in names]
    numbers = {
        number
        for each in facts
        if each.first is not None and not each.bare
        for number in range(each.first, (each.last or each.first) + 1)
    }
    if not numbers or said.episodes:
        return said
    seasons = said.seasons or tuple(sorted({each.season for each in facts if each.season is not None}))
    return Wording(
        seasons=seasons,
        episodes=compact(numbers) if len(seasons) < 2 else (),
        complete=False,
        total=said.total,
        part=said.part,
        date=said.date,
        special=said.special,
    )


def _kind(
    rows: Sequence[Line], row: Line | None, name: Naming, numbering: Wording, tmdb: str | None
) -> Kind | None:
    """Numbers make a series; else labels, categories and tags, then signs; None where nothing says it."""
    said = [row.label if row and row.field is Field.KIND else "", name.category]
    said += [each.value for each in rows if each.field is Field.TYPE]
    said += [" ".join(_TAG.findall(each.value)) for each in rows]
    said += [
        row.label if row and row.field is Field.TITLE else "",
        name.rest[:80],
        name.title if name.collection and name.title else "",
    ]
    kinds = [found for text in said if (found := _named_kind(text))]
    numbered = bool(
        numbering.seasons or numbering.episodes or numbering.total or numbering.date or numbering.special
    )
    if numbered:
        return Kind.SERIES
    if kinds:
        return kinds[0]
    if numbering.complete and not name.collection:
        return Kind.SERIES
    sign = row.decor if row and row.decor else row.value[:4] if row else ""
    if re.search("[📺]", sign):
        return Kind.SERIES
    if re.search("[🎬🎥🎞]", sign):
        return Kind.FILM
    if tmdb:
        return Kind.FILM if tmdb == "movie" else Kind.SERIES
    everything = [
        found
        for each in rows[:_MOST_LINES]
        if each.field is Field.TEXT and (found := _named_kind(each.value))
    ]
    if everything:
        return everything[0]
    if numbering.part:
        return Kind.SERIES
    return Kind.FILM if name.collection else None


def _named_kind(text: str) -> Kind | None:
    plain = simplify(text)
    if _FILM.search(plain):
        return Kind.FILM
    return Kind.SERIES if _SERIES.search(plain) else None


def _complete(numbering: Wording, kind: Kind | None) -> bool:
    """Said to be whole, or a season without any episode: that means the season."""
    if kind is not Kind.SERIES or numbering.episodes or numbering.date:
        return False
    if numbering.complete:
        return True
    return bool(set(numbering.seasons) - {0} or numbering.part) and not numbering.crossing


def _of_season(name: Naming, seasons: tuple[int, ...]) -> bool:
    """A year written behind a later season is that season's (黑镜 第七季 (2025)), before it the series'."""
    if len(seasons) != 1 or seasons[0] < 2 or name.year_at is None or name.numbering_at is None:
        return False
    return name.numbering_at < name.year_at


def _full_date(day: str | None, year: int | None) -> str | None:
    return f"{year}{day[1:]}" if day and day.startswith("--") and year else day


def _field_year(rows: Sequence[Line]) -> int | None:
    for row in rows:
        if row.field is Field.YEAR and (found := _YEAR.search(row.value)):
            return int(found[1])
    for row in rows:
        if row.field is Field.OTHER and "上映" in row.value and (found := _YEAR.search(row.value)):
            return int(found[1])
    return None


def _tmdb(full: str) -> tuple[int | None, str | None]:
    """The one id a message states; several ids are several works."""
    found = {int(each["id"]): each["path"] for each in _TMDB.finditer(narrow(unmarked(full)))}
    if len(found) != 1:
        return None, None
    return next(iter(found.items()))


def _release(rows: Sequence[Line], names: Sequence[str]) -> Release:
    """What the lines say about packing; ed2k names fill in what they leave open."""
    said = "\n".join(naming.without_addresses(row.value) for row in rows if row.field not in _UNPACKED)
    found = release.parse(said[:8_000])
    if not names:
        return found
    named = release.parse("\n".join(names)[:8_000])
    return named.model_copy(update=found.model_dump(exclude_defaults=True))
