"""One random life in a folder of its own, and the search for a shorter one that fails as well."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.core.invariants.machine import Machine, Step, draw

MEMORY = Path("/dev/shm")


def live(seed: int, steps: Sequence[Step], *, trail: list[str] | None = None) -> list[str]:
    """Carry one run out; what is wrong."""
    with TemporaryDirectory(prefix="reelay-", dir=MEMORY if MEMORY.is_dir() else None) as folder:
        machine = Machine(folder=Path(folder), seed=seed)
        try:
            problems = asyncio.run(machine.run(steps))
        except Exception as err:
            problems = [f"raised: {err!r}"]
            if trail is not None:
                raise
        if trail is not None:
            trail += machine.history
        return problems


def shorten(seed: int, steps: list[Step], limit: float) -> list[Step]:
    """Leave out what isn't needed to fail."""
    end = time.monotonic() + limit
    size = max(1, len(steps) // 2)
    while size >= 1:
        start = 0
        while start < len(steps) and time.monotonic() < end:
            fewer = steps[:start] + steps[start + size :]
            if live(seed, fewer):
                steps = fewer
            else:
                start += size
        size //= 2
    return steps


def attempt(job: tuple[int, int]) -> tuple[int, list[str]]:
    seed, length = job
    return seed, live(seed, draw(seed, length))
