"""How long the event loop is kept from a ticker of 1 ms while a burst of messages is taken in and worked off.

What was there before the burst is kept out of garbage collection: collecting a whole process takes as long as that
process is large, whoever causes it. `machine_lag_ms` is the worst lag of the same ticker beside nothing at all: that
much comes from the machine and the others on it.
"""

import asyncio
import gc
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from . import CACHE, figures, films
from .running import running

MESSAGES = 1_000
TICK = 0.001


def measure(runs: int) -> dict[str, Any]:
    """The medians of the worst lags of some runs, in ms."""
    rows = [asyncio.run(_run()) for _ in range(runs)]
    idle = [asyncio.run(_nothing(took)) for _, took in rows]
    return {
        "messages": MESSAGES,
        "worst_lag_ms": figures.at_most(20, [max(lags) * 1000 for lags, _ in rows], 1),
        "machine_lag_ms": figures.told([max(lags) * 1000 for lags in idle], 1),
        "p99_lag_ms": figures.told([figures.percentile(lags, 0.99) * 1000 for lags, _ in rows], 1),
        "tasks_per_second": figures.told([MESSAGES / took for _, took in rows], 1),
    }


async def _run() -> tuple[list[float], float]:
    posts = tuple(films.post(number) for number in range(MESSAGES))
    with TemporaryDirectory(dir=CACHE) as folder:
        async with running(Path(folder), range(MESSAGES)) as run:
            await asyncio.sleep(0.2)
            gc.collect()
            gc.freeze()
            lags: list[float] = []
            ticker = asyncio.create_task(_tick(lags))
            began = time.perf_counter()
            await run.app.intake.deliver(posts)
            await run.rest(MESSAGES)
            took = time.perf_counter() - began
            ticker.cancel()
            gc.unfreeze()
            if run.done != MESSAGES:
                raise RuntimeError(f"not all films were stored: {run.others[:3]}")
    return lags, took


async def _nothing(seconds: float) -> list[float]:
    lags: list[float] = []
    ticker = asyncio.create_task(_tick(lags))
    await asyncio.sleep(seconds)
    ticker.cancel()
    return lags


async def _tick(lags: list[float]) -> None:
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + TICK
        await asyncio.sleep(TICK)
        lags.append(max(0.0, loop.time() - due))
