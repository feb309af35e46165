"""Tasks per second from the post to `done`, commits shared by tasks in flight, and how much of the time is the store's.

`ratio` is the time that the recorded statements take in a bare loop on one thread, with one FULL commit for each of
the pipeline's, divided by the time that the pipeline took. Beside it: with a commit for each transaction function
(`ratio_apart`), without what the pipeline read (`ratio_writes`), and the bare commits alone (`ratio_raw`).
"""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from custom_components.reelay.core.clock import SystemClock
from custom_components.reelay.core.store.database import Database

from . import CACHE, figures
from .recording import Recording, apart, bare_commits, recorded, replay
from .running import running

TASKS = 400
IN_FLIGHT = 8
REPLAYS = 3


def measure(runs: int) -> dict[str, Any]:
    """The medians of some runs."""
    rows = [_run() for _ in range(runs)]
    return {
        "tasks": TASKS,
        "in_flight": IN_FLIGHT,
        "tasks_per_second": figures.told([row["speed"] for row in rows], 1),
        "commits_per_task": figures.told([row["commits"] for row in rows], 2),
        "functions_per_task": figures.told([row["functions"] for row in rows], 2),
        "reads_per_task": figures.told([row["reads"] for row in rows], 2),
        "statements_per_task": figures.told([row["statements"] for row in rows], 1),
        "ratio": figures.at_least(0.5, [row["ratio"] for row in rows]),
        "ratio_apart": figures.told([row["ratio_apart"] for row in rows]),
        "ratio_writes": figures.told([row["ratio_writes"] for row in rows]),
        "ratio_raw": figures.told([row["ratio_raw"] for row in rows]),
    }


def _run() -> dict[str, float]:
    with TemporaryDirectory(dir=CACHE) as name:
        folder = Path(name)
        took, recording = asyncio.run(_pipeline(folder / "pipeline"))
        commits = len(recording.commits())
        writes = [one for one in recording.statements if one.wrote]
        everything = _again(folder, lambda path: replay(path, recording.statements))
        written = _again(folder, lambda path: replay(path, writes))
        single = _again(folder, lambda path: replay(path, apart(recording.statements)))
        raw = _again(folder, lambda path: bare_commits(path, commits))
    reads = sum(one.sql == "BEGIN" for one in recording.statements if not one.wrote)
    functions = sum(one.sql in {"BEGIN IMMEDIATE", "SAVEPOINT f"} for one in writes)
    return {
        "speed": TASKS / took,
        "commits": commits / TASKS,
        "functions": functions / TASKS,
        "reads": reads / TASKS,
        "statements": len(recording.statements) / TASKS,
        "ratio": everything / took,
        "ratio_apart": single / took,
        "ratio_writes": written / took,
        "ratio_raw": raw / took,
    }


async def _pipeline(folder: Path) -> tuple[float, Recording]:
    with recorded() as recording:
        async with running(folder, range(TASKS)) as run:
            await asyncio.sleep(0.1)
            recording.clear()
            began = time.perf_counter()
            await run.feed(range(TASKS), IN_FLIGHT)
            took = time.perf_counter() - began
            await run.told(TASKS)
            if run.done != TASKS:
                raise RuntimeError(f"not all films were stored: {run.others[:3]}")
            return took, Recording(recording.statements[:])


def _again(folder: Path, measured: Callable[[Path], float]) -> float:
    """The median of some replays, each on a database of its own: a disk has its moments."""
    return median(measured(_fresh(folder / str(len(list(folder.iterdir()))))) for _ in range(REPLAYS))


def _fresh(folder: Path) -> Path:
    """An empty database with its tables."""

    async def make() -> None:
        await (await Database.open(folder / "reelay.db", clock=SystemClock())).close()

    asyncio.run(make())
    return folder / "reelay.db"
