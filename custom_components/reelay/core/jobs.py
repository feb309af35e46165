"""Periodic work in the background: the daily tidying of what has been kept long enough."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from .model.errors import StoreError
from .ports import Clock
from .store import maintenance
from .store.database import Database

_LOGGER = logging.getLogger(__name__)

FIRST = 600.0
EVERY = 86_400.0
BETWEEN_SLICES = 0.05


class Housekeeping:
    """Removes old rows once a day, in slices with pauses, so that nobody waits for it."""

    def __init__(self, db: Database, clock: Clock, removed: Callable[[], Awaitable[None]]) -> None:
        self._db = db
        self._clock = clock
        self._removed = removed
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; the first round comes a while after the start."""
        self._loop = asyncio.create_task(self._run(), name="reelay housekeeping")

    async def stop(self) -> None:
        """Stop; a round that is cut goes on the next day."""
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
            self._loop = None

    async def _run(self) -> None:
        wait = FIRST
        while True:
            await self._clock.sleep(wait)
            wait = EVERY
            try:
                await self.tidy()
            except StoreError as err:
                _LOGGER.warning("Old rows could not be removed: %s", err.key)

    async def tidy(self) -> int:
        """One round; tells how many rows went."""
        total = 0
        while count := await self._db.run(lambda tx: maintenance.prune(tx, self._clock.now())):
            total += count
            await self._clock.sleep(BETWEEN_SLICES)
        if total:
            await self._removed()
        return total
