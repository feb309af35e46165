"""How often a remote may be asked: one bucket of tokens per remote, and the time until which it refuses everybody.

Callers queue in order of arrival: each takes its tokens at once, if need be on credit, and sleeps until they are
earned. What is left in the buckets is kept in the cache's file every 30 s, so that a restart doesn't begin with a
burst; refusals (429, risk control) are kept in the database, because forgetting one costs more than a burst.
Parameters come with each call, so a changed setting acts at once.
"""

import asyncio
import json
import logging
import math
from dataclasses import dataclass
from functools import partial

from ..model.errors import StoreError
from ..ports import Clock
from ..store import marks
from ..store.database import Database

_LOGGER = logging.getLogger(__name__)

REGION = "limits"
#: More remotes than an installation has; the least used are forgotten.
KEPT = 200
FLUSH_EVERY = 30.0
MARK = "blocked:"
#: A remote's word on how long it wants to be left alone is believed up to here (s).
LONGEST_BLOCK = 86_400.0
#: Waiting callers are spread by up to this part of their wait, and by no more than this (s).
JITTER, MOST_JITTER = 0.1, 0.5
#: So many failures in a row open the breaker, for so long (s).
FAILURES, BREAK = 5, 60.0


@dataclass(frozen=True, slots=True)
class Grant:
    """Whether the remote may be asked now; `until` (ms) is when it may be worth trying again."""

    ok: bool
    until: int | None = None


@dataclass(slots=True)
class _Bucket:
    level: float
    at: float
    blocked_until: int = 0
    failures: int = 0
    dirty: bool = False


class Limits:
    """The buckets of all remotes, by key: `site:tmdb`, `site:115`, `site:llm:<host>`.

    Without a database, and while it fails, everything is kept in memory only.
    """

    def __init__(self, db: Database | None, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}
        self._loading: dict[str, asyncio.Task[_Bucket]] = {}
        self._flusher: asyncio.Task[None] | None = None
        self._warned = False

    async def acquire(
        self, key: str, cost: float = 1.0, *, capacity: float, refill: float, wait: float
    ) -> Grant:
        """Wait at most `wait` seconds for `cost` tokens of a bucket that holds `capacity` and earns `refill` a second.

        A refill of 0 or infinity means no interval: then only a refusal of the remote can make anybody wait.
        """
        bucket = await self._bucket(key)
        limited = 0 < refill < math.inf
        deadline = self._clock.monotonic() + wait
        if limited:
            self._earn(bucket, capacity, refill)
            needed = min(cost, capacity)
            short = max(0.0, needed - bucket.level) / refill
        else:
            needed = short = 0.0
        delay = max(short, self._blocked(bucket))
        if delay > wait:
            return Grant(False, self._clock.now() + math.ceil(delay * 1000))
        bucket.level -= needed
        bucket.dirty = bucket.dirty or limited
        try:
            while delay > 0:
                spread = min(delay * JITTER, MOST_JITTER) * self._clock.random()
                await self._clock.sleep(delay + spread)
                # A refusal may have come while waiting.
                delay = self._blocked(bucket)
                if delay > 0 and self._clock.monotonic() + delay > deadline:
                    bucket.level += needed
                    return Grant(False, bucket.blocked_until)
        except asyncio.CancelledError:
            bucket.level += needed
            raise
        return Grant(True)

    async def block(self, key: str, until: int) -> None:
        """The remote refuses everything until then (ms); a shorter refusal doesn't end a longer one."""
        bucket = await self._bucket(key)
        until = min(until, self._clock.now() + round(LONGEST_BLOCK * 1000))
        if until <= bucket.blocked_until:
            return
        bucket.blocked_until = until
        if self._db is not None:
            try:
                await self._db.run(partial(marks.put, key=MARK + key, value=str(until)))
            except StoreError as error:
                self._warn(error)

    async def blocked_until(self, key: str) -> int | None:
        """Until when (ms) the remote refuses everything, None where it doesn't."""
        bucket = await self._bucket(key)
        return bucket.blocked_until if self._blocked(bucket) > 0 else None

    def worked(self, key: str) -> None:
        """The remote answered."""
        if (bucket := self._buckets.get(key)) is not None:
            bucket.failures = 0

    def failed(self, key: str) -> bool:
        """The remote gave no answer; after some failures in a row nobody asks for a while, and that returns True."""
        bucket = self._buckets.get(key)
        if bucket is None:
            return False
        bucket.failures += 1
        if bucket.failures < FAILURES:
            return False
        # One more try when the time is over, then again a break: no reason to count from the beginning.
        bucket.failures = FAILURES - 1
        until = self._clock.now() + round(BREAK * 1000)
        bucket.blocked_until = max(bucket.blocked_until, until)
        return True

    def start(self) -> None:
        """Begin to keep the buckets' levels."""
        if self._flusher is None:
            self._flusher = asyncio.create_task(self._flush_forever(), name="reelay limits")

    async def stop(self) -> None:
        """Keep them once more and stop."""
        if self._flusher is not None:
            self._flusher.cancel()
            await asyncio.gather(self._flusher, return_exceptions=True)
            self._flusher = None
        await self.flush()

    async def flush(self) -> None:
        """Write the levels that changed."""
        if self._db is None:
            return
        now, here = self._clock.now(), self._clock.monotonic()
        for key, bucket in self._buckets.items():
            if not bucket.dirty:
                continue
            bucket.dirty = False
            at = now - round((here - bucket.at) * 1000)
            value = json.dumps({"level": round(bucket.level, 4), "at": at})
            try:
                await self._db.cache.put(REGION, key, value, expires=now + 86_400_000, now=now, limit=KEPT)
            except StoreError as error:
                self._warn(error)
                return

    async def _flush_forever(self) -> None:
        while True:
            await self._clock.sleep(FLUSH_EVERY)
            await self.flush()

    def _earn(self, bucket: _Bucket, capacity: float, refill: float) -> None:
        now = self._clock.monotonic()
        bucket.level = min(capacity, bucket.level + max(0.0, now - bucket.at) * refill)
        bucket.at = now

    def _blocked(self, bucket: _Bucket) -> float:
        return max(0.0, (bucket.blocked_until - self._clock.now()) / 1000)

    async def _bucket(self, key: str) -> _Bucket:
        if (bucket := self._buckets.get(key)) is not None:
            return bucket
        task = self._loading.get(key)
        if task is None:
            task = asyncio.create_task(self._load(key), name="reelay bucket")
            self._loading[key] = task
        return await asyncio.shield(task)

    async def _load(self, key: str) -> _Bucket:
        bucket = _Bucket(level=math.inf, at=self._clock.monotonic())
        try:
            if self._db is not None:
                now = self._clock.now()
                kept = await self._db.cache.get(REGION, key, now)
                blocked = await self._db.read(lambda tx: marks.get(tx, MARK + key))
                bucket.blocked_until = int(blocked or 0)
                if kept is not None:
                    facts = json.loads(kept)
                    bucket.level = float(facts["level"])
                    bucket.at -= max(0, now - int(facts["at"])) / 1000
        except StoreError as error:
            self._warn(error)
        except (ValueError, KeyError, TypeError) as error:
            _LOGGER.debug("A kept level can't be read: %s", type(error).__name__)
        self._buckets[key] = bucket
        self._loading.pop(key, None)
        return bucket

    def _warn(self, error: StoreError) -> None:
        if not self._warned:
            self._warned = True
            _LOGGER.warning("Rate limits are kept in memory only: %s", error.key)
