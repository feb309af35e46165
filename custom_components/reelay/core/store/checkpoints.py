"""Maintenance of the file: holds its lock, opens it, and carries the write-ahead log over into it.

The writer never does that, because whoever does waits for the disk. It happens when the log has grown to about
4 MB, or when nothing has been written for a while; a backup holds it, so that the main file stands still.
"""

import asyncio
import logging
import os
import sqlite3
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..model.errors import StoreError
from . import opening
from .faults import store_error

_LOGGER = logging.getLogger(__name__)

#: Pages of 4 KB that the log may hold before it is carried over.
PAGES = 1000
IDLE_SECONDS = 5.0
#: How long a slow reader may keep the writer waiting for a checkpoint that needs both to be out of the way.
BUSY_MS = 250


@dataclass(slots=True)
class _Request:
    mode: str
    future: asyncio.Future[bool] | None = None


class Maintenance:
    """Opens first and closes last: the lock covers every other connection."""

    name = "maintenance"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loop = asyncio.get_running_loop()
        self._changed = threading.Condition(threading.Lock())
        self._requests: list[_Request] = []
        self._commits = 0
        #: How many commits are expected to fill PAGES; learnt from how much the last ones wrote.
        self._enough = 100
        #: How long the log was last time; it is shorter when it has started over.
        self._pages = 0
        self._held = False
        self._ending = False
        self._tx: sqlite3.Connection
        self._lock: int
        self.wal = False

    def open(self) -> None:
        """Take the lock and make the file ready for use."""
        self._lock = opening.lock(self._path.parent)
        try:
            self._tx, self.wal = opening.prepare(self._path)
            self._tx.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        except BaseException:
            os.close(self._lock)
            raise

    def serve(self) -> None:
        """Carry over whenever it is due or asked for."""
        while (request := self._next()) is not None:
            self._carry(request)

    def end(self) -> None:
        """Return from `serve` after what has been asked for."""
        with self._changed:
            self._ending = True
            self._changed.notify()

    def close(self) -> None:
        """Close the file, which carries everything over unless that is held, and let go of the lock."""
        try:
            with suppress(sqlite3.Error):
                opening.keep_log(self._tx, self._held)
            self._tx.close()
        finally:
            os.close(self._lock)

    def committed(self) -> None:
        """Count a commit; called by the writer."""
        with self._changed:
            self._commits += 1
            if self._commits == 1 or self._commits >= self._enough:
                self._changed.notify()

    def hold(self, held: bool) -> None:
        """Start nothing by itself while held."""
        with self._changed:
            self._held = held
            self._changed.notify()

    async def checkpoint(self, *, truncate: bool) -> bool:
        """Carry over now; tells whether all of it was. Does nothing while held."""
        request = _Request("TRUNCATE" if truncate else "PASSIVE", self._loop.create_future())
        with self._changed:
            if self._ending:
                raise StoreError("database_closed")
            if self._held:
                return False
            self._requests.append(request)
            self._changed.notify()
        assert request.future is not None
        return await request.future

    def _next(self) -> _Request | None:
        with self._changed:
            while True:
                if self._requests:
                    return self._requests.pop(0)
                if self._ending:
                    return None
                if self._held or not self._commits or not self.wal:
                    self._changed.wait()
                elif self._commits >= self._enough:
                    return _Request("PASSIVE")
                else:
                    before = self._commits
                    if not self._changed.wait(IDLE_SECONDS) and self._commits == before and not self._held:
                        return _Request("PASSIVE")

    def _carry(self, request: _Request) -> None:
        with self._changed:
            commits, self._commits = self._commits, 0
        done, error = True, None
        try:
            if self.wal:
                done = self._checkpoint(request.mode, commits)
        except sqlite3.Error as raised:
            done, error = False, raised
        if not done:
            # A reader still needs the log: once more when it has been quiet.
            with self._changed:
                self._commits = max(1, self._commits)
        if request.future is not None:
            self._answer(request.future, done, error)
        elif error is not None:
            _LOGGER.warning("The write-ahead log could not be carried over: %s", error)

    def _checkpoint(self, mode: str, commits: int) -> bool:
        busy, pages, carried = self._tx.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
        new = pages - self._pages if pages >= self._pages else pages
        if commits and new > 0:
            self._enough = min(max(PAGES * commits // new, 16), PAGES)
        if pages >= 2 * PAGES and mode == "PASSIVE":
            # The log starts over only once all of it is carried over, and a busy writer is always ahead of that:
            # the few pages that have come meanwhile are done while it waits.
            busy, pages, carried = self._tx.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        self._pages = pages
        return not busy and pages == carried

    def _answer(self, future: asyncio.Future[bool], done: bool, error: sqlite3.Error | None) -> None:
        fault = None if error is None else store_error(error, self._path) or error
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(_settle, future, done, fault)


def _settle(future: asyncio.Future[bool], done: bool, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(done)
    else:
        future.set_exception(error)
