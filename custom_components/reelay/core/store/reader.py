"""Threads that read. Each function sees one snapshot: what was committed when it began to read."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from . import opening
from .faults import answer
from .line import Job, Line


class Reader:
    """Serves a line on a connection that can't write."""

    def __init__(self, path: Path, line: Line, name: str) -> None:
        self.name = name
        self._path = path
        self._line = line
        self._tx: sqlite3.Connection
        self._traced: Callable[[str], None] | None = None
        self.on_statement: Callable[[str], None] | None = None

    def open(self) -> None:
        """Connect."""
        self._tx = opening.connect(self._path, "ro")

    def end(self) -> None:
        """Return from `serve` once the line is empty."""
        self._line.close()

    def close(self) -> None:
        """Disconnect."""
        self._tx.close()

    def serve(self) -> None:
        """Answer call after call."""
        while (job := self._line.take(wait=True)) is not None:
            self._run(job)
            self._line.answer((job,))

    def _run(self, job: Job) -> None:
        tx = self._tx
        try:
            if self.on_statement is not self._traced:
                tx.set_trace_callback(self.on_statement)
                self._traced = self.on_statement
            tx.execute("BEGIN")
            try:
                job.result = job.fn(tx)
            finally:
                if tx.in_transaction:
                    tx.execute("COMMIT")
        except BaseException as error:  # noqa: BLE001 - it is the caller's answer
            job.error = error if _tried_to_write(error) else answer(error, self._path)


def _tried_to_write(error: BaseException) -> bool:
    """A mistake of the function's: nothing is wrong with the database."""
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_READONLY
