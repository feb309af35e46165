"""Filters: small pure rules in a table. Each looks at the facts and gives one reason or none."""

from collections.abc import Callable
from dataclasses import dataclass

from ..model.context import ShareFacts
from ..model.decision import Code, Reason, Verdict
from ..model.offer import Parsed
from ..policy.schema import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a filter may look at."""

    parsed: Parsed
    share: ShareFacts | None
    policy: Policy


type Filter = Callable[[Facts], Reason | None]


def advert(facts: Facts) -> Reason | None:
    """Adverts are rejected, also those that carry a share."""
    return Reason(code=Code.ADVERT) if facts.parsed.is_ad else None


def retracted(facts: Facts) -> Reason | None:
    """A message that says its own link is dead."""
    return Reason(code=Code.RETRACTED) if facts.parsed.retracted else None


def not_media(facts: Facts) -> Reason | None:
    """Requests, search results, software, books."""
    other = not (facts.parsed.is_media or facts.parsed.is_ad or facts.parsed.retracted)
    return Reason(code=Code.NOT_MEDIA) if other else None


def kind(facts: Facts) -> Reason | None:
    """A kind the owner doesn't want; an unknown kind is a question, not a filter."""
    found = facts.parsed.kind
    if found is None or found.value in facts.policy.kinds:
        return None
    return Reason(code=Code.FILTERED_KIND, data={"kind": found.value})


def resolution(facts: Facts) -> Reason | None:
    """A resolution the owner doesn't want; messages that state none pass."""
    found = facts.parsed.release.resolution
    wanted = {each.casefold() for each in facts.policy.resolutions}
    if found is None or not wanted or found.casefold() in wanted:
        return None
    return Reason(code=Code.FILTERED_RESOLUTION, data={"resolution": found})


def size(facts: Facts) -> Reason | None:
    """More than the owner allows, by the share's listing or else by the message."""
    limit = facts.policy.max_size
    known = facts.share.size if facts.share and facts.share.size else facts.parsed.release.size
    if limit is None or known is None or known <= limit:
        return None
    return Reason(code=Code.FILTERED_SIZE, data={"size": known, "limit": limit})


#: In the order in which reasons are told.
FILTERS: tuple[tuple[Verdict, Filter], ...] = (
    (Verdict.REJECT, advert),
    (Verdict.SKIP, retracted),
    (Verdict.SKIP, not_media),
    (Verdict.SKIP, kind),
    (Verdict.SKIP, resolution),
    (Verdict.SKIP, size),
)


def apply(facts: Facts) -> tuple[tuple[Verdict, Reason], ...]:
    """Every filter's objection, with what it leads to."""
    found = ((verdict, rule(facts)) for verdict, rule in FILTERS)
    return tuple((verdict, reason) for verdict, reason in found if reason is not None)
