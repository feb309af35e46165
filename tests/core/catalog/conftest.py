from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from custom_components.reelay.core.store.database import Database
from tests.fakes.tmdb import FakeTmdb

from .desk import Desk, QuickClock
from .works import WORKS


@pytest.fixture
async def tmdb() -> AsyncIterator[FakeTmdb]:
    async with FakeTmdb(*WORKS).run() as server:
        yield server


@pytest.fixture
async def desk(tmdb: FakeTmdb, tmp_path: Path) -> AsyncIterator[Desk]:
    clock = QuickClock()
    db = await Database.open(tmp_path / "reelay.db", clock=clock, cache=tmp_path / "cache.db")
    async with Desk.open(tmdb, db, clock) as made:
        yield made
    await db.close()
