"""`python -m tests.core.crash`: all kills at named points, without pytest; ends at the first that shows a problem."""

import sys

from tests.core.light import without_face

without_face()

from custom_components.reelay.core.model.points import Point  # noqa: E402
from tests.core.crash.points import count, kill  # noqa: E402
from tests.core.crash.zygote import Zygote, memory  # noqa: E402
from tests.core.invariants.oracle import report  # noqa: E402


def main() -> int:
    with Zygote() as zygote:
        visits = count(zygote)
        for point in Point:
            for visit in sorted({1, visits.get(point, 1)}):
                with memory() as folder:
                    problems = kill(zygote, folder, point, visit)
                if problems:
                    print(f"killed at {point}, visit {visit}:\n{report(problems[:6])}")
                    return 1
    print(f"killed at {len(Point)} points, all is well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
