"""What the library is known to hold of a work, as far as a decision needs it."""

from dataclasses import dataclass

from ..model.offer import Kind, Offer, Parsed, Work, expand
from ..model.share import FILM_EPISODE, FILM_SEASON
from ..store import library, resources, works
from ..store.database import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredView:
    """Stored (season, episode) pairs: `pairs` of surely the same work, `weak` of one that may be another.

    Films use FILM_SEASON and FILM_EPISODE. Rows marked gone aren't stored. `seen`: exactly these ed2k links have
    been brought in before; a share may have grown since, its listing tells.
    """

    pairs: frozenset[tuple[int, int]] = frozenset()
    weak: frozenset[tuple[int, int]] = frozenset()
    seen: bool = False


NOTHING = StoredView()


def view(tx: Tx, provider: str, root: str, work: Work | None, offer: Offer | None = None) -> StoredView:
    """Look a work, and the offer's ed2k links, up in the library of one provider and root."""
    only_links = offer is not None and offer.share is None and offer.ed2k_count > 0
    seen = only_links and offer is not None and resources.get(tx, provider, root, offer.key) is not None
    if work is None:
        return StoredView(seen=seen)
    candidates = works.same(tx, work)
    sure = [row for row, weak in candidates if not weak]
    unsure = [row for row, weak in candidates if weak]
    return StoredView(
        pairs=_pairs(tx, provider, root, sure), weak=_pairs(tx, provider, root, unsure), seen=seen
    )


def _pairs(tx: Tx, provider: str, root: str, rows: list[int]) -> frozenset[tuple[int, int]]:
    if not rows:
        return frozenset()
    return frozenset((row.season, row.episode) for row in library.stored(tx, provider, root, rows, None))


def wanted(parsed: Parsed) -> frozenset[tuple[int, int]]:
    """What an offer surely contains by its words; empty where that can't be told without its files."""
    if parsed.collection or parsed.part or parsed.air_date:
        return frozenset()
    if parsed.kind is Kind.FILM:
        return frozenset({(FILM_SEASON, FILM_EPISODE)})
    if parsed.kind is not Kind.SERIES or len(parsed.seasons) != 1:
        return frozenset()
    numbers = expand(parsed.episodes)
    if not numbers and parsed.complete and parsed.declared_total:
        numbers = frozenset(range(1, parsed.declared_total + 1))
    return frozenset((parsed.seasons[0], number) for number in numbers)
