"""Answers that can be fetched again: each region with its limit, each entry with its own expiry.

Equal questions that are asked at the same time are asked once. An error of the cache is a miss, warned about once.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from ..model.errors import StoreError
from ..ports import Clock
from ..store.cache_db import CacheDb

_LOGGER = logging.getLogger(__name__)

SWEEP_EVERY = 600.0
#: An entry that is to live on while it is used is written again when it is older than this (s).
RENEWED_AFTER = 86_400.0

type Fetch = Callable[[], Awaitable[Any]]
#: Region, key, fresh, oldest age: equal ones are asked once.
type Question = tuple[str, str, bool, float | None]


class Cache:
    """JSON values by region and key. `None` is a value too: that there is nothing."""

    def __init__(self, db: CacheDb, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._asked: dict[Question, tuple[asyncio.Task[Any], set[object]]] = {}
        self._sweeper: asyncio.Task[None] | None = None
        self._warned = False

    async def cached(
        self,
        region: str,
        key: str,
        fetch: Fetch,
        *,
        ttl: float,
        limit: int,
        skip_none: bool = True,
        skip_if: Callable[[Any], bool] | None = None,
        empty_ttl: float | None = None,
        fresh: bool = False,
        max_age: float | None = None,
        renew: bool = False,
    ) -> Any:
        """The kept value, or what `fetch` answers; what it raises is raised and never kept. Times in seconds.

        None, and what `skip_if` says, isn't kept; with `empty_ttl` nothing, [] and {} are kept for that long.
        `fresh` doesn't read; `max_age` takes older entries for absent; `renew` lets an entry live on while it is used.
        """

        async def find() -> Any:
            if not fresh:
                kept = await self.get(region, key, max_age=max_age, renew=(ttl, limit) if renew else None)
                if kept is not None:
                    return kept[0]
            value = await fetch()
            nothing = value is None and skip_none and empty_ttl is None
            if not nothing and (skip_if is None or not skip_if(value)):
                empty = empty_ttl is not None and (value is None or value in ([], {}))
                lives = empty_ttl if empty and empty_ttl is not None else ttl
                await self.put(region, key, value, ttl=lives, limit=limit)
            return value

        # Reading and keeping belong to the question: whoever comes when it has ended finds what was kept.
        return await self._once((region, key, fresh, max_age), find)

    async def get(
        self,
        region: str,
        key: str,
        *,
        max_age: float | None = None,
        renew: tuple[float, int] | None = None,
    ) -> tuple[Any] | None:
        """What is kept, in a tuple because None is a value; `renew` is the time it gets anew, and the limit."""
        now = self._clock.now()
        try:
            text = await self._db.get(region, key, now)
            if text is None:
                return None
            entry = json.loads(text)
            value, at, kept = entry["value"], int(entry["at"]), int(entry["kept"])
        except (StoreError, ValueError, KeyError, TypeError) as error:
            self._warn(error)
            return None
        if max_age is not None and now - at > max_age * 1000:
            return None
        if renew is not None and value is not None and now - kept > RENEWED_AFTER * 1000:
            await self.put(region, key, value, ttl=renew[0], limit=renew[1], at=at)
        return (value,)

    async def put(
        self, region: str, key: str, value: Any, *, ttl: float, limit: int, at: int | None = None
    ) -> None:
        """Keep a value for `ttl` seconds; 0 or less forgets it. `at` is when it was fetched (ms), now by default."""
        now = self._clock.now()
        try:
            if ttl <= 0:
                await self._db.drop(region, key)
                return
            entry = {"at": now if at is None else at, "kept": now, "value": value}
            text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
            expires = now + round(ttl * 1000)
            await self._db.put(region, key, text, expires=expires, now=now, limit=limit)
        except StoreError as error:
            self._warn(error)

    async def drop(self, region: str, key: str) -> None:
        """Forget a value."""
        await self.put(region, key, None, ttl=0, limit=0)

    async def sweep(self) -> int:
        """Remove what expired; tells how many entries."""
        total = 0
        try:
            while count := await self._db.sweep(self._clock.now()):
                total += count
        except StoreError as error:
            self._warn(error)
        return total

    def start(self) -> None:
        """Begin to sweep every ten minutes."""
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep_forever(), name="reelay cache sweep")

    async def stop(self) -> None:
        """Stop sweeping, and what is being fetched for nobody."""
        tasks = [task for task, _ in self._asked.values()]
        if self._sweeper is not None:
            tasks.append(self._sweeper)
            self._sweeper = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _sweep_forever(self) -> None:
        while True:
            await self._clock.sleep(SWEEP_EVERY)
            await self.sweep()

    async def _once(self, name: Question, fetch: Fetch) -> Any:
        """Join a question that is being asked; it ends when nobody waits for it any more."""
        found = self._asked.get(name)
        if found is None or found[0].done():
            task: asyncio.Task[Any] = asyncio.ensure_future(_call(fetch))
            found = self._asked[name] = (task, set())
            task.add_done_callback(lambda done: self._forget(name, done))
        task, waiting = found
        me = object()
        waiting.add(me)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            waiting.discard(me)
            if not waiting:
                task.cancel()
                # Whoever comes now asks anew.
                self._forget(name, task)
            raise

    def _forget(self, name: Question, task: asyncio.Task[Any]) -> None:
        if task.done() and not task.cancelled():
            # Its callers were told, or they are gone.
            task.exception()
        if (found := self._asked.get(name)) is not None and found[0] is task:
            del self._asked[name]

    def _warn(self, error: Exception) -> None:
        if not self._warned:
            self._warned = True
            _LOGGER.warning("The cache can't be used, everything is fetched anew: %s", error)


async def _call(fetch: Fetch) -> Any:
    return await fetch()
