"""Where callers on the event loop wait for a thread of the database, a person's calls first.

Both kinds have their own bounded capacity. A call keeps its place until its function has ended, also when its
caller has been cancelled; one that hasn't been started yet is withdrawn and gives its place back.
"""

import asyncio
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from ..model.errors import StoreError

INTERACTIVE = 16
BACKGROUND = 64


class Job:
    """A function on its way to a thread and back."""

    __slots__ = ("error", "fn", "future", "places", "result")

    def __init__(
        self, fn: Callable[[sqlite3.Connection], Any], future: asyncio.Future[Any], places: asyncio.Semaphore
    ) -> None:
        self.fn = fn
        self.future = future
        self.places = places
        self.result: Any = None
        self.error: BaseException | None = None


class Line:
    """Two queues, first in first out each, in front of one thread."""

    def __init__(self, *, interactive: int = INTERACTIVE, background: int = BACKGROUND) -> None:
        self._loop = asyncio.get_running_loop()
        self._places = {True: asyncio.Semaphore(interactive), False: asyncio.Semaphore(background)}
        self._waiting: dict[bool, deque[Job]] = {True: deque(), False: deque()}
        self._changed = threading.Condition(threading.Lock())
        self._closed = False

    async def call[T](self, fn: Callable[[sqlite3.Connection], T], *, interactive: bool) -> T:
        """Have `fn` run on the thread; `StoreError("database_closed")` when the line is closed."""
        places = self._places[interactive]
        await places.acquire()
        job = Job(fn, self._loop.create_future(), places)
        if not self._put(job, interactive):
            places.release()
            raise StoreError("database_closed")
        try:
            result: T = await job.future
        except asyncio.CancelledError:
            if self._withdraw(job, interactive):
                places.release()
            raise
        return result

    def close(self) -> None:
        """Take no more calls; those in the queues are still served."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def take(self, *, wait: bool) -> Job | None:
        """The next job, for the thread; None when there is none (`wait`: and never will be)."""
        with self._changed:
            while True:
                for queue in self._waiting.values():
                    # A cancelled job stays for its caller, who is about to withdraw it.
                    job = next((job for job in queue if not job.future.cancelled()), None)
                    if job is not None:
                        queue.remove(job)
                        return job
                if self._closed or not wait:
                    return None
                self._changed.wait()

    def answer(self, jobs: Sequence[Job]) -> None:
        """Give the callers their answers, all in one go; called by the thread."""
        # The loop is closed where the process ends without closing the database.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(_settle, jobs)

    def _put(self, job: Job, interactive: bool) -> bool:
        with self._changed:
            if self._closed:
                return False
            self._waiting[interactive].append(job)
            self._changed.notify()
            return True

    def _withdraw(self, job: Job, interactive: bool) -> bool:
        with self._changed:
            try:
                self._waiting[interactive].remove(job)
            except ValueError:
                return False
            return True


def _settle(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job.places.release()
        if job.future.done():
            continue
        if job.error is None:
            job.future.set_result(job.result)
        else:
            job.future.set_exception(job.error)
