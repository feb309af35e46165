"""`scripts/bench pipeline`: every figure of the pipeline with its goal, as JSON."""

import argparse
import asyncio
import json
import sys
from typing import Any

from . import CACHE, budget, burst, figures, lookups, memory, start, throughput

PARTS = ("budget", "throughput", "burst", "start", "memory", "lookups")


def main() -> int:
    """Run what was asked for; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("suite", choices=["pipeline"])
    parser.add_argument("--small", action="store_true", help="look-ups at 100,000 tasks instead of a million")
    parser.add_argument("--only", action="append", choices=PARTS, help="leave the other parts out")
    parser.add_argument("--runs", type=int, default=5, help="runs of which the median counts")
    arguments = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    parts = arguments.only or PARTS
    report: dict[str, Any] = {}
    if "budget" in parts:
        report["budget"] = asyncio.run(budget.measure())
    if "throughput" in parts:
        report["throughput"] = throughput.measure(arguments.runs)
    if "burst" in parts:
        report["burst"] = burst.measure(arguments.runs)
    if "start" in parts:
        report["start"] = start.measure(arguments.runs)
    if "memory" in parts:
        report["memory"] = memory.measure()
    if "lookups" in parts:
        report["lookups"] = lookups.measure(arguments.runs, small=arguments.small)
    missed = figures.missed(report)
    print(json.dumps(report | {"missed": missed}, indent=2, ensure_ascii=False))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
