"""The database: transaction functions on one writing thread, queries on reading threads.

`fn(tx)` is synchronous, does no I/O but SQL through this room's functions, and takes at most 50 ms: long work
comes in slices. It may be run again by its caller, never by the database.
"""

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Self

from .. import priority
from ..model.errors import StoreError
from ..ports import Clock
from .cache_db import CacheDb
from .checkpoints import Maintenance
from .faults import store_error
from .line import Line
from .reader import Reader
from .thread import Thread
from .writer import Writer

type Tx = sqlite3.Connection


class Database:
    """An open database, for the event loop that opened it. Make one with `open`, end it with `close`.

    `wal` is False where the file system refuses a write-ahead log: it works, slower, with the classic journal.
    """

    def __init__(self, path: Path, clock: Clock, cache: Path | None) -> None:
        self.path = path
        self.cache = CacheDb(cache)
        self._writes = Line()
        self._reads = {True: Line(), False: Line()}
        self._maintenance = Maintenance(path)
        self._writer = Writer(path, self._writes, clock, self._maintenance.committed)
        self._readers = (
            Reader(path, self._reads[True], "reader_interactive"),
            Reader(path, self._reads[False], "reader_background"),
        )
        # In the order of opening; closed the other way round.
        services = (self._maintenance, self._writer, *self._readers, self.cache)
        self._threads = [Thread(service) for service in services]
        self._closing: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, path: Path, *, clock: Clock, cache: Path | None = None) -> Self:
        """Open `path`, made if absent, with its folder; `cache` is the cache's file, None keeps it in memory.

        Raises `StoreError` with the key database_newer (placeholders version, known), database_corrupt,
        database_readonly, database_locked, database_full or database_error; the file is left as it was.
        """
        database = cls(path, clock, cache)
        try:
            for thread in database._threads:
                await thread.start()
        except BaseException as error:
            await database.close()
            fault = store_error(error, path)
            if fault is None and isinstance(error, sqlite3.Error):
                fault = StoreError("database_error", error=str(error))
            if fault is None or fault is error:
                raise
            raise fault from error
        return database

    async def run[T](self, fn: Callable[[Tx], T], *, interactive: bool | None = None) -> T:
        """Run `fn` in a transaction; returns its result once it is durable, raises what it raised.

        Functions that wait are committed together, a person's first. One that raises is undone alone. Where the
        commit fails, all of them raise `StoreError` and nothing is applied. A cancelled call that hasn't been started
        never is; one that has is committed as if nothing had happened. None takes the caller's attribution.
        """
        return await self._writes.call(fn, interactive=_whose(interactive))

    async def read[T](self, fn: Callable[[Tx], T], *, interactive: bool | None = None) -> T:
        """Run `fn` on one snapshot of what is committed; it can't write."""
        mine = _whose(interactive)
        return await self._reads[mine].call(fn, interactive=mine)

    async def checkpoint(self, truncate: bool) -> bool:
        """Carry the log over into the main file; tells whether all of it was. Does nothing while held."""
        return await self._maintenance.checkpoint(truncate=truncate)

    def hold_checkpoints(self) -> None:
        """Let the main file stand still from here on, also through `close`; writes go on into the log.

        For a backup: `checkpoint`, then hold. A checkpoint by itself is at least seconds away then.
        """
        self._maintenance.hold(True)

    def release_checkpoints(self) -> None:
        """End `hold_checkpoints`."""
        self._maintenance.hold(False)

    async def close(self) -> None:
        """Finish what has been accepted, refuse the rest, end all threads. Any number of calls."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(), name="reelay_db_close")
        await asyncio.shield(self._closing)

    @property
    def wal(self) -> bool:
        """Whether there is a write-ahead log."""
        return self._maintenance.wal

    @property
    def commits(self) -> int:
        """How many transactions have changed something so far."""
        return self._writer.commits

    @property
    def functions(self) -> int:
        """How many functions the writer has run so far."""
        return self._writer.functions

    @property
    def on_statement(self) -> Callable[[str], None] | None:
        """Is called with each SQL statement, on the thread that executes it; for benches."""
        return self._writer.on_statement

    @on_statement.setter
    def on_statement(self, hook: Callable[[str], None] | None) -> None:
        for service in (self._writer, *self._readers):
            service.on_statement = hook

    async def _close(self) -> None:
        self._writes.close()
        for line in self._reads.values():
            line.close()
        for thread in reversed(self._threads):
            await thread.stop()


def _whose(interactive: bool | None) -> bool:
    return priority.is_interactive() if interactive is None else interactive
