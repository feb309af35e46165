"""A remote is asked no more often than it likes, in order of arrival, also after a restart."""

import asyncio
import logging
from pathlib import Path

import pytest

from custom_components.reelay.core.remote.limits import BREAK, FAILURES, Grant, Limits
from custom_components.reelay.core.store.database import Database
from tests.fakes.clock import FakeClock

KEY = "site:x"


async def take(
    limits: Limits, *, wait: float = 0, capacity: float = 2, refill: float = 1, cost: float = 1
) -> Grant:
    return await limits.acquire(KEY, cost, capacity=capacity, refill=refill, wait=wait)


async def settle(clock: FakeClock, tasks: list[asyncio.Task[Grant]]) -> None:
    await clock.run_until(lambda: all(task.done() for task in tasks))


async def test_a_burst_passes_and_then_tokens_are_earned(clock: FakeClock) -> None:
    limits = Limits(None, clock)
    assert [(await take(limits)).ok for _ in range(3)] == [True, True, False]
    refused = await take(limits)
    assert refused == Grant(False, clock.now() + 1000)
    await clock.advance(1)
    assert [(await take(limits)).ok for _ in range(2)] == [True, False]
    await clock.advance(100)
    assert [(await take(limits)).ok for _ in range(3)] == [True, True, False], "no more than the capacity"


async def test_who_waits_is_served_in_order_of_arrival(clock: FakeClock) -> None:
    limits = Limits(None, clock)
    served: list[tuple[int, float]] = []

    async def caller(number: int) -> Grant:
        grant = await take(limits, wait=60)
        served.append((number, clock.monotonic()))
        return grant

    tasks = [asyncio.create_task(caller(number)) for number in range(8)]
    await settle(clock, tasks)
    assert [number for number, _ in served] == list(range(8))
    for number, at in served[2:]:
        assert number - 1 <= at <= (number - 1) * 1.1 + 0.01, "jitter is at most a tenth"
    assert len({round(at, 3) for _, at in served[2:]}) == 6


async def test_who_would_wait_too_long_is_told_at_once_and_takes_nothing(clock: FakeClock) -> None:
    limits = Limits(None, clock)
    await take(limits, cost=2)
    assert not (await take(limits, wait=0.5)).ok
    tasks = [asyncio.create_task(take(limits, wait=1))]
    await settle(clock, tasks)
    assert tasks[0].result().ok


async def test_a_cancelled_caller_gives_its_tokens_back(clock: FakeClock) -> None:
    limits = Limits(None, clock)
    await take(limits, cost=2)
    waiting = asyncio.create_task(take(limits, wait=60, cost=2))
    await clock.advance(0.1)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await clock.advance(1.9)
    assert (await take(limits, cost=2)).ok


async def test_more_than_the_capacity_costs_all_of_it(clock: FakeClock) -> None:
    limits = Limits(None, clock)
    assert (await take(limits, cost=50)).ok
    assert not (await take(limits)).ok


async def test_a_changed_setting_acts_at_once(clock: FakeClock) -> None:
    limits = Limits(None, clock)
    assert [(await take(limits, capacity=1)).ok for _ in range(2)] == [True, False]
    await clock.advance(0.1)
    assert (await take(limits, capacity=5, refill=100)).ok
    await clock.advance(100)
    assert [(await take(limits, capacity=1)).ok for _ in range(2)] == [True, False]


@pytest.mark.parametrize("refill", [0.0, float("inf")])
async def test_without_an_interval_nothing_is_counted_or_kept(
    clock: FakeClock, db: Database, refill: float
) -> None:
    limits = Limits(db, clock)
    assert all([(await take(limits, refill=refill)).ok for _ in range(100)])
    await limits.flush()
    assert await db.cache.get("limits", KEY, clock.now()) is None
    await limits.block(KEY, clock.now() + 5000)
    assert not (await take(limits, refill=refill)).ok


async def test_a_refusal_stops_everybody_until_it_ends(clock: FakeClock) -> None:
    limits = Limits(None, clock)
    await limits.block(KEY, clock.now() + 10_000)
    await limits.block(KEY, clock.now() + 5_000)
    assert await take(limits) == Grant(False, clock.now() + 10_000)
    waiting = asyncio.create_task(take(limits, wait=20))
    await settle(clock, [waiting])
    assert waiting.result().ok
    assert clock.monotonic() >= 10
    assert await limits.blocked_until(KEY) is None
    assert (await limits.acquire("site:other", capacity=1, refill=1, wait=0)).ok


async def test_a_refusal_that_comes_while_waiting_counts_too(clock: FakeClock) -> None:
    limits = Limits(None, clock)
    await take(limits, cost=2)
    patient, hasty = (asyncio.create_task(take(limits, wait=wait)) for wait in (60, 5))
    await clock.advance(0.1)
    await limits.block(KEY, clock.now() + 30_000)
    await settle(clock, [patient, hasty])
    assert (patient.result().ok, hasty.result().ok) == (True, False)
    assert clock.monotonic() >= 30


async def test_an_endless_refusal_is_believed_for_a_day(clock: FakeClock) -> None:
    limits = Limits(None, clock)
    await limits.block(KEY, clock.now() + 10**12)
    until = await limits.blocked_until(KEY)
    assert until == clock.now() + 86_400_000


async def test_levels_and_refusals_outlive_a_restart(clock: FakeClock, db: Database) -> None:
    limits = Limits(db, clock)
    await take(limits, cost=2)
    await limits.stop()
    again = Limits(db, clock)
    assert not (await take(again)).ok
    await clock.advance(1)
    assert [(await take(Limits(db, clock))).ok] == [True], "what was earned meanwhile counts"
    await again.block(KEY, clock.now() + 60_000)
    assert await Limits(db, clock).blocked_until(KEY) == clock.now() + 60_000


async def test_levels_are_kept_every_thirty_seconds(clock: FakeClock, db: Database) -> None:
    limits = Limits(db, clock)
    limits.start()
    commits = db.commits
    await take(limits, cost=2)
    assert await db.cache.get("limits", KEY, clock.now()) is None
    await clock.advance(31)
    for _ in range(100):
        if await db.cache.get("limits", KEY, clock.now()):
            break
        await asyncio.sleep(0.01)
    assert await db.cache.get("limits", KEY, clock.now())
    assert db.commits == commits, "never in the database itself"
    await limits.stop()


async def test_a_failing_database_leaves_a_bucket_in_memory_and_one_warning(
    tmp_path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    db = await Database.open(tmp_path / "r.db", clock=clock, cache=tmp_path / "c.db")
    limits = Limits(db, clock)
    await db.close()
    with caplog.at_level(logging.WARNING):
        assert [(await take(limits)).ok for _ in range(3)] == [True, True, False]
        await limits.block(KEY, clock.now() + 5000)
        await limits.flush()
        assert (await limits.acquire("site:other", capacity=1, refill=1, wait=0)).ok
    assert await limits.blocked_until(KEY)
    assert len(caplog.records) == 1


async def test_failures_in_a_row_open_the_breaker_and_one_success_closes_it(clock: FakeClock) -> None:
    limits = Limits(None, clock)
    await take(limits)
    assert [limits.failed(KEY) for _ in range(FAILURES - 1)] == [False] * (FAILURES - 1)
    limits.worked(KEY)
    assert [limits.failed(KEY) for _ in range(FAILURES)] == [False] * (FAILURES - 1) + [True]
    assert not (await take(limits)).ok
    await clock.advance(BREAK)
    assert (await take(limits)).ok
    assert limits.failed(KEY), "one more failure is enough for the next break"
    assert not limits.failed("site:never asked")


async def test_first_callers_share_what_is_read(clock: FakeClock, db: Database) -> None:
    limits = Limits(db, clock)
    found = await asyncio.gather(*(take(limits) for _ in range(10)))
    assert sum(grant.ok for grant in found) == 2
