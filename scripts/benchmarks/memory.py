"""Resident memory of an app with many tasks, above that of a Python process that does nothing.

Each figure comes from a process of its own: `python -m benchmarks.memory idle|empty|full`.
"""

import asyncio
import gc
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

MIB = 1024 * 1024
TASKS = 100_000
LOOKS = 200


def measure() -> dict[str, Any]:
    """Run the three processes."""
    from . import figures
    from .stock import stock

    stock(TASKS)
    idle, empty, full = (_process(what) for what in ("idle", "empty", "full"))
    return {
        "tasks": TASKS,
        "idle_mib": figures.told([idle / MIB], 1),
        "above_idle_mib": figures.at_most(80, [(full - idle) / MIB], 1),
        "above_app_without_tasks_mib": figures.told([(full - empty) / MIB], 1),
    }


def _process(what: str) -> int:
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory", what], check=True, capture_output=True, text=True
    )
    return int(ran.stdout)


def _resident() -> int:
    gc.collect()
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) * 1024


async def _idle() -> None:
    await asyncio.sleep(0.5)
    print(_resident())


async def _app(folder: Path) -> None:
    """Start, look at lists and single tasks as a dashboard does, and come to rest."""
    from .running import started

    async with started(folder, range(0), still=True) as app:
        for look in range(LOOKS):
            page = await app.queries.list_tasks(limit=50, before=None if look % 2 else 400 * look + 51)
            if page["tasks"]:
                await app.queries.get_task(page["tasks"][0]["id"])
        await asyncio.sleep(1.0)
        print(_resident())


def _main(what: str) -> None:
    if what == "idle":
        asyncio.run(_idle())
    elif what == "full":
        from .stock import stock

        asyncio.run(_app(stock(TASKS)))
    else:
        with TemporaryDirectory() as folder:
            asyncio.run(_app(Path(folder)))


if __name__ == "__main__":
    _main(sys.argv[1])
