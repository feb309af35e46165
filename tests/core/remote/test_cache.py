"""What was fetched is kept for its time, and asked once however many want it."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from custom_components.reelay.core.remote.cache import Cache
from custom_components.reelay.core.store.database import Database
from tests.fakes.clock import FakeClock


class Source:
    """Answers one value after the other, the last one for ever."""

    def __init__(self, *values: Any) -> None:
        self.values = list(values)
        self.calls = 0
        self.gate: asyncio.Event | None = None

    async def __call__(self) -> Any:
        self.calls += 1
        if self.gate is not None:
            await self.gate.wait()
        value = self.values.pop(0) if len(self.values) > 1 else self.values[0]
        if isinstance(value, Exception):
            raise value
        return value


@pytest.fixture
def cache(db: Database, clock: FakeClock) -> Cache:
    return Cache(db.cache, clock)


async def ask(cache: Cache, source: Source, key: str = "k", **how: Any) -> Any:
    return await cache.cached("r", key, source, **({"ttl": 100, "limit": 10} | how))


async def test_a_value_is_fetched_once_in_its_time(cache: Cache, clock: FakeClock) -> None:
    source = Source({"a": "沙丘"}, 2)
    assert [await ask(cache, source) for _ in range(3)] == [{"a": "沙丘"}] * 3
    clock.jump(100)
    assert await ask(cache, source) == 2
    assert await ask(cache, Source(3), key="other") == 3


async def test_what_fetching_raises_is_raised_and_never_kept(cache: Cache) -> None:
    source = Source(ValueError("x"), 1)
    with pytest.raises(ValueError, match="x"):
        await ask(cache, source)
    assert await ask(cache, source) == 1


async def test_nothing_is_kept_only_where_wanted(cache: Cache, clock: FakeClock) -> None:
    assert (await ask(cache, Source(None, 1)), await ask(cache, Source(1))) == (None, 1)
    source = Source(None, 1)
    assert [await ask(cache, source, key="n", empty_ttl=10) for _ in range(2)] == [None, None]
    clock.jump(10)
    assert await ask(cache, source, key="n", empty_ttl=10) == 1
    empty = Source([], 1)
    assert [await ask(cache, empty, key="e", empty_ttl=10) for _ in range(2)] == [[], []]
    clock.jump(10)
    assert await ask(cache, empty, key="e", empty_ttl=10) == 1
    kept = Source(None, 1)
    assert [await ask(cache, kept, key="s", skip_none=False) for _ in range(2)] == [None, None]


async def test_what_is_to_be_skipped_is_not_kept(cache: Cache) -> None:
    source = Source("ambiguous", "clear")
    found = [await ask(cache, source, skip_if=lambda value: value == "ambiguous") for _ in range(3)]
    assert found == ["ambiguous", "clear", "clear"]


async def test_a_fresh_question_does_not_read_but_keeps(cache: Cache) -> None:
    source = Source(1, 2)
    assert [await ask(cache, source), await ask(cache, source, fresh=True), await ask(cache, source)] == [
        1,
        2,
        2,
    ]


async def test_an_entry_can_be_too_old_for_one_caller(cache: Cache, clock: FakeClock) -> None:
    source = Source(1, 2)
    await ask(cache, source)
    clock.jump(50)
    assert await ask(cache, source, max_age=60) == 1
    assert await ask(cache, source, max_age=40) == 2


async def test_what_is_used_can_live_on_without_looking_younger(cache: Cache, clock: FakeClock) -> None:
    source, day = Source(1, 2), 86_400
    for _ in range(10):
        assert await ask(cache, source, ttl=3 * day, renew=True) == 1
        clock.jump(2 * day)
    assert await ask(cache, source, ttl=3 * day, max_age=day) == 2


async def test_equal_questions_at_the_same_time_are_one(cache: Cache) -> None:
    source = Source(7)
    source.gate = asyncio.Event()
    asked = [asyncio.create_task(ask(cache, source)) for _ in range(10)]
    await asyncio.sleep(0.05)
    asked[0].cancel()
    source.gate.set()
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert found[1:] == [7] * 9
    assert isinstance(found[0], asyncio.CancelledError)
    assert source.calls == 1


async def test_a_question_that_nobody_waits_for_ends(cache: Cache) -> None:
    source = Source(7)
    source.gate = asyncio.Event()
    asked = [asyncio.create_task(ask(cache, source)) for _ in range(2)]
    await asyncio.sleep(0.05)
    for each in asked:
        each.cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    source.gate = None
    assert await ask(cache, source) == 7
    assert source.calls == 2


async def test_the_error_of_a_shared_question_reaches_all(cache: Cache) -> None:
    found = await asyncio.gather(
        *(ask(cache, Source(ValueError("x"))) for _ in range(3)), return_exceptions=True
    )
    assert [type(each) for each in found] == [ValueError] * 3


async def test_a_full_region_forgets_what_was_not_used(cache: Cache, clock: FakeClock) -> None:
    for key in "abcd":
        await ask(cache, Source(key), key=key, limit=3, ttl=10_000)
        clock.jump(61)
    assert await ask(cache, Source("new"), key="a", limit=3) == "new"
    assert await ask(cache, Source("new"), key="d", limit=3) == "d"


async def test_sweeping_comes_every_ten_minutes(cache: Cache, clock: FakeClock, db: Database) -> None:
    for key in "abc":
        await ask(cache, Source(key), key=key)
    cache.start()
    await clock.advance(0)
    clock.jump(200)
    await clock.advance(601)
    for _ in range(100):
        if (
            await db.cache._line.call(
                lambda tx: tx.execute("SELECT count(*) FROM kv").fetchone()[0], interactive=True
            )
            == 0
        ):
            break
        await asyncio.sleep(0.01)
    else:
        pytest.fail("nothing was swept")
    await cache.stop()


async def test_an_unreadable_or_closed_cache_is_a_miss_with_one_warning(
    tmp_path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    db = await Database.open(tmp_path / "r.db", clock=clock, cache=tmp_path / "c.db")
    cache = Cache(db.cache, clock)
    with caplog.at_level(logging.WARNING):
        await db.cache.put("r", "k", "{", expires=10**15, now=0, limit=10)
        assert await ask(cache, Source(1)) == 1
        await db.close()
        source = Source(2)
        assert [await ask(cache, source) for _ in range(3)] == [2, 2, 2]
        await cache.sweep()
    assert source.calls == 3
    assert len(caplog.records) == 1
