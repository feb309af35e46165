"""A process of its own that writes without end and prints what has been answered; the tests kill it.

usage: python burst.py FILE FIRST      (FIRST: the first number to use)
"""

import asyncio
import itertools
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.core.light import without_face

without_face()

from custom_components.reelay.core.clock import SystemClock  # noqa: E402
from custom_components.reelay.core.store import marks  # noqa: E402
from custom_components.reelay.core.store.database import Database, Tx  # noqa: E402


async def main() -> None:
    db = await Database.open(Path(sys.argv[1]), clock=SystemClock())
    numbers = itertools.count(int(sys.argv[2]))

    async def write_on() -> None:
        for number in numbers:

            def fn(tx: Tx, number: int = number) -> None:
                marks.put(tx, f"{number}a", "x" * 500)
                marks.put(tx, f"{number}b", "x" * 500)

            await db.run(fn)
            os.write(1, b"%d\n" % number)

    os.write(1, b"open\n")
    await asyncio.gather(*(write_on() for _ in range(12)))


asyncio.run(main())
