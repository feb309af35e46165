"""`python -m tests.core.invariants`: random lives until something is wrong; the failing one is made shorter."""

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.core.light import without_face

without_face()

from tests.core.invariants import oracle  # noqa: E402
from tests.core.invariants.machine import Machine, Step, draw  # noqa: E402

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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; the next ones count up")
    parser.add_argument("--seconds", type=float, default=None, help="stop after so long")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--keep-going", action="store_true", help="count failures instead of stopping at one")
    parser.add_argument("--shorten", type=float, default=30.0, help="seconds to make a failing run shorter")
    options = parser.parse_args()
    began = time.monotonic()
    jobs = [(seed, options.steps) for seed in range(options.seed, options.seed + options.runs)]
    failed: list[int] = []
    done = 0
    with get_context("fork").Pool(options.workers) as pool:
        for seed, problems in pool.imap_unordered(attempt, jobs):
            done += 1
            if problems:
                failed.append(seed)
                print(f"seed {seed}:\n{oracle.report(problems[:6])}", flush=True)
                if not options.keep_going:
                    break
            if options.seconds is not None and time.monotonic() - began > options.seconds:
                break
        pool.terminate()
    spent = time.monotonic() - began
    print(f"{done} runs of {options.steps} steps in {spent:.1f} s ({done * options.steps / spent:.0f} steps/s)")
    if not failed:
        return 0
    print(f"failed: {failed}")
    if options.shorten > 0:
        steps = shorten(failed[0], draw(failed[0], options.steps), options.shorten)
        trail: list[str] = []
        problems = live(failed[0], steps, trail=trail)
        print(f"seed {failed[0]} in {len(steps)} steps:", *trail, oracle.report(problems), sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
