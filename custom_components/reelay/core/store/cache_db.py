"""The cache: values that can be fetched again, in a file of its own that is rebuilt when damaged.

Nothing is synchronized to the disk, and an error is a miss: it is logged once, and nobody has to handle it.
"""

import logging
import sqlite3
from contextlib import suppress
from pathlib import Path

from .line import Job, Line

_LOGGER = logging.getLogger(__name__)

SCHEMA = """
CREATE TABLE IF NOT EXISTS kv (
  region TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  expires INTEGER NOT NULL,
  used INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (region, key)
) STRICT;
CREATE INDEX IF NOT EXISTS kv_used ON kv (region, used);
CREATE INDEX IF NOT EXISTS kv_expires ON kv (expires);
PRAGMA user_version = 1;
"""
VERSION = 1
#: A hit refreshes the time of last use only when it is older than this (ms).
FRESH = 60_000

GET = "SELECT value, used FROM kv WHERE region = ? AND key = ? AND expires > ?"
USED = "UPDATE kv SET used = ? WHERE region = ? AND key = ?"
PUT = """
INSERT INTO kv (region, key, value, expires, used, bytes) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (region, key) DO UPDATE SET value = excluded.value, expires = excluded.expires, used = excluded.used,
  bytes = excluded.bytes"""
DELETE = "DELETE FROM kv WHERE region = ? AND key = ?"
COUNT = "SELECT count(*) FROM kv WHERE region = ?"
EXPIRED_OF = "DELETE FROM kv WHERE region = ? AND expires <= ?"
OLDEST = """
DELETE FROM kv WHERE rowid IN (SELECT rowid FROM kv WHERE region = ? ORDER BY used LIMIT ?)"""
SWEEP = "DELETE FROM kv WHERE rowid IN (SELECT rowid FROM kv WHERE expires <= ? LIMIT ?)"


class CacheDb:
    """Text by region and key, each with its own expiry; `path` None keeps it in memory. Times in ms."""

    name = "cache"

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._line = Line()
        self._tx: sqlite3.Connection
        self._warned = False

    async def get(self, region: str, key: str, now: int) -> str | None:
        """A value that hasn't expired."""

        def fn(tx: sqlite3.Connection) -> str | None:
            row: tuple[str, int] | None = tx.execute(GET, (region, key, now)).fetchone()
            if row is None:
                return None
            if now - row[1] > FRESH:
                tx.execute(USED, (now, region, key))
            return row[0]

        return await self._line.call(fn, interactive=True)

    async def put(self, region: str, key: str, value: str, *, expires: int, now: int, limit: int) -> None:
        """Keep a value until `expires`; above `limit` entries the region loses expired ones, then unused ones."""

        def fn(tx: sqlite3.Connection) -> None:
            tx.execute(PUT, (region, key, value, expires, now, len(value.encode())))
            if _count(tx, region) > limit:
                tx.execute(EXPIRED_OF, (region, now))
                tx.execute(OLDEST, (region, max(0, _count(tx, region) - limit)))

        await self._line.call(fn, interactive=True)

    async def drop(self, region: str, key: str) -> None:
        """Forget a value."""

        def fn(tx: sqlite3.Connection) -> None:
            tx.execute(DELETE, (region, key))

        await self._line.call(fn, interactive=True)

    async def sweep(self, now: int, limit: int = 500) -> int:
        """Remove one slice of expired entries; call it again until it returns 0."""
        removed = await self._line.call(
            lambda tx: tx.execute(SWEEP, (now, limit)).rowcount, interactive=False
        )
        return removed or 0

    def open(self) -> None:
        """Open the file; a damaged one is made anew, an impossible one replaced by memory."""
        try:
            try:
                self._tx = self._connect()
            except sqlite3.DatabaseError as error:
                self._warn(error)
                self._remove()
                self._tx = self._connect()
        except (sqlite3.Error, OSError) as error:
            self._warn(error)
            self._path = None
            self._tx = self._connect()

    def serve(self) -> None:
        """Answer call after call."""
        while (job := self._line.take(wait=True)) is not None:
            self._run(job)
            self._line.answer((job,))

    def end(self) -> None:
        """Return from `serve` once the line is empty."""
        self._line.close()

    def close(self) -> None:
        """Disconnect."""
        self._tx.close()

    def _run(self, job: Job) -> None:
        try:
            with self._tx:
                self._tx.execute("BEGIN")
                job.result = job.fn(self._tx)
        except sqlite3.Error as error:
            self._warn(error)
            if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
                self._tx.close()
                self._remove()
                self.open()
        except BaseException as error:  # noqa: BLE001 - it is the caller's answer
            job.error = error

    def _connect(self) -> sqlite3.Connection:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        tx = sqlite3.connect(self._path or ":memory:", isolation_level=None)
        try:
            tx.execute("PRAGMA journal_mode = WAL")
            tx.execute("PRAGMA synchronous = OFF")
            if tx.execute("PRAGMA user_version").fetchone()[0] not in (0, VERSION):
                raise sqlite3.DatabaseError("a cache of another version")
            tx.executescript(SCHEMA)
        except BaseException:
            tx.close()
            raise
        return tx

    def _remove(self) -> None:
        if self._path is not None:
            for suffix in ("", "-wal", "-shm"):
                with suppress(OSError):
                    self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _warn(self, error: Exception) -> None:
        if not self._warned:
            self._warned = True
            _LOGGER.warning("The cache can't be used as it should: %s", error)


def _count(tx: sqlite3.Connection, region: str) -> int:
    row: tuple[int] = tx.execute(COUNT, (region,)).fetchone()
    return row[0]
