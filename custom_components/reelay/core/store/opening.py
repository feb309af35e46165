"""Opening the database file: the lock beside it, what is checked before anything is written, migrations.

Until a file has been found to be ours and not newer, it isn't written to in any way.
"""

import fcntl
import os
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ..model.errors import StoreError

LOCK = "reelay.lock"
MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_SECONDS = 5.0

_EVERY = ("foreign_keys = ON", "synchronous = FULL", "wal_autocheckpoint = 0", "temp_store = MEMORY")


def lock(folder: Path) -> int:
    """Keep a second worker out, in this process or another: the descriptor that holds the lock.

    The kernel ends the lock with the process, however that ends. The file stays: removing it would let two workers
    lock two files of the same name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection in autocommit mode for the calling thread; `mode` is `rwc`, `rw` or `ro`."""
    tx = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,
        timeout=BUSY_SECONDS,
        cached_statements=256,
    )
    try:
        for setting in _EVERY:
            tx.execute(f"PRAGMA {setting}")
    except BaseException:
        tx.close()
        raise
    return tx


def prepare(path: Path) -> tuple[sqlite3.Connection, bool]:
    """Open the file, make or upgrade its tables, and tell whether it works with a write-ahead log."""
    tx = connect(path, "rwc")
    try:
        keep_log(tx, True)
        scripts = migrations()
        version = _check(tx, max(scripts))
        wal = _write_ahead(tx)
        migrate(tx, scripts, version)
        # Of a read-only file SQLite says so at the first write only; taking the lock isn't one.
        tx.execute("BEGIN IMMEDIATE")
        tx.execute(f"PRAGMA user_version = {max(scripts)}")
        tx.execute("ROLLBACK")
        keep_log(tx, False)
    except BaseException:
        tx.close()
        raise
    return tx, wal


def keep_log(tx: sqlite3.Connection, keep: bool) -> None:
    """Whether closing this connection leaves the main file as it is, should it be the last one."""
    tx.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep)


def migrations() -> dict[int, str]:
    """All numbered scripts."""
    return {int(file.stem): file.read_text("utf-8") for file in sorted(MIGRATIONS.glob("*.sql"))}


def migrate(tx: sqlite3.Connection, scripts: Mapping[int, str], version: int) -> None:
    """Run the scripts above `version`, each in a transaction of its own together with its number."""
    for number in sorted(scripts):
        if number <= version:
            continue
        try:
            tx.executescript(f"BEGIN IMMEDIATE;\n{scripts[number]}\nPRAGMA user_version = {number};\nCOMMIT;")
        except sqlite3.Error:
            if tx.in_transaction:
                tx.execute("ROLLBACK")
            raise


def _check(tx: sqlite3.Connection, known: int) -> int:
    version: int = tx.execute("PRAGMA user_version").fetchone()[0]
    tables: int = tx.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if version > known:
        raise StoreError("database_newer", version=version, known=known)
    if version == 0 and tables:
        raise StoreError("database_corrupt", error="another program's database")
    return version


def _write_ahead(tx: sqlite3.Connection) -> bool:
    """Some network file systems have no shared memory: they refuse the log, and the classic journal does."""
    with suppress(sqlite3.OperationalError):
        if tx.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal":
            return True
    tx.execute("PRAGMA journal_mode = DELETE")
    return False
