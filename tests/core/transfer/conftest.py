from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.core.transfer.world import World


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    made = await World(tmp_path).start()
    yield made
    await made.stop()
