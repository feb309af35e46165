import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from custom_components.reelay.core.store import opening
from custom_components.reelay.core.store.database import Database
from tests.fakes.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "reelay" / "reelay.db"


@pytest.fixture
def tx(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a fresh database, for tests of rows without threads."""
    connection, _ = opening.prepare(tmp_path / "rows.db")
    connection.execute("PRAGMA synchronous = OFF")
    yield connection
    connection.close()


@pytest.fixture
async def db(path: Path, clock: FakeClock) -> AsyncIterator[Database]:
    database = await Database.open(path, clock=clock)
    yield database
    await database.close()
