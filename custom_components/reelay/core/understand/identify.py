"""Identification: one function for the stage that decides and for previews. Nothing here is kept."""

from collections.abc import Awaitable, Callable, Mapping, Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from ..model.context import Correction, ShareFacts
from ..model.decision import Signals
from ..model.errors import ReelayError
from ..model.message import Message
from ..model.offer import Kind, Offer, Parsed, ShareRef, Work
from ..model.share import Listing
from ..policy.schema import Policy
from . import match, rules
from .confidence import signals

#: Reads a share completely; raises a classed error where it can't.
Look = Callable[[ShareRef], Awaitable[Listing]]
#: The ids of a share's files that earlier manifests brought in.
Earlier = Callable[[ShareRef], Awaitable[AbstractSet[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identified:
    """What is concluded about an offer; `work` is None where title or kind are missing."""

    parsed: Parsed
    work: Work | None
    share: ShareFacts | None
    signals: Signals


async def identify(
    message: Message,
    offer: Offer,
    policy: Policy,
    *,
    correction: Correction | None = None,
    fields: Mapping[str, Any] | None = None,
    look: Look | None = None,
    earlier: Earlier | None = None,
) -> Identified:
    """Read the message, look into the share and weigh both.

    `fields` are values of `Parsed` that plugins say; a person's `correction` outranks them.
    A classed error of `look` becomes the named signal `missing`; the caller decides whether that may wait.
    """
    parsed = rules.parse(message, offer)
    if fields:
        # Validated, not copied: plugins give plain values ("series", lists).
        parsed = Parsed.model_validate(parsed.model_dump() | dict(fields))
    parsed = corrected(parsed, correction)
    share = await _look(offer, look, earlier) if parsed.is_media else None
    work = work_of(parsed)
    return Identified(parsed=parsed, work=work, share=share, signals=signals(parsed, work, share))


def revised(found: Identified, fields: Mapping[str, Any], correction: Correction | None) -> Identified:
    """What was concluded, with values of `Parsed` that somebody knows better; a person's word outranks them."""
    parsed = corrected(Parsed.model_validate(found.parsed.model_dump() | dict(fields)), correction)
    work = work_of(parsed)
    return replace(found, parsed=parsed, work=work, signals=signals(parsed, work, found.share))


def corrected(parsed: Parsed, correction: Correction | None) -> Parsed:
    """What a person said outranks what was read; it also says that this is media."""
    if correction is None:
        return parsed
    changes: dict[str, object] = {
        name: value
        for name in ("title", "year", "seasons", "tmdb_id")
        if (value := getattr(correction, name)) not in (None, ())
    }
    if correction.kind is not None:
        changes["kind"] = Kind(correction.kind)
    if "title" in changes and changes["title"] != parsed.title:
        changes |= {"original_title": None, "other_titles": ()}
    if "year" in changes:
        changes["year_of_season"] = False
    return parsed.model_copy(
        update=changes | {"is_media": True, "is_ad": False, "retracted": False, "parser": "person"}
    )


def work_of(parsed: Parsed) -> Work | None:
    """The work as far as the message tells; the year of a later season is not the year of the series."""
    if parsed.kind is None or not parsed.title:
        return None
    names = (parsed.original_title, *parsed.other_titles)
    titles = tuple(dict.fromkeys(name for name in names if name and name != parsed.title))
    year = None if parsed.year_of_season else parsed.year
    return Work(kind=parsed.kind, title=parsed.title, titles=titles, year=year, tmdb=parsed.tmdb_id)


async def _look(offer: Offer, look: Look | None, earlier: Earlier | None) -> ShareFacts | None:
    if offer.share is None or look is None:
        return None
    try:
        listing = await look(offer.share)
    except ReelayError as err:
        return ShareFacts(missing=str(err.code))
    return match.facts(listing, await earlier(offer.share) if earlier else frozenset())
