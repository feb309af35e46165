from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.core.pipeline.house import House


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """A house with all shops closed: the test starts it, or lets `post` find it started."""
    made = await House(tmp_path).start()
    yield made
    await made.stop()
