"""A person's correction in words: "Dune 2021", "三体 第1季", "tmdb:693134 film"."""

import re

from ..model.context import Correction
from ..model.offer import Kind

LIMIT = 200

_TMDB = re.compile(
    r"(?:tmdb[\s:#=-]{0,3}(?:id[\s:#=-]{0,3})?|themoviedb\.org/(?P<kind>movie|tv)/)(?P<id>\d{1,9})",
    re.IGNORECASE,
)
_SEASON = re.compile(
    r"(?:\bS(?:eason\s{0,2})?0{0,2}(?P<latin>\d{1,2})\b|第\s{0,2}(?P<han>\d{1,2})\s{0,2}季)", re.IGNORECASE
)
_YEAR = re.compile(r"(?<!\d)\(?(?P<year>(?:19|20)\d{2})\)?(?!\d)")
_KIND = {
    "film": Kind.FILM,
    "movie": Kind.FILM,
    "电影": Kind.FILM,
    "series": Kind.SERIES,
    "tv": Kind.SERIES,
    "show": Kind.SERIES,
    "剧集": Kind.SERIES,
    "电视剧": Kind.SERIES,
}


def read(text: str) -> Correction:
    """What the words say; an empty `Correction` where they say nothing usable.

    The last year in the text is the year, so that titles that are years ("1917 2019") stay whole.
    """
    rest = " ".join(text[:LIMIT].split())
    tmdb = seasons = kind = year = None
    if match := _TMDB.search(rest):
        tmdb = int(match["id"])
        kind = {"movie": Kind.FILM, "tv": Kind.SERIES}.get((match["kind"] or "").lower())
        rest = rest[: match.start()] + " " + rest[match.end() :]
    if match := _SEASON.search(rest):
        seasons, kind = (int(match["latin"] or match["han"]),), Kind.SERIES
        rest = rest[: match.start()] + " " + rest[match.end() :]
    years = list(_YEAR.finditer(rest))
    if years and rest.strip() != years[-1].group():
        year = int(years[-1]["year"])
        rest = rest[: years[-1].start()] + " " + rest[years[-1].end() :]
    words = rest.split()
    if words and words[-1].lower() in _KIND and (len(words) > 1 or tmdb is not None):
        kind = _KIND[words.pop().lower()]
    title = " ".join(words).strip(" -–—:：,，.。/")
    return Correction(title=title or None, year=year, kind=kind, seasons=seasons or (), tmdb_id=tmdb)
