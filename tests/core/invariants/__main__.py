"""`python -m tests.core.invariants`: random lives until something is wrong; the failing one is made shorter."""

import argparse
import sys
import time
from multiprocessing import get_context

from tests.core.light import without_face

without_face()

from tests.core.invariants import oracle  # noqa: E402
from tests.core.invariants.lives import attempt, live, shorten  # noqa: E402
from tests.core.invariants.machine import draw  # noqa: E402


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
    print(
        f"{done} runs of {options.steps} steps in {spent:.1f} s ({done * options.steps / spent:.0f} steps/s)"
    )
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
