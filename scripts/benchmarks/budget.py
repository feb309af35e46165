"""Commits to reelay.db for a one-file film without a question, from the post to the delivery mark, each named."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from . import CACHE, figures
from .recording import Statement, recorded
from .running import running


async def measure() -> dict[str, Any]:
    """Let one film go its way alone."""
    with TemporaryDirectory(dir=CACHE) as folder, recorded() as recording:
        async with running(Path(folder), range(1)) as run:
            await asyncio.sleep(0.1)
            recording.clear()
            await run.feed(range(1), 1)
            await run.told(1)
            commits = recording.commits()
            if run.done != 1:
                raise RuntimeError(f"the film wasn't stored: {run.others}")
    return {
        "commits": figures.at_most(8, [len(commits)], 0),
        "listed": [f"{number}: {_deed(commit)}" for number, commit in enumerate(commits, 1)],
    }


def _deed(commit: Sequence[Statement]) -> str:
    """What a transaction wrote: edges from its trace lines, then the tables with the number of rows."""
    edges: list[str] = []
    tables: Counter[str] = Counter()
    for one in commit:
        words = one.sql.split()
        if words[0] not in {"INSERT", "UPDATE", "DELETE"}:
            continue
        table = words[1] if words[0] == "UPDATE" else words[2]
        tables[table] += len(one.parameters) if one.many else 1
        if table == "trace":
            edges.append(str(one.parameters[3]))
    way = f"→ {' → '.join(edges)}; " if edges else ""
    return way + ", ".join(f"{table} {number}" for table, number in tables.items())
