"""Whether two works are the same one: the single answer for claims, duplicates, subscriptions and statistics."""

from enum import StrEnum

from ..model.offer import Work
from . import titles


class Same(StrEnum):
    """`WEAK`: as far as known the same, but a year is missing; good for a question, never for skipping."""

    SAME = "same"
    WEAK = "weak"
    DIFFERENT = "different"


def keys(work: Work) -> frozenset[str]:
    """The keys of all titles the work is known by."""
    return frozenset(found for title in (work.title, *work.titles) if (found := titles.key(title)))


def same(a: Work, b: Work) -> Same:
    """Compare two works. Symmetric, not transitive: never merge works because of it."""
    if a.kind is not b.kind:
        return Same.DIFFERENT
    if a.tmdb is not None and b.tmdb is not None:
        return Same.SAME if a.tmdb == b.tmdb else Same.DIFFERENT
    if keys(a).isdisjoint(keys(b)):
        return Same.DIFFERENT
    if a.year is None or b.year is None:
        return Same.WEAK
    return Same.SAME if a.year == b.year else Same.DIFFERENT
