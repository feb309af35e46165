"""How sure an identification is: the sum of signals that can be checked, each kept with what it gave.

Without a year or an explicit id the sum stays below the usual threshold: titles alone aren't an identity.
"""

from ..model.context import ShareFacts
from ..model.decision import Signals
from ..model.offer import Kind, Parsed, Work
from .match import agreement

_TITLE, _KIND, _YEAR, _EPISODES, _LINK, _SHARE = 0.34, 0.14, 0.28, 0.12, 0.04, 0.08
_CONTRADICTION = 0.25


def signals(parsed: Parsed, work: Work | None, share: ShareFacts | None) -> Signals:
    """Weigh what is known. `share` is None where nobody could look, and then says nothing."""
    agrees = agreement(parsed, share) if share else 0.0
    parts = {
        "title": _TITLE if work is not None and work.title else 0.0,
        "kind": _KIND if parsed.kind is not None else 0.0,
        "year": _YEAR * _year(parsed),
        "episodes": _EPISODES * _episodes(parsed, share),
        "link": _LINK if parsed.is_media else 0.0,
        "share": (_SHARE if agrees > 0 else _CONTRADICTION) * agrees,
    }
    total = sum(parts.values())
    return Signals(
        total=round(min(max(total, 0.0), 1.0), 4),
        parts={name: round(value, 4) for name, value in parts.items()},
    )


def _year(parsed: Parsed) -> float:
    """An id is as good as a year; the year of a later season narrows less."""
    if parsed.tmdb_id is not None:
        return 1.0
    if parsed.year is None:
        return 0.0
    return 0.5 if parsed.year_of_season else 1.0


def _episodes(parsed: Parsed, share: ShareFacts | None) -> float:
    """A film needs none; a series needs to say which, or a listing whose names will."""
    if parsed.kind is not Kind.SERIES:
        return 1.0
    if parsed.episodes or parsed.complete:
        return 1.0
    return 0.5 if parsed.seasons or (share is not None and share.videos > 0) else 0.0
