"""The one thread that writes: it commits together what waits together.

A group is one transaction of at most 16 functions or 10 ms. Each function is undone alone when it raises; the
answers go out after the commit, all at once, because until then nothing is true, not even a refusal.
"""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..model.errors import StoreError
from ..ports import Clock
from . import opening
from .faults import answer, store_error
from .line import Job, Line

FUNCTIONS = 16
SECONDS = 0.010


class Writer:
    """Serves a line by transactions. `on_commit` is called on its thread after each commit that wrote."""

    name = "writer"

    def __init__(self, path: Path, line: Line, clock: Clock, on_commit: Callable[[], None]) -> None:
        self._path = path
        self._line = line
        self._clock = clock
        self._on_commit = on_commit
        self._tx: sqlite3.Connection
        self._traced: Callable[[str], None] | None = None
        self.on_statement: Callable[[str], None] | None = None
        self.commits = 0
        self.functions = 0

    def open(self) -> None:
        """Connect."""
        self._tx = opening.connect(self._path, "rw")
        self._traced = None

    def end(self) -> None:
        """Return from `serve` once the line is empty."""
        self._line.close()

    def close(self) -> None:
        """Disconnect."""
        self._tx.close()

    def serve(self) -> None:
        """Commit group after group."""
        while (job := self._line.take(wait=True)) is not None:
            self._line.answer(self._group(job))

    def _group(self, job: Job | None) -> list[Job]:
        """Run `job` and those that wait behind it in one transaction; all of them, with their answers."""
        until = self._clock.monotonic() + SECONDS
        group: list[Job] = []
        kept, wrote = 0, False
        try:
            self._trace()
            while job is not None:
                group.append(job)
                before, changes = kept, self._tx.total_changes
                kept = self._run(job, before)
                wrote |= kept > before and self._tx.total_changes != changes
                if len(group) >= FUNCTIONS or self._clock.monotonic() >= until:
                    break
                job = self._line.take(wait=False)
            if kept:
                self._tx.execute("COMMIT")
        except sqlite3.Error as error:
            self._lost(group, error)
            return group
        if wrote:
            self.commits += 1
            self._on_commit()
        return group

    def _run(self, job: Job, kept: int) -> int:
        """Run one function; returns how many the transaction holds now, raises when it is lost altogether.

        The first function of a transaction needs no savepoint: undoing it is undoing everything.
        """
        tx = self._tx
        tx.execute("SAVEPOINT f" if kept else "BEGIN IMMEDIATE")
        self.functions += 1
        try:
            job.result = job.fn(tx)
        except BaseException as error:
            job.error = answer(error, self._path)
            if not tx.in_transaction:
                # A full disk or a failing one takes the whole transaction along.
                if kept:
                    raise _as_lost(error) from error
                return 0
            if kept:
                tx.execute("ROLLBACK TO f")
                tx.execute("RELEASE f")
            else:
                tx.execute("ROLLBACK")
            return kept
        if not tx.in_transaction:
            raise sqlite3.OperationalError("a function ended the transaction")
        if kept:
            tx.execute("RELEASE f")
        return kept + 1

    def _lost(self, group: list[Job], error: sqlite3.Error) -> None:
        """Nothing of the group was applied: every caller is told so, and the connection is made usable again."""
        fault = store_error(error, self._path)
        key = "database_error" if fault is None else fault.key
        for job in group:
            job.result = None
            job.error = StoreError(key, error=str(error))
            job.error.__cause__ = error
        try:
            if self._tx.in_transaction:
                self._tx.execute("ROLLBACK")
        except sqlite3.Error:
            # If this fails as well, the next group ends up here and tries again.
            with suppress(sqlite3.Error):
                self._tx.close()
                self.open()

    def _trace(self) -> None:
        if self.on_statement is not self._traced:
            self._tx.set_trace_callback(self.on_statement)
            self._traced = self.on_statement


def _as_lost(error: BaseException) -> sqlite3.Error:
    return error if isinstance(error, sqlite3.Error) else sqlite3.OperationalError(str(error))
