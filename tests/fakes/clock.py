"""A clock that stands still until a test moves it."""

import asyncio
import heapq
import itertools
import random
import time
from collections.abc import Callable

#: 2026-03-01 12:00 UTC
START = 1_772_366_400_000


class FakeClock:
    """The Clock of a test: `advance` moves time and wakes sleepers in order; nothing else does.

    After each wake-up the event loop gets `turns` turns, so that what the sleeper does next, sleeping again
    included, has happened before time goes on.
    """

    def __init__(self, start: int = START, *, seed: int = 1, turns: int = 20) -> None:
        self._start = start
        self._seconds = 0.0
        self._random = random.Random(seed)
        self._tokens = itertools.count(1)
        self._order = itertools.count()
        self._turns = turns
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> int:
        return self._start + round(self._seconds * 1000)

    def monotonic(self) -> float:
        return self._seconds

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._seconds + seconds, next(self._order), future))
        await future

    def random(self) -> float:
        return self._random.random()

    def token(self) -> str:
        return f"t{next(self._tokens):07d}"

    @property
    def sleepers(self) -> int:
        """How many wait."""
        return sum(not future.done() for _, _, future in self._sleepers)

    @property
    def next_wake(self) -> float | None:
        """Seconds until the next sleeper is due, None if nobody sleeps."""
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)
        return max(0.0, self._sleepers[0][0] - self._seconds) if self._sleepers else None

    async def advance(self, seconds: float) -> None:
        """Let time pass."""
        end = self._seconds + seconds
        await self._settle()
        while (wait := self.next_wake) is not None and self._seconds + wait <= end:
            self._seconds = max(self._seconds, self._sleepers[0][0])
            heapq.heappop(self._sleepers)[2].set_result(None)
            await self._settle()
        self._seconds = end
        await self._settle()

    async def run_until(
        self, condition: Callable[[], bool], *, limit: float = 3600.0, patience: float = 5.0
    ) -> None:
        """Let time pass from sleeper to sleeper until `condition` holds.

        `limit` is in seconds of this clock. Threads run in real time, so while nobody sleeps they are given up
        to `patience` real seconds.
        """
        end = self._seconds + limit
        idle_since = time.monotonic()
        while True:
            await self._settle()
            if condition():
                return
            await asyncio.sleep(0.001)
            wait = self.next_wake
            if wait is not None and self._seconds + wait <= end:
                await self.advance(wait)
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since > patience:
                raise TimeoutError(f"not within {limit} s")

    def jump(self, seconds: float) -> None:
        """Set the time on at once, without waking anybody, as after a suspend."""
        self._seconds += seconds

    async def _settle(self) -> None:
        for _ in range(self._turns):
            await asyncio.sleep(0)
