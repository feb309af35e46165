from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from custom_components.reelay.core.store.database import Database
from tests.fakes.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def db(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Database]:
    database = await Database.open(tmp_path / "reelay.db", clock=clock, cache=tmp_path / "cache.db")
    yield database
    await database.close()
