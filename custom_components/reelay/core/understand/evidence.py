"""What a text bears out: the ground on which a model's words are believed, and on which rules are sure of theirs.

A model reads; it doesn't know. A title, a year or a number counts only where the message itself has it.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from ..media import numerals, release, titles, wordings
from ..model.offer import Kind, Parsed
from . import codes, ed2k, shares
from .text import narrow

#: A post has 4,096 characters; what it is about stands in them.
LONGEST = 4_096
_LONGEST_TITLE = 120
_TELLING = re.compile(r"themoviedb\.org/(?:movie|tv)/\d|imdb\.com/title/tt\d|douban\.com/subject/\d")
_BARE_CODE = re.compile(r"(?<=\[link\])[ \t]{0,3}#?[ \t]{0,3}[A-Za-z0-9]{4}(?![A-Za-z0-9])")
_YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d|[pPkK]\b|\s?[x×])")
_PACKING = re.compile(
    r"\d{3,4}[pPiI](?![A-Za-z])|(?<![\d.])[248][kK](?![A-Za-z])|[xXhH]\.?26[456]|\d{1,3}\s?(?:bit|fps|帧|Hz)"
    r"|\d+(?:\.\d+)?\s?[KMGT]i?B?(?![A-Za-z])|\d\.\d(?:\.\d)?|\d{3,4}\s?[x×]\s?\d{3,4}",
    re.IGNORECASE,
)
_HAN = re.compile("[零〇一二两兩三四五六七八九十百千]{1,7}")
_ROMAN = re.compile(r"(?<![A-Za-z])[IVX]{1,5}(?![A-Za-z])|[\u2160-\u216b]")
_SPECIAL = re.compile(r"特[别別典]|番外|(?<![A-Za-z])(?:SP|OVA|OAD|S00|specials?)(?![a-z])", re.IGNORECASE)
_TMDB = re.compile(r"(?:tmdb|themoviedb)[^\d\n]{0,24}(\d{1,8})(?!\d)", re.IGNORECASE)
#: Paths, links, control characters, and what looks like a share code.
_UNFIT = re.compile(
    r"\.\.|//|\\|https?:|[\x00-\x1f\x7f]|\[link\]|^\s*sw(?=\w*\d)[a-z0-9]{6,}\s*$", re.IGNORECASE
)
_EDGE = " \t*_~|/.,:;·，。：；、<>《》「」『』【】[]\"'“”‘’`-–—"
_ODD = re.compile(
    r"https?:|[\[\]【】|#@]|更新|完结|合集|全集|链接|資源|资源|网盘|下载|分享|投稿|频道|推荐|第\S{1,3}[季集部期]",
    re.IGNORECASE,
)
_LONGEST_PLAIN = {True: 60, False: 24}


@dataclass(frozen=True)
class Evidence:
    """One text as far as it can bear out what somebody says about it."""

    text: str

    def title(self, said: str | None) -> str | None:
        """A title that stands in the text, tidied; None for one that doesn't, or that can't be one."""
        if not said or len(said) > _LONGEST_TITLE or _UNFIT.search(said):
            return None
        tidy = " ".join(said.split()).strip(_EDGE)
        folded = titles.words(tidy)
        if not folded:
            return None
        if folded.isascii():
            return tidy if f" {folded} " in f" {self._words} " else None
        return tidy if titles.key(tidy) in self._key else None

    def year(self, said: int | None) -> bool:
        """Whether a year is written out."""
        return said is not None and said in self.years

    def number(self, said: int) -> bool:
        """Whether a number of a season or an episode is written, in whatever numerals."""
        return said in self.numbers or (said == 0 and _SPECIAL.search(self.text) is not None)

    def tmdb(self, said: int | None) -> bool:
        """Whether an id stands behind the catalogue's name."""
        return said is not None and any(int(found[1]) == said for found in _TMDB.finditer(self._plain))

    def has(self, marker: str) -> bool:
        """Whether a word about packing is written."""
        folded = titles.words(marker)
        return bool(folded) and folded.replace(" ", "") in self._key

    @cached_property
    def years(self) -> frozenset[int]:
        """All numbers that can be years."""
        return frozenset(int(found[1]) for found in _YEAR.finditer(self._plain))

    @cached_property
    def numbers(self) -> frozenset[int]:
        """All numbers that aren't words about packing."""
        bare = _PACKING.sub(" ", self._plain)
        found = {int(digits) for digits in re.findall(r"\d{1,5}", bare)}
        found |= {value for word in _HAN.findall(bare) if (value := numerals.number(word)) is not None}
        found |= {value for word in _ROMAN.findall(bare) if (value := numerals.roman(word)) is not None}
        return frozenset(found)

    @cached_property
    def complete(self) -> bool:
        """Whether a line says that all of it is there."""
        return any(wordings.read(line[:300]).complete for line in self.text.splitlines()[:60])

    @cached_property
    def _plain(self) -> str:
        return narrow(self.text)

    @cached_property
    def _words(self) -> str:
        return titles.words(self.text)

    @cached_property
    def _key(self) -> str:
        return self._words.replace(" ", "")


def redacted(text: str) -> str:
    """The text without links and access codes: nobody outside needs them, and equal posts become equal questions.

    Links to catalogues stay, and so do the names of ed2k files.
    """
    text = text[: 4 * LONGEST]
    plain = narrow(text)
    places = shares.places(plain)
    cuts = [(start, end, f"[file: {link.name[:300]}]") for start, end, link in ed2k.spans(text)]
    cuts += [(place.start, place.end, "[link]") for place in places]
    cuts += [
        (start, end, "[link]")
        for start, end in shares.addresses(text)
        if not _TELLING.search(plain[start:end])
    ]
    cuts += [(start, end, "") for start, end in codes.stated(plain, places)]
    pieces: list[str] = []
    at = 0
    for start, end, instead in sorted(cuts):
        if start >= at:
            pieces += [text[at:start], instead]
        at = max(at, end)
    whole = "".join([*pieces, text[at:]])
    return _BARE_CODE.sub("", whole).strip()[:LONGEST]


def doubts(parsed: Parsed, evidence: Evidence) -> tuple[str, ...]:
    """What the rules can't be sure of and a reader might know better; nothing where asking can't help.

    A year that nobody wrote is none: a model could only invent it.
    """
    if not parsed.is_media:
        return ()
    found: list[str] = []
    if parsed.title is None or not _plain_title(parsed.title):
        found.append("title")
    if parsed.kind is None:
        found.append("kind")
    if parsed.year is None and parsed.tmdb_id is None and evidence.years:
        found.append("year")
    numbered = parsed.episodes or parsed.complete or parsed.air_date or len(parsed.seasons) > 1
    if parsed.kind is Kind.SERIES and not numbered and evidence.numbers - {parsed.year or -1}:
        found.append("numbers")
    return tuple(found)


def _plain_title(title: str) -> bool:
    """Whether it looks like a title and like nothing else."""
    longest = _LONGEST_PLAIN[title.isascii()]
    if len(title) > longest or _ODD.search(title) or titles.key(title).isdecimal():
        return False
    return not release.packing(title) and wordings.read(title).empty
