"""Pick-up, dedup and dashboard look-ups through the public door: what a large history costs.

Calls at both sizes alternate, so that whatever else the machine does hits both alike.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from statistics import median
from typing import Any

from custom_components.reelay.core.clock import SystemClock
from custom_components.reelay.core.decide import stored
from custom_components.reelay.core.model.offer import Kind, Work
from custom_components.reelay.core.model.states import Lane, State
from custom_components.reelay.core.policy.schema import Policy
from custom_components.reelay.core.queries import Queries
from custom_components.reelay.core.store import batches, messages, outbox, resources, tasks
from custom_components.reelay.core.store.database import Database, Tx

from . import figures, films
from .running import Rules
from .stock import SOURCES, ended, stock

SMALL, MEDIUM, LARGE = 1_000, 100_000, 1_000_000
CALLS = 300
DAY = 86_400_000

type Look = Callable[[], Awaitable[object]]


def measure(runs: int, *, small: bool) -> dict[str, Any]:
    """p95 per look-up at both sizes in ms, and how many times as long the large one takes."""
    large = MEDIUM if small else LARGE
    for size in (SMALL, large):
        stock(size)
    return {"tasks": [SMALL, large]} | asyncio.run(_measure(runs, large))


async def _measure(runs: int, large: int) -> dict[str, Any]:
    few, many = await _Stock.open(SMALL), await _Stock.open(large)
    try:
        pairs = {
            name: (look, other)
            for (name, look), other in zip(few.looks().items(), many.looks().values(), strict=True)
        }
        return {name: await _compare(pair, runs) for name, pair in pairs.items()}
    finally:
        await few.close()
        await many.close()


async def _compare(pair: tuple[Look, Look], runs: int) -> dict[str, Any]:
    await _times(pair, CALLS // 5)
    rounds = [await _times(pair, CALLS) for _ in range(runs)]
    p95 = [tuple(figures.percentile(times, 0.95) * 1000 for times in both) for both in rounds]
    p50 = [tuple(median(times) * 1000 for times in both) for both in rounds]
    return figures.at_most(1.5, [many / few for few, many in p95], 2) | {
        "p95_ms": [round(median(one[size] for one in p95), 3) for size in (0, 1)],
        "p50_ms": [round(median(one[size] for one in p50), 3) for size in (0, 1)],
    }


async def _times(pair: tuple[Look, Look], calls: int) -> tuple[list[float], list[float]]:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(calls):
        for look, kept in zip(pair, times, strict=True):
            began = time.perf_counter()
            await look()
            kept.append(time.perf_counter() - began)
    return times


class _Stock:
    """A database of some size and what is asked of it; which task it is about is random."""

    def __init__(self, db: Database, size: int, counts: dict[tuple[str, State], int]) -> None:
        self._db = db
        self._size = size
        self._counts = Counter(counts)
        self._random = random.Random(size)
        self._policy = Policy(provider="demo")
        clock = SystemClock()
        self._queries = Queries(db=db, clock=clock, settings=Rules(), stage_of=_no_stage, count=self._count)

    @classmethod
    async def open(cls, size: int) -> _Stock:
        db = await Database.open(stock(size) / "reelay.db", clock=SystemClock())
        return cls(db, size, await db.read(tasks.counts))

    async def close(self) -> None:
        await self._db.close()

    def looks(self) -> dict[str, Look]:
        """Every look-up by name."""
        lists: dict[str, dict[str, Any]] = {
            "newest": {},
            "waiting": {"states": ("pending_approval",)},
            "attention": {"attention": True},
            "done": {"states": ("done",)},
            "skipped_of_source": {"states": ("skipped", "rejected"), "source": "telegram:-1004"},
        }
        looks: dict[str, Look] = {
            "pick_up": self._pick_up,
            "dedup_message": self._dedup_message,
            "dedup_resource": self._dedup_resource,
            "dedup_content": self._dedup_content,
            "numbers": self._numbers,
            "one_task": self._one_task,
            "older_page": self._older_page,
        }
        return looks | {f"list_{name}": self._listing(filters) for name, filters in lists.items()}

    def _any(self) -> int:
        return self._random.randint(1, self._size)

    def _count(self, states: Collection[State], source: str | None, at_rest: bool) -> int:
        return sum(
            count
            for (where, state), count in self._counts.items()
            if (not states or state in states) and source in (None, where)
        )

    async def _pick_up(self) -> object:
        now = ended(self._size)

        def read(tx: Tx) -> object:
            return tasks.ready(tx, Lane.TRANSFER, now, 16), tasks.next_due(tx, Lane.TRANSFER, now)

        return await self._db.read(read)

    async def _dedup_message(self) -> object:
        number = self._any()
        source, name = f"telegram:-100{number % SOURCES}", str(100_000 + number)
        return await self._db.read(lambda tx: messages.latest(tx, source, name))

    async def _dedup_resource(self) -> object:
        code, provider, root = films.code(self._any()), self._policy.provider, self._policy.root

        def read(tx: Tx) -> object:
            return (
                resources.get(tx, provider, root, f"share:{code}"),
                batches.manifested(tx, provider, root, code),
                tasks.open_for_offer(tx, f"share:{code}"),
            )

        return await self._db.read(read)

    async def _dedup_content(self) -> object:
        number = self._any()
        work = Work(kind=Kind.FILM, title=films.title(number), year=films.year(number))
        provider, root = self._policy.provider, self._policy.root
        return await self._db.read(lambda tx: stored.view(tx, provider, root, work))

    async def _numbers(self) -> object:
        today = ended(self._size) - DAY // 2
        return await self._db.read(
            lambda tx: (tasks.stored_since(tx, today), tasks.oldest_waiting(tx), outbox.backlog(tx))
        )

    async def _one_task(self) -> object:
        return await self._queries.get_task(self._any())

    async def _older_page(self) -> object:
        return await self._queries.list_tasks(before=max(60, self._any()))

    def _listing(self, filters: dict[str, Any]) -> Look:
        return lambda: self._queries.list_tasks(**filters)


async def _no_stage(_: Policy) -> str:
    return "demo"
