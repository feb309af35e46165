import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from custom_components.reelay.core.store.cache_db import CacheDb
from custom_components.reelay.core.store.database import Database
from custom_components.reelay.core.store.thread import Thread
from tests.fakes.clock import FakeClock


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "cache.db"


@pytest.fixture
async def cache(file: Path) -> AsyncIterator[CacheDb]:
    cache = CacheDb(file)
    thread = Thread(cache)
    await thread.start()
    yield cache
    await thread.stop()


async def put(cache: CacheDb, key: str, now: int = 0, *, expires: int = 1_000_000, limit: int = 3) -> None:
    await cache.put("r", key, f"value of {key}", expires=expires, now=now, limit=limit)


async def test_a_value_is_kept_until_it_expires(cache: CacheDb) -> None:
    await put(cache, "a", expires=10)
    assert await cache.get("r", "a", 9) == "value of a"
    assert await cache.get("r", "a", 10) is None
    assert await cache.get("other", "a", 0) is None
    await put(cache, "a", expires=20)
    assert await cache.get("r", "a", 10) == "value of a"
    await cache.drop("r", "a")
    assert await cache.get("r", "a", 10) is None


async def test_a_full_region_loses_what_expired_then_what_was_not_used(cache: CacheDb) -> None:
    await put(cache, "dead", 0, expires=50)
    await put(cache, "used", 1)
    await put(cache, "idle", 2)
    await cache.put("other", "a", "x", expires=10**9, now=0, limit=1)
    assert await cache.get("r", "used", 90_000)

    await put(cache, "new", 90_001)
    await put(cache, "newer", 90_002)

    kept = [key for key in ("dead", "used", "idle", "new", "newer") if await cache.get("r", key, 40)]
    assert kept == ["used", "new", "newer"]
    assert await cache.get("other", "a", 0)


async def test_sweeping_removes_expired_entries_in_slices(cache: CacheDb) -> None:
    for number in range(5):
        await put(cache, str(number), expires=10, limit=100)
    await put(cache, "alive", limit=100)
    assert [await cache.sweep(10, limit=3) for _ in range(3)] == [3, 2, 0]
    assert await cache.get("r", "alive", 10)


async def test_it_comes_with_the_database_and_outlives_it(path: Path, file: Path, clock: FakeClock) -> None:
    for _ in range(2):
        db = await Database.open(path, clock=clock, cache=file)
        if await db.cache.get("r", "a", 0) is None:
            await put(db.cache, "a")
        await db.close()
    db = await Database.open(path, clock=clock, cache=file)
    assert await db.cache.get("r", "a", 0) == "value of a"
    await db.close()


async def test_without_a_file_it_is_kept_in_memory(db: Database) -> None:
    await put(db.cache, "a")
    assert await db.cache.get("r", "a", 0) == "value of a"


@pytest.mark.parametrize("damage", [b"not a database at all" * 500, b"SQLite format 3\0" + b"\xff" * 5000])
async def test_a_damaged_file_is_made_anew(
    file: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    file.parent.mkdir()
    file.write_bytes(damage)
    cache = CacheDb(file)
    thread = Thread(cache)
    await thread.start()
    await put(cache, "a")
    assert await cache.get("r", "a", 0) == "value of a"
    await thread.stop()
    assert len([record for record in caplog.records if record.levelno == logging.WARNING]) == 1
    assert file.read_bytes().startswith(b"SQLite format 3")


async def test_damage_while_it_is_used_is_a_miss_with_one_warning(
    cache: CacheDb, caplog: pytest.LogCaptureFixture
) -> None:
    await put(cache, "a")
    # A damaged table, as far as its readers can tell.
    await cache._line.call(lambda tx: tx.execute("ALTER TABLE kv RENAME TO lost"), interactive=True)
    assert await cache.get("r", "a", 0) is None
    await put(cache, "a")
    assert await cache.sweep(0) == 0
    assert len(caplog.records) == 1


async def test_a_place_that_can_not_be_written_is_replaced_by_memory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = CacheDb(tmp_path / "file" / "cache.db")
    thread = Thread(cache)
    await thread.start()
    await put(cache, "a")
    assert await cache.get("r", "a", 0) == "value of a"
    await thread.stop()
