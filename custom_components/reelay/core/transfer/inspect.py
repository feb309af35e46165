"""A look into a share without changing anything, remembered for a while so that asking again is free."""

from collections import OrderedDict

from ..drives.base import Drive
from ..model.offer import ShareRef
from ..model.share import Listing
from ..ports import Clock
from ..understand.match import facts

__all__ = ["Inspector", "facts"]

KEEP_MS = 15 * 60_000
KEEP_LISTINGS = 64
KEEP_FILES = 100_000


class Inspector:
    """Reads shares for questions and confidence. A transfer never asks it: preparing always lists anew.

    Listings are kept for 15 minutes, at most 64 shares and 100,000 files together. Errors are not kept.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str, str | None], Listing] = OrderedDict()

    async def look(self, drive: Drive, ref: ShareRef, *, fresh: bool = False) -> Listing:
        """The share's listing, at most 15 minutes old, or read now where it must be `fresh`."""
        key = (drive.name, ref.code, ref.receive_code)
        known = self._kept.get(key)
        if known is not None and not fresh and self._clock.now() - known.taken < KEEP_MS:
            self._kept.move_to_end(key)
            return known
        listing = await drive.list_share(ref.code, ref.receive_code)
        self._kept[key] = listing
        self._kept.move_to_end(key)
        self._trim()
        return listing

    def forget(self, code: str) -> None:
        """Drop what is remembered about a share."""
        for key in [key for key in self._kept if key[1] == code]:
            del self._kept[key]

    def _trim(self) -> None:
        while len(self._kept) > 1 and (
            len(self._kept) > KEEP_LISTINGS
            or sum(len(listing.entries) for listing in self._kept.values()) > KEEP_FILES
        ):
            self._kept.popitem(last=False)
