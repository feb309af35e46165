"""Durability, with real kills: what was answered is there, and nothing is there by half."""

import asyncio
import random
import signal
import sqlite3
import sys
from pathlib import Path

import pytest

from custom_components.reelay.core.model.errors import StoreError
from custom_components.reelay.core.store.database import Database
from tests.fakes.clock import FakeClock

BURST = Path(__file__).with_name("burst.py")


async def start(path: Path, first: int) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(BURST), str(path), str(first), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"open\n"
    return process


async def kill(process: asyncio.subprocess.Process) -> set[int]:
    """Kill the process and return the numbers it has answered."""
    process.send_signal(signal.SIGKILL)
    assert process.stdout is not None
    said = (await process.stdout.read()).decode()
    await process.wait()
    # The last line may have been cut.
    return {int(line) for line in said.splitlines(keepends=True) if line.endswith("\n")}


def written(path: Path) -> dict[int, set[str]]:
    tx = sqlite3.connect(path)
    try:
        assert tx.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert tx.execute("PRAGMA foreign_key_check").fetchall() == []
        found: dict[int, set[str]] = {}
        for (key,) in tx.execute("SELECT key FROM marks"):
            found.setdefault(int(key[:-1]), set()).add(key[-1])
        return found
    finally:
        tx.close()


@pytest.mark.kill
async def test_what_was_answered_survives_being_killed_in_the_middle_of_writing(path: Path) -> None:
    answered: set[int] = set()
    dice = random.Random(5)
    for round_ in range(5):
        process = await start(path, round_ * 1_000_000)
        await asyncio.sleep(dice.uniform(0.02, 0.5))
        answered |= await kill(process)

        found = written(path)

        assert answered <= found.keys()
        assert all(parts == {"a", "b"} for parts in found.values())
        # At most the calls that were in flight got no answer.
        assert len(found) <= len(answered) + 12 * (round_ + 1)
    assert len(answered) > 50


@pytest.mark.kill
async def test_a_second_worker_is_kept_out_until_the_first_is_gone_even_by_a_kill(
    path: Path, clock: FakeClock
) -> None:
    process = await start(path, 0)
    with pytest.raises(StoreError) as refused:
        await Database.open(path, clock=clock)
    assert refused.value.key == "database_locked"
    answered = await kill(process)

    db = await Database.open(path, clock=clock)
    count = await db.read(lambda tx: tx.execute("SELECT count(*) FROM marks").fetchone()[0])
    assert count >= 2 * len(answered)
    await db.close()
