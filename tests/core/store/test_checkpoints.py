"""Carrying the log over: by size, after a quiet moment, when asked; never while a backup holds it."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from custom_components.reelay.core.store import checkpoints
from custom_components.reelay.core.store.database import Database, Tx
from tests.fakes.clock import FakeClock

from .threads import Door, behind, keys, keys_in, put


@pytest.fixture(autouse=True)
def _no_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "IDLE_SECONDS", 60.0)


async def until(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + 5
    while not condition():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.005)
    return True


def log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


async def test_the_writer_leaves_the_main_file_alone(db: Database, path: Path) -> None:
    before = path.read_bytes()
    for number in range(20):
        await db.run(put(str(number), "x" * 10_000))
    assert path.read_bytes() == before


async def test_a_large_log_is_carried_over(db: Database, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "PAGES", 200)
    before = path.stat().st_size
    for number in range(150):
        await db.run(put(str(number), "x" * 10_000))
    assert await until(lambda: path.stat().st_size > before)
    for number in range(1000):
        await db.run(put(str(number), "y" * 10_000))
        await asyncio.sleep(0.0002)
    # It begins at the front again, so that it doesn't grow for ever.
    assert log(path).stat().st_size < 15_000_000


async def test_a_quiet_moment_is_used(path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "IDLE_SECONDS", 0.02)
    db = await Database.open(path, clock=clock)
    before = path.read_bytes()
    await db.run(put("a"))
    assert await until(lambda: path.read_bytes() != before)
    await db.close()


@pytest.mark.parametrize("truncate", [True, False])
async def test_it_can_be_asked_for(db: Database, path: Path, truncate: bool) -> None:
    before = path.read_bytes()
    await db.run(put("a"))
    assert await db.checkpoint(truncate)
    assert path.read_bytes() != before
    assert (log(path).stat().st_size == 0) == truncate


async def test_a_reader_in_the_middle_makes_it_incomplete(db: Database) -> None:
    door = Door()

    def look(tx: Tx) -> str:
        tx.execute("SELECT count(*) FROM marks").fetchone()
        return door(tx)

    await db.run(put("a"))
    _, reading = await behind(lambda door: db.read(look), door)
    await db.run(put("b"))
    assert not await db.checkpoint(False)
    door.open()
    await reading
    assert await db.checkpoint(False)


async def test_while_a_backup_holds_it_the_main_file_stands_still_and_writing_goes_on(
    path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(checkpoints, "IDLE_SECONDS", 0.01)
    db = await Database.open(path, clock=clock)
    await db.run(put("early"))
    assert await db.checkpoint(True)
    db.hold_checkpoints()
    before = path.read_bytes()
    for number in range(120):
        await db.run(put(f"k{number:03}"))
    assert not await db.checkpoint(True)
    await asyncio.sleep(0.1)
    assert path.read_bytes() == before

    # A copy of both files, taken while they are in use, is a valid database.
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    log(copy).write_bytes(log(path).read_bytes())
    assert keys_in(copy) == await keys(db)

    db.release_checkpoints()
    assert await until(lambda: path.read_bytes() != before)
    await db.close()


async def test_closing_while_held_leaves_everything_in_the_log(path: Path, clock: FakeClock) -> None:
    db = await Database.open(path, clock=clock)
    await db.checkpoint(True)
    db.hold_checkpoints()
    before = path.read_bytes()
    await db.run(put("a"))
    await db.close()
    assert path.read_bytes() == before

    db = await Database.open(path, clock=clock)
    assert await keys(db) == ["a"]
    await db.close()
