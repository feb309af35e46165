"""Recording the statements of the pipeline's connections with their parameters, and replaying them in a bare loop."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch


@dataclass(frozen=True, slots=True)
class Statement:
    """One call of a connection; `wrote` says whether it belongs to the connection that writes."""

    wrote: bool
    sql: str
    parameters: Any
    many: bool = False


@dataclass(slots=True)
class Recording:
    """All statements in the order in which they were started."""

    statements: list[Statement] = field(default_factory=list)

    def clear(self) -> None:
        """Forget what has been recorded so far."""
        self.statements.clear()

    def commits(self) -> list[list[Statement]]:
        """The statements of each transaction that changed something, in the order of commits."""
        found: list[list[Statement]] = []
        current: list[Statement] = []
        for statement in self.statements:
            if not statement.wrote:
                continue
            match statement.sql.split()[0]:
                case "BEGIN" | "ROLLBACK":
                    current = [] if " TO " not in statement.sql else current
                case "COMMIT":
                    if any(_changes(one.sql) for one in current):
                        found.append(current)
                    current = []
                case _:
                    current.append(statement)
        return found


def apart(statements: Sequence[Statement]) -> list[Statement]:
    """The same statements with a commit of its own for each function of the writer's, instead of shared ones."""
    result: list[Statement] = []
    for one in statements:
        if one.sql == "SAVEPOINT f":
            result += [Statement(True, "COMMIT", ()), Statement(True, "BEGIN IMMEDIATE", ())]
        elif one.sql != "RELEASE f":
            result.append(one)
    return result


def _changes(sql: str) -> bool:
    return sql.split(None, 1)[0] in {"INSERT", "UPDATE", "DELETE"}


class _Connection(sqlite3.Connection):
    """A connection that writes down what it is told."""

    def __init__(self, recording: Recording, database: str, **options: Any) -> None:
        super().__init__(database, **options)
        # Maintenance, which carries the log over, has a connection of its own mode.
        self._log = [] if database.endswith("mode=rwc") else recording.statements
        self._wrote = database.endswith("mode=rw")

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        self._log.append(Statement(self._wrote, sql, parameters))
        return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any, /) -> sqlite3.Cursor:
        rows = list(parameters)
        self._log.append(Statement(self._wrote, sql, rows, many=True))
        return super().executemany(sql, rows)


@contextmanager
def recorded() -> Iterator[Recording]:
    """Record all connections opened meanwhile."""
    recording = Recording()

    def connect(database: str, **options: Any) -> sqlite3.Connection:
        return _Connection(recording, database, **options)

    with patch("sqlite3.connect", connect):
        yield recording


def replay(path: Path, statements: Sequence[Statement]) -> float:
    """Seconds that the statements take on a database as it was, one FULL commit per transaction of the pipeline's."""
    writer, reader = _open(path), _open(path)
    calls: list[partial[sqlite3.Cursor]] = []
    for one in statements:
        tx = writer if one.wrote else reader
        calls.append(partial(tx.executemany if one.many else tx.execute, one.sql, one.parameters))
    began = time.perf_counter()
    for call in calls:
        call().fetchall()
    took = time.perf_counter() - began
    reader.close()
    writer.close()
    return took


def bare_commits(path: Path, number: int) -> float:
    """Seconds for so many FULL commits of next to nothing."""
    tx = _open(path)
    tx.execute("INSERT INTO marks (key, value) VALUES ('bench', '')")
    began = time.perf_counter()
    for count in range(number):
        tx.execute("BEGIN IMMEDIATE")
        tx.execute("UPDATE marks SET value = ? WHERE key = 'bench'", (str(count),))
        tx.execute("COMMIT")
    took = time.perf_counter() - began
    tx.close()
    return took


def _open(path: Path) -> sqlite3.Connection:
    tx = sqlite3.connect(path, isolation_level=None, cached_statements=256)
    for setting in (
        "foreign_keys = ON",
        "synchronous = FULL",
        "wal_autocheckpoint = 0",
        "temp_store = MEMORY",
    ):
        tx.execute(f"PRAGMA {setting}")
    return tx
