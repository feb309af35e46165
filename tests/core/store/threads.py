"""Holding a thread of the database still, and looking at what it has done from outside."""

import asyncio
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from custom_components.reelay.core.store import marks
from custom_components.reelay.core.store.database import Database, Tx


class Door:
    """A transaction function that has begun and doesn't return until it is opened."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self._open = threading.Event()

    def __call__(self, tx: Tx) -> str:
        self.entered.set()
        assert self._open.wait(10)
        return "through"

    def open(self) -> None:
        self._open.set()


async def behind(
    call: Callable[..., Awaitable[Any]], door: Door | None = None
) -> tuple[Door, asyncio.Task[Any]]:
    """Call `door` and wait until its thread stands in it."""
    door = door or Door()
    task = asyncio.ensure_future(call(door))
    assert await asyncio.to_thread(door.entered.wait, 10)
    return door, task


async def queue(*calls: Awaitable[Any]) -> list[asyncio.Task[Any]]:
    """Start calls in order, and let each come as far as it can."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    for _ in range(5):
        await asyncio.sleep(0)
    return tasks


def put(key: str, value: str = "x") -> Callable[[Tx], str]:
    """A transaction function that writes a row and returns its key."""

    def fn(tx: Tx) -> str:
        marks.put(tx, key, value)
        return key

    return fn


def fail(error: BaseException, key: str | None = None) -> Callable[[Tx], None]:
    """A transaction function that writes a row if asked to, and raises."""

    def fn(tx: Tx) -> None:
        if key is not None:
            marks.put(tx, key, "x")
        raise error

    return fn


async def keys(db: Database) -> list[str]:
    """The rows of `put` that are committed."""
    return await db.read(lambda tx: [row[0] for row in tx.execute("SELECT key FROM marks ORDER BY key")])


def keys_in(path: Path) -> list[str]:
    """As `keys`, of a database that isn't open."""
    tx = sqlite3.connect(path)
    try:
        return [row[0] for row in tx.execute("SELECT key FROM marks ORDER BY key")]
    finally:
        tx.close()


def threads() -> list[str]:
    """The database's threads of this process."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("reelay_db")]
