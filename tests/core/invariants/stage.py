"""Time that jumps as soon as nobody has anything to do, and a database without threads: runs that repeat exactly."""

import asyncio
import heapq
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Self

from custom_components.reelay.core.store import opening
from custom_components.reelay.core.store.cache_db import CacheDb
from tests.fakes.clock import START, FakeClock


class VirtualClock(FakeClock):
    """Passes time from sleeper to sleeper, each time after everything that can run has run.

    `busy` tells of work in threads, which is waited for. `skew` moves the wall clock alone, as a time server does.
    """

    def __init__(
        self, start: int = START, *, seed: int = 1, busy: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__(start, seed=seed)
        self.busy = busy
        self.skew = 0.0
        self.on_time: Callable[[], None] = lambda: None

    def now(self) -> int:
        return super().now() + round(self.skew * 1000)

    async def advance(self, seconds: float) -> None:
        """Let time pass. Somebody who sleeps until a moment that doesn't come is told apart from one who waits."""
        end = self._seconds + seconds
        await self.settle()
        while (wait := self.next_wake) is not None and self._seconds + wait <= end:
            self._seconds = max(self._seconds, self._sleepers[0][0])
            self.on_time()
            heapq.heappop(self._sleepers)[2].set_result(None)
            await self.settle()
        self._seconds = end
        self.on_time()
        await self.settle()

    async def settle(self, turns: int | None = None) -> None:
        """Let everything run that can, or for so many turns of the loop only."""
        ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
        taken = 0
        await asyncio.sleep(0)
        while (ready or self.busy()) and taken != turns:
            taken += 1
            if not ready:
                # Give the threads the interpreter.
                time.sleep(0.00005)
            if taken > 200_000:
                raise TimeoutError("somebody is busy forever without time passing")
            await asyncio.sleep(0)


class Drive:
    """The account's own clock: a skewed wall clock here changes nothing there."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock

    def now(self) -> int:
        return self._clock.now() - round(self._clock.skew * 1000)

    def monotonic(self) -> float:
        return self._clock.monotonic()

    async def sleep(self, seconds: float) -> None:
        await self._clock.sleep(seconds)

    def random(self) -> float:
        return self._clock.random()

    def token(self) -> str:
        return self._clock.token()


class Switch:
    """The process's life: once it's dead nothing that was going on has any further effect."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.dead = False
        #: Commits until it dies; None: lives on.
        self.commits_left: int | None = None

    async def pass_through(self) -> None:
        """Let others get their turn, now and then several; whoever is dead stays here."""
        for _ in range(self.random.choice((0, 0, 1, 2, 5))):
            await asyncio.sleep(0)
        if self.dead:
            await asyncio.get_running_loop().create_future()

    def commit(self) -> bool:
        """Count a commit down; False where the process dies before it."""
        if self.commits_left is not None:
            self.commits_left -= 1
            if self.commits_left <= 0:
                self.dead = True
                return self.random.random() < 0.5
        return True


class InlineDatabase:
    """`store.database.Database` on the event loop: the same promises, no threads, each call at a random moment.

    `switch` belongs to the process, so it's put on the class by whoever starts one.
    """

    switch: Switch
    opened: InlineDatabase

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cache = CacheDb(None)
        self.wal = True
        self.commits = self.functions = 0
        self.on_statement = None
        self._lock = opening.lock(path.parent)
        self.tx, _ = opening.prepare(path)
        self.tx.execute("PRAGMA synchronous = OFF")
        self._line = asyncio.Lock()
        self._switch = type(self).switch
        self._closed = False

    @classmethod
    async def open(cls, path: Path, *, clock: Any, cache: Path | None = None) -> Self:
        database = cls(path)
        InlineDatabase.opened = database
        return database

    async def run[T](self, fn: Callable[[sqlite3.Connection], T], *, interactive: bool | None = None) -> T:
        async with self._line:
            await self._switch.pass_through()
            self.tx.execute("BEGIN IMMEDIATE")
            self.functions += 1
            try:
                result = fn(self.tx)
            except BaseException:
                self.tx.execute("ROLLBACK")
                await self._switch.pass_through()
                raise
            if not self._switch.commit():
                self.tx.execute("ROLLBACK")
            else:
                self.tx.execute("COMMIT")
                self.commits += 1
        await self._switch.pass_through()
        return result

    async def read[T](self, fn: Callable[[sqlite3.Connection], T], *, interactive: bool | None = None) -> T:
        await self._switch.pass_through()
        result = fn(self.tx)
        await self._switch.pass_through()
        return result

    async def checkpoint(self, truncate: bool) -> bool:
        return True

    def hold_checkpoints(self) -> None:
        return None

    def release_checkpoints(self) -> None:
        return None

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.tx.close()
            os.close(self._lock)
