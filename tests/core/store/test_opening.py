import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from custom_components.reelay.core.model.errors import StoreError
from custom_components.reelay.core.store import opening
from custom_components.reelay.core.store.database import Database
from tests.fakes.clock import FakeClock

from .threads import keys, put, threads


async def refusal(path: Path, clock: FakeClock) -> StoreError:
    with pytest.raises(StoreError) as refused:
        await Database.open(path, clock=clock)
    assert threads() == []
    return refused.value


async def fill(path: Path, clock: FakeClock) -> None:
    db = await Database.open(path, clock=clock)
    await db.run(put("kept"))
    await db.close()


async def test_a_new_database_comes_with_its_folders(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "a b%" / "ü?" / "reelay.db"
    await fill(path, clock)

    db = await Database.open(path, clock=clock)
    assert await keys(db) == ["kept"]
    assert db.wal
    settings = {
        name: await db.run(lambda tx, name=name: tx.execute(f"PRAGMA {name}").fetchone()[0])  # type: ignore[misc]
        for name in ("journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint", "user_version")
    }
    assert settings == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "wal_autocheckpoint": 0,
        "user_version": max(opening.migrations()),
    }
    await db.close()


async def test_an_empty_file_is_a_new_database(path: Path, clock: FakeClock) -> None:
    path.parent.mkdir()
    path.touch()
    await fill(path, clock)


async def test_sqlite_is_never_met_outside_the_databases_own_threads(
    path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    real = sqlite3.connect

    def connect(*args: Any, **options: Any) -> sqlite3.Connection:
        names.append(threading.current_thread().name)
        opened: sqlite3.Connection = real(*args, **options)
        return opened

    monkeypatch.setattr(sqlite3, "connect", connect)
    await fill(path, clock)
    assert len(names) == 5
    assert all(name.startswith("reelay_db") for name in names)


async def test_a_second_worker_is_kept_out(path: Path, clock: FakeClock) -> None:
    db = await Database.open(path, clock=clock)
    with pytest.raises(StoreError) as refused:
        await Database.open(path, clock=clock)
    assert refused.value.key == "database_locked"
    assert await db.run(put("still working"))
    await db.close()
    await fill(path, clock)


# Migrations


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the migrations that a test may add to."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    for file in opening.MIGRATIONS.glob("*.sql"):
        (folder / file.name).write_text(file.read_text())
    monkeypatch.setattr(opening, "MIGRATIONS", folder)
    return folder


async def test_new_migrations_are_run_once_each(path: Path, clock: FakeClock, scripts: Path) -> None:
    await fill(path, clock)
    (scripts / "0098.sql").write_text("CREATE TABLE extra (a TEXT) STRICT; INSERT INTO extra VALUES ('x');")
    (scripts / "0099.sql").write_text("ALTER TABLE extra ADD COLUMN b TEXT;")

    for _ in range(2):
        db = await Database.open(path, clock=clock)
        assert await db.read(lambda tx: tx.execute("SELECT a, b FROM extra").fetchall()) == [("x", None)]
        assert await keys(db) == ["kept"]
        await db.close()


async def test_a_migration_that_fails_leaves_the_version_before(
    path: Path, clock: FakeClock, scripts: Path
) -> None:
    await fill(path, clock)
    bad = scripts / "0099.sql"
    bad.write_text("CREATE TABLE extra (a TEXT); DELETE FROM marks; INSERT INTO nowhere VALUES (1);")
    error = await refusal(path, clock)
    assert error.key == "database_error"
    assert "nowhere" in error.placeholders["error"]

    bad.unlink()
    db = await Database.open(path, clock=clock)
    assert await keys(db) == ["kept"]
    assert (
        await db.read(lambda tx: tx.execute("SELECT 1 FROM sqlite_schema WHERE name = 'extra'").fetchall())
        == []
    )
    await db.close()


async def test_a_newer_database_is_left_alone(path: Path, clock: FakeClock) -> None:
    await fill(path, clock)
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 1000")
    newer.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, True)
    newer.close()
    before = files(path)

    error = await refusal(path, clock)

    assert error.key == "database_newer"
    assert error.placeholders == {"version": 1000, "known": max(opening.migrations())}
    assert files(path) == before


# Damage


def files(path: Path) -> dict[str, bytes]:
    """What is on the disk of a database, but for the index of the log, which is always made anew."""
    return {
        file.name: file.read_bytes() for file in path.parent.glob(path.name + "*") if file.suffix != ".db-shm"
    }


@pytest.mark.parametrize("damage", ["garbage", "header", "schema", "cut", "foreign"])
async def test_a_damaged_file_is_named_and_left_alone(path: Path, clock: FakeClock, damage: str) -> None:
    await fill(path, clock)
    whole = path.read_bytes()
    match damage:
        case "garbage":
            path.write_bytes(os.urandom(20_000))
        case "header":
            path.write_bytes(b"\0" * 100 + whole[100:])
        case "schema":
            path.write_bytes(whole[:100] + b"\xff" * 3000 + whole[3100:])
        case "cut":
            path.write_bytes(whole[: len(whole) // 2 // 4096 * 4096])
        case "foreign":
            path.unlink()
            other = sqlite3.connect(path)
            other.execute("CREATE TABLE theirs (a)")
            other.close()
    before = files(path)

    error = await refusal(path, clock)

    assert error.key == "database_corrupt"
    assert files(path) == before


async def test_damage_that_shows_later_is_named_as_well(path: Path, clock: FakeClock) -> None:
    await fill(path, clock)
    tx = sqlite3.connect(path)
    page = tx.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'marks'").fetchone()[0]
    tx.close()
    whole = bytearray(path.read_bytes())
    whole[(page - 1) * 4096 : page * 4096] = b"\xee" * 4096
    path.write_bytes(whole)

    db = await Database.open(path, clock=clock)
    for call in (db.run(put("a")), keys(db)):
        with pytest.raises(StoreError) as refused:
            await call
        assert refused.value.key == "database_corrupt"
    await db.close()


# What may not be written


@contextmanager
def somebody() -> Iterator[None]:
    """Permissions don't hold root back."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def public(path: Path) -> Iterator[Path]:
    """A folder that anybody can reach, though the test's own folders are private."""
    folders = [parent for parent in path.parents if parent.is_relative_to("/tmp") and parent.exists()]
    modes = {folder: folder.stat().st_mode for folder in folders}
    for folder in folders:
        if folder != Path("/tmp"):
            folder.chmod(0o755)
    yield path
    path.parent.chmod(0o755)
    for folder, mode in modes.items():
        if folder != Path("/tmp"):
            folder.chmod(mode)


@pytest.mark.parametrize("what", ["file", "folder", "nowhere"])
async def test_what_may_not_be_written_is_named(public: Path, clock: FakeClock, what: str) -> None:
    path = public
    if what == "nowhere":
        path.parent.mkdir()
        path.parent.chmod(0o555)
        path = path.parent / "below" / "reelay.db"
    else:
        await fill(path, clock)
        for file in path.parent.iterdir():
            file.chmod(0o666)
        path.parent.chmod(0o777)
        (path if what == "file" else path.parent).chmod(0o555 if what == "folder" else 0o444)
    with somebody():
        error = await refusal(path, clock)
    assert error.key == "database_readonly"


async def test_a_file_that_another_program_is_writing_to_is_named(
    path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(path, clock)
    monkeypatch.setattr(opening, "BUSY_SECONDS", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert (await refusal(path, clock)).key == "database_locked"
    other.execute("ROLLBACK")

    db = await Database.open(path, clock=clock)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="database_locked"):
        await db.run(put("a"))
    other.execute("ROLLBACK")
    other.close()
    assert await db.run(put("b"))
    assert await keys(db) == ["b", "kept"]
    await db.close()


async def test_without_shared_memory_the_classic_journal_serves(
    path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = sqlite3.connect

    def connect(name: str, **options: Any) -> sqlite3.Connection:
        # This file system of SQLite's has no shared memory, as that of many network drives.
        opened: sqlite3.Connection = real(
            name if name == ":memory:" else f"{name}&vfs=unix-dotfile", **options
        )
        return opened

    monkeypatch.setattr(sqlite3, "connect", connect)

    db = await Database.open(path, clock=clock)
    assert not db.wal
    await db.run(put("a"))
    assert await keys(db) == ["a"]
    assert await db.run(lambda tx: tx.execute("PRAGMA journal_mode").fetchone()[0]) == "delete"
    assert await db.run(lambda tx: tx.execute("PRAGMA synchronous").fetchone()[0]) == 2
    assert await db.checkpoint(True)
    await db.close()


async def test_a_large_database_opens_within_a_second(path: Path, clock: FakeClock) -> None:
    await fill(path, clock)
    tx = sqlite3.connect(path, isolation_level=None)
    numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
    tx.executescript(
        f"""
        PRAGMA synchronous = OFF; BEGIN;
        {numbers} INSERT INTO messages SELECT i, 's', i, 0, i, i, 'f', '{{"source":"s"}}' FROM n;
        {numbers} INSERT INTO tasks (message, source, offer, state, round, lane, interactive, policy, title, created,
          updated, context) SELECT i, 's', 'o' || i, 'done', 1, NULL, 0, 'p', 't', i, i, '{{}}' FROM n;
        COMMIT;"""
    )
    tx.close()
    before = time.perf_counter()
    db = await Database.open(path, clock=clock)
    assert time.perf_counter() - before < 1
    await db.close()
