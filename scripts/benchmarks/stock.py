"""Databases with many tasks: rows as the pipeline writes them for some films, multiplied in SQL and kept in a cache.

What waits (questions, failures, the queue) is as much in a small database as in a large one; the rest is history.
"""

import asyncio
import sqlite3
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from custom_components.reelay.core.clock import SystemClock
from custom_components.reelay.core.media import titles
from custom_components.reelay.core.store.database import Database
from custom_components.reelay.core.store.opening import MIGRATIONS

from . import CACHE, films
from .running import running

#: Films that went through the pipeline; every row is a copy of a row of one of them.
PATTERNS = 40
BEGAN = 1_700_000_000_000
#: A minute lies between two messages.
STEP = 60_000
#: How many tasks are in each state that isn't history, and their lane.
OPEN = {
    "queued": (64, "transfer"),
    "pending_approval": (40, "approval"),
    "need_manual": (40, None),
    "failed": (40, None),
}
SOURCES = 8


def stock(tasks: int) -> Path:
    """The folder of a database with so many tasks, made if it isn't there. Don't let the pipeline work on it."""
    digest = blake2b(digest_size=4)
    for script in sorted(MIGRATIONS.glob("*.sql")):
        digest.update(script.read_bytes())
    for source in (__file__, films.__file__):
        digest.update(Path(source).read_bytes())
    folder = CACHE / f"{tasks}-{digest.hexdigest()}"
    if not (folder / "reelay.db").exists():
        for old in CACHE.glob(f"{tasks}-*"):
            rmtree(old)
        print(f"bench: making a database of {tasks:,} tasks", file=sys.stderr)
        with TemporaryDirectory(dir=CACHE) as name:
            made = Path(name) / "made"
            asyncio.run(_patterns(Path(name) / "patterns", made))
            _multiply(Path(name) / "patterns" / "reelay.db", made / "reelay.db", tasks)
            made.rename(folder)
    return folder


def ended(tasks: int) -> int:
    """The time of the newest row."""
    return BEGAN + tasks * STEP


async def _patterns(folder: Path, empty: Path) -> None:
    async with running(folder, range(PATTERNS)) as run:
        await run.feed(range(PATTERNS), 8)
        await run.told(PATTERNS)
    await (await Database.open(empty / "reelay.db", clock=SystemClock())).close()


def _multiply(patterns: Path, path: Path, tasks: int) -> None:
    tx = sqlite3.connect(path, isolation_level=None)
    for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -500000", "foreign_keys = OFF"):
        tx.execute(f"PRAGMA {setting}")
    tx.create_function("film", 1, films.title, deterministic=True)
    tx.create_function("code", 1, films.code, deterministic=True)
    tx.create_function("title_key", 1, titles.key, deterministic=True)
    tx.execute("ATTACH ? AS p", (str(patterns),))
    tx.execute("BEGIN")
    tx.execute(
        """CREATE TEMP TABLE n (
          i INTEGER PRIMARY KEY, task INTEGER, code TEXT, film TEXT, source TEXT, at INTEGER, state TEXT, lane TEXT)"""
    )
    tx.executemany("INSERT INTO n VALUES (?, ?, code(?), film(?), ?, ?, ?, ?)", _numbers(tx, tasks))
    for statement in COPY:
        tx.execute(statement)
    tx.execute("COMMIT")
    tx.execute("PRAGMA journal_mode = WAL")
    tx.close()


def _numbers(tx: sqlite3.Connection, tasks: int) -> Iterator[tuple[object, ...]]:
    """Each task's number, the task it is a copy of with that one's film, its source, time, state and lane."""
    copied = tx.execute("SELECT id, substr(offer, 15), message FROM p.tasks ORDER BY id").fetchall()
    states = [(state, lane) for state, (count, lane) in OPEN.items() for _ in range(count)]
    history = tasks - len(states)
    for number in range(1, tasks + 1):
        task, film, _ = copied[number % len(copied)]
        if number > history:
            state, lane = states[number - history - 1]
        else:
            state, lane = "done" if number % 4 else "skipped" if number % 5 else "rejected", None
        source = f"telegram:-100{number % SOURCES}"
        yield number, task, int(film), int(film), source, BEGAN + number * STEP, state, lane


def _text(column: str) -> str:
    """A text of the pattern with the copy's own film and code."""
    return f"replace(replace({column}, n.code, code(n.i)), n.film, film(n.i))"


_DONE = "n.state = 'done'"
COPY = (
    "INSERT INTO policies SELECT * FROM p.policies",
    f"""INSERT INTO messages
      SELECT n.i, n.source, CAST(100000 + n.i AS TEXT), 0, n.at, n.at, m.facts_hash, {_text("m.body")}
      FROM n CROSS JOIN p.tasks t ON t.id = n.task CROSS JOIN p.messages m ON m.id = t.message""",
    f"""INSERT INTO tasks (id, message, source, offer, state, round, lane, interactive, due_at, policy, title, sent,
        received, created, updated, context)
      SELECT n.i, n.i, n.source, 'share:' || code(n.i), n.state, 1, n.lane, 0,
        CASE n.lane WHEN 'transfer' THEN n.at WHEN 'approval' THEN n.at + 604800000 END, t.policy, film(n.i),
        n.state IN ('done', 'need_manual'), {_DONE}, n.at, n.at,
        replace({_text("t.context")}, '"offer":{{', '"offer":{{"hint":"{films.PLOT[:85]}",')
      FROM n CROSS JOIN p.tasks t ON t.id = n.task""",
    f"""INSERT INTO trace (task, at, from_state, to_state, actor, code, detail)
      SELECT n.i, n.at, t.from_state, t.to_state, t.actor, t.code, t.detail
      FROM n CROSS JOIN p.trace t ON t.task = n.task WHERE {_DONE} OR t.to_state IN ('received', 'parsed')
      ORDER BY n.i, t.id""",
    f"""INSERT INTO works
      SELECT n.i, 'film', NULL, w.year, film(n.i), '[]', json_array(title_key(film(n.i)))
      FROM n CROSS JOIN p.library l ON l.task = n.task CROSS JOIN p.works w ON w.id = l.work WHERE {_DONE}""",
    f"INSERT INTO work_titles SELECT title_key(film(n.i)) AS key, n.i FROM n WHERE {_DONE} ORDER BY key",
    f"""INSERT INTO batches (id, task, n, phase, provider, root, share, staging_name, staging_id, answer, sent)
      SELECT n.i, n.i, 1, b.phase, b.provider, b.root, code(n.i), n.i || '-1-5f3a9c01',
        CAST(3180000000000000000 + n.i AS TEXT), b.answer, n.at
      FROM n CROSS JOIN p.batches b ON b.task = n.task WHERE {_DONE}""",
    f"""INSERT INTO files
      SELECT n.i, f.source_id, f.path, f.size, f.sha1, f.role, n.i, f.season, f.episode, f.episode_last, f.part,
        CAST(3170000000000000000 + n.i AS TEXT), {_text("f.folder")}, {_text("f.name")}, f.placed
      FROM n CROSS JOIN p.batches b ON b.task = n.task CROSS JOIN p.files f ON f.batch = b.id WHERE {_DONE}""",
    f"""INSERT INTO library
      SELECT n.i, l.season, l.episode, l.provider, l.root, CAST(3170000000000000000 + n.i AS TEXT), l.origin, n.i,
        l.release, {_text("l.folder")}, {_text("l.name")}, n.at, 0
      FROM n CROSS JOIN p.library l ON l.task = n.task WHERE {_DONE}""",
    f"""INSERT INTO resources
      SELECT r.provider, r.root, 'share:' || code(n.i), n.i, r.files_hash
      FROM n CROSS JOIN p.resources r ON r.task = n.task WHERE {_DONE}""",
    f"""INSERT INTO outbox (kind, task, round, target, at, due_at, data, told, closed_at, outcome)
      SELECT o.kind, n.i, 1, o.target, n.at, n.at, o.data, 1, n.at, o.outcome
      FROM n CROSS JOIN p.outbox o ON o.task = n.task
      WHERE {_DONE} AND n.i > (SELECT max(i) FROM n) - {7 * 24 * 60}""",
)
