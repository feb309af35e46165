"""How long an app with many tasks takes to start."""

import asyncio
import time
from typing import Any

from . import figures
from .running import started
from .stock import stock

TASKS = 100_000


def measure(runs: int) -> dict[str, Any]:
    """The median of some starts, in seconds."""
    stock(TASKS)
    return {"tasks": TASKS, "seconds": figures.at_most(1.0, [asyncio.run(_run()) for _ in range(runs)])}


async def _run() -> float:
    began = time.perf_counter()
    async with started(stock(TASKS), range(0), still=True):
        return time.perf_counter() - began
