"""`python -m custom_components.reelay.core --dry-run`: the whole pipeline without Home Assistant."""

import argparse
import asyncio
import json
import sys
from pathlib import Path


def main() -> int:
    """Run and print; 0 when all is well, 1 when a task got stuck or the sums don't add up, 2 for unusable arguments."""
    parser = argparse.ArgumentParser(prog="reelay", description=__doc__)
    parser.add_argument(
        "--dry-run", action="store_true", required=True, help="run messages on a drive in memory"
    )
    parser.add_argument("--messages", type=Path, help="a file with one message per line as JSON")
    parser.add_argument("--json", action="store_true", help="print for machines")
    options = parser.parse_args()
    from . import dryrun
    from .model.states import ACTIVE
    from .sources.file import read_messages

    posts = None
    if options.messages is not None:
        try:
            posts = read_messages(options.messages, posted=0)
        except (OSError, ValueError) as err:
            print(f"The messages could not be read: {err}", file=sys.stderr)
            return 2
    report = asyncio.run(dryrun.run(posts))
    if options.json:
        print(json.dumps(report.as_json(), ensure_ascii=False, indent=1))
    else:
        print("\n".join(dryrun.lines(report)))
    stuck = any(report.states.get(state.value) for state in ACTIVE)
    return 0 if report.adds_up and not stuck else 1


if __name__ == "__main__":
    sys.exit(main())
