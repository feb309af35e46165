"""The rows of tasks: written by compare-and-set, picked up by lane and due time."""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from ..model.context import PipelineContext
from ..model.states import LANE_OF, Lane, State
from ..model.task import Task
from . import codec
from .database import Tx

COLUMNS = """
t.id, t.message, t.source, m.message_id, m.revision, t.offer, t.state, t.round, t.lane, t.interactive, t.due_at,
t.attempts, t.retry_from, t.waits_for, t.wanted_by, t.follows, t.policy, t.title, t.context, t.sent, t.received,
t.created, t.updated"""
# CROSS JOIN keeps this order: the task is found first, then its message by row id.
_FROM = "FROM tasks t CROSS JOIN messages m ON m.id = t.message"

INSERT = """
INSERT INTO tasks (message, source, offer, state, round, lane, interactive, due_at, wanted_by, follows, policy, title,
  context, created, updated)
VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
GET = f"SELECT {COLUMNS} {_FROM} WHERE t.id = ?"
_SET = """
UPDATE tasks SET state = ?, round = ?, lane = ?, interactive = ?, due_at = ?, attempts = ?, retry_from = ?,
  waits_for = ?, wanted_by = ?, follows = ?, policy = ?, title = ?, sent = ?, received = ?, updated = ?"""
_WHERE = "WHERE id = ? AND state = ? AND round = ?"
WRITE = f"{_SET} {_WHERE}"
WRITE_WITH_CONTEXT = f"{_SET}, context = ? {_WHERE}"
READY = """
SELECT id FROM tasks WHERE lane = ? AND interactive = ? AND ifnull(due_at, 0) <= ?
ORDER BY ifnull(due_at, 0), id LIMIT ?"""
NEXT_DUE = """
SELECT due_at FROM tasks WHERE lane = ? AND interactive = ? AND ifnull(due_at, 0) > ?
ORDER BY ifnull(due_at, 0) LIMIT 1"""
OF_POST = f"""
SELECT {COLUMNS} FROM messages m CROSS JOIN tasks t ON t.message = m.id
WHERE m.source = ? AND m.message_id = ? ORDER BY t.id"""
OPEN_FOR_OFFER = f"""
SELECT {COLUMNS} {_FROM} WHERE t.offer = ? AND t.state NOT IN ('done', 'skipped', 'rejected') ORDER BY t.id"""
EARLIER_WITH_OFFER = f"""
SELECT {COLUMNS} {_FROM} WHERE t.offer = ? AND t.id < ? ORDER BY t.id DESC LIMIT ?"""
WAITING_FOR = "SELECT id FROM tasks WHERE waits_for = ? ORDER BY id"
FOLLOWERS = "SELECT id FROM tasks WHERE follows = ? ORDER BY id"
NUMBER_FROM = """
INSERT INTO sqlite_sequence (name, seq) SELECT 'tasks', ?
WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'tasks')"""
HELD = "SELECT id, state, retry_from FROM tasks WHERE lane = ? LIMIT ?"
RELEASE = "UPDATE tasks SET lane = ? WHERE id = ?"
SHIFT_DUE = "UPDATE tasks SET due_at = due_at + ? WHERE lane = ? AND due_at IS NOT NULL"
COUNTS = "SELECT source, state, count(*) FROM tasks GROUP BY source, state"
RETRYING = """
SELECT source FROM tasks INDEXED BY tasks_retrying WHERE state = 'failed' AND due_at IS NOT NULL"""
STORED_SINCE = "SELECT count(*) FROM tasks WHERE state = 'done' AND updated >= ?"
OF_IDS = f"""
SELECT {COLUMNS} FROM json_each(?) j CROSS JOIN tasks t ON t.id = j.value CROSS JOIN messages m ON m.id = t.message"""
WITH_TITLE = """
SELECT t.id FROM json_each(?) j CROSS JOIN tasks t ON t.id = j.value WHERE t.title LIKE ? ESCAPE '!'"""
OLDEST_IN = "SELECT created FROM tasks WHERE state = ? ORDER BY id LIMIT 1"

#: A search for text looks at this many of the newest tasks that pass the other filters, in slices, and no
#: further: no index finds part of a title, and a search must not read a million rows inside one function.
TEXT_SCAN = 5000
_SLICE = 500
_BEYOND = 2**63 - 1

#: States in which a task has come to an end, or stands still until somebody looks at a failure.
_NOT_WAITING = frozenset({State.DONE, State.SKIPPED, State.REJECTED, State.FAILED})


def insert(
    tx: Tx,
    *,
    message: int,
    source: str,
    offer: str,
    state: State,
    lane: Lane | None,
    interactive: bool,
    due_at: int | None,
    wanted_by: str | None,
    follows: int | None,
    policy: str,
    title: str,
    context: PipelineContext,
    now: int,
) -> int:
    """Make a task in its first round; `sqlite3.IntegrityError` where (message, offer) has one already."""
    values = (
        message,
        source,
        offer,
        state,
        lane,
        interactive,
        due_at,
        wanted_by,
        follows,
        policy,
        title,
        codec.dump_context(context),
        now,
        now,
    )
    cursor = tx.execute(INSERT, values)
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def number_from(tx: Tx, first: int) -> None:
    """Number the first task of a new database; one that has had tasks goes on counting."""
    tx.execute(NUMBER_FROM, (first - 1,))


def get(tx: Tx, id: int) -> Task | None:
    """A task by its id."""
    row = tx.execute(GET, (id,)).fetchone()
    return None if row is None else to_task(row)


def write(tx: Tx, old: Task, new: Task) -> bool:
    """Put `new` where `old` still is: False, and nothing written, when state or round have moved on.

    The context is written only when it is another object than before.
    """
    values: tuple[Any, ...] = (
        new.state,
        new.round,
        new.lane,
        new.interactive,
        new.due_at,
        new.attempts,
        new.retry_from,
        new.waits_for,
        new.wanted_by,
        new.follows,
        new.policy,
        new.title,
        new.sent,
        new.received,
        new.updated,
    )
    where = (old.id, old.state, old.round)
    if new.context is old.context:
        return tx.execute(WRITE, values + where).rowcount == 1
    return tx.execute(WRITE_WITH_CONTEXT, (*values, codec.dump_context(new.context), *where)).rowcount == 1


def ready(tx: Tx, lane: Lane, now: int, limit: int, exclude: frozenset[int] = frozenset()) -> list[Task]:
    """What a lane may take up now: a person's tasks first, then by due time; without one means at once.

    `exclude` names tasks in hand, which stay ready while somebody works on them.
    """
    found: list[Task] = []
    for interactive in (1, 0):
        # Those in hand may be all at the front, so as many more are read.
        wanted = limit - len(found) + len(exclude)
        rows = tx.execute(READY, (lane, interactive, now, wanted)).fetchall()
        ids = [row[0] for row in rows if row[0] not in exclude][: limit - len(found)]
        found += [to_task(tx.execute(GET, (number,)).fetchone()) for number in ids]
        if len(found) >= limit:
            break
    return found


def next_due(tx: Tx, lane: Lane, now: int) -> int | None:
    """When a lane's next task is due after `now`."""
    times = [
        row[0]
        for interactive in (1, 0)
        if (row := tx.execute(NEXT_DUE, (lane, interactive, now)).fetchone()) is not None
    ]
    return min(times, default=None)


def of_post(tx: Tx, source: str, message_id: str) -> list[Task]:
    """The tasks of all revisions of a message, oldest first."""
    return _tasks(tx, OF_POST, (source, message_id))


def open_for_offer(tx: Tx, offer: str, source: str | None = None) -> list[Task]:
    """Tasks with that offer that are not done, skipped or rejected; of one source or of all."""
    found = _tasks(tx, OPEN_FOR_OFFER, (offer,))
    return [task for task in found if source is None or task.source == source]


def earlier_with_offer(tx: Tx, offer: str, before_task: int, limit: int = 50) -> list[Task]:
    """The tasks with that offer that were made before `before_task`, newest first."""
    return _tasks(tx, EARLIER_WITH_OFFER, (offer, before_task, limit))


def waiting_for(tx: Tx, task: int) -> list[int]:
    """Who waits for this task's claims."""
    return [row[0] for row in tx.execute(WAITING_FOR, (task,)).fetchall()]


def release_held(tx: Tx) -> int:
    """Put one slice of held tasks back into the lane they came from; call it again until it returns 0."""
    rows = tx.execute(HELD, (Lane.HELD, _SLICE)).fetchall()
    tx.executemany(RELEASE, [(_lane_of(state, retry_from), number) for number, state, retry_from in rows])
    return len(rows)


def shift_due(tx: Tx, lane: Lane, by: int) -> int:
    """Put off everything that waits for its time in a lane by `by` ms."""
    return tx.execute(SHIFT_DUE, (by, lane)).rowcount


def followers(tx: Tx, task: int) -> list[int]:
    """The follow-up tasks of this one."""
    return [row[0] for row in tx.execute(FOLLOWERS, (task,)).fetchall()]


def page(
    tx: Tx,
    *,
    states: Collection[State] = (),
    source: str | None = None,
    text: str | None = None,
    before_id: int | None = None,
    limit: int = 50,
    at_rest: bool = False,
) -> list[Task]:
    """Tasks newest first, those below `before_id`; no states, source or text means any.

    `at_rest` leaves out failed ones that are going to be retried by themselves.
    `text` is part of a title, looked for in the newest `TEXT_SCAN` of them: an empty page isn't the end of all tasks.
    """
    if text:
        ids = _with_title(tx, _ids(tx, states, source, before_id, TEXT_SCAN, at_rest), text, limit)
    else:
        ids = _ids(tx, states, source, before_id, limit, at_rest)
    found = _tasks(tx, OF_IDS, (codec.dump(ids),))
    return sorted(found, key=lambda task: task.id, reverse=True)


def count_with_text(
    tx: Tx,
    text: str,
    *,
    states: Collection[State] = (),
    source: str | None = None,
    at_rest: bool = False,
) -> int:
    """How many of the newest `TEXT_SCAN` tasks that pass the filters have `text` in their title."""
    return len(_with_title(tx, _ids(tx, states, source, None, TEXT_SCAN, at_rest), text, TEXT_SCAN))


def counts(tx: Tx) -> dict[tuple[str, State], int]:
    """How many tasks each source has in each state. It reads an entry per task: once at start, then keep count."""
    return {(source, State(state)): count for source, state, count in tx.execute(COUNTS).fetchall()}


def retrying(tx: Tx) -> dict[str, int]:
    """How many failed tasks of each source are going to be retried by themselves."""
    return Counter(row[0] for row in tx.execute(RETRYING))


def stored_since(tx: Tx, at: int) -> int:
    """How many tasks were done at `at` or later."""
    return _number(tx, STORED_SINCE, (at,))


def oldest_waiting(tx: Tx) -> int | None:
    """When the oldest task was made that still goes on or waits for a person's answer."""
    times = [
        row[0]
        for state in State
        if state not in _NOT_WAITING and (row := tx.execute(OLDEST_IN, (state,)).fetchone()) is not None
    ]
    return min(times, default=None)


def to_task(row: Sequence[Any]) -> Task:
    """A row of `COLUMNS` as a task."""
    (
        number,
        message,
        source,
        message_id,
        revision,
        offer,
        state,
        counter,
        lane,
        interactive,
        due_at,
        attempts,
        retry_from,
        waits_for,
        wanted_by,
        follows,
        policy,
        title,
        context,
        sent,
        received,
        created,
        updated,
    ) = row
    return Task(
        id=number,
        message=message,
        source=source,
        message_id=message_id,
        revision=revision,
        offer=offer,
        state=State(state),
        round=counter,
        lane=None if lane is None else Lane(lane),
        interactive=bool(interactive),
        due_at=due_at,
        attempts=attempts,
        retry_from=None if retry_from is None else State(retry_from),
        waits_for=waits_for,
        wanted_by=wanted_by,
        follows=follows,
        policy=policy,
        title=title,
        context=codec.load_context(context),
        sent=bool(sent),
        received=bool(received),
        created=created,
        updated=updated,
    )


def _lane_of(state: str, retry_from: str | None) -> Lane:
    # Only a task whose staging is watched has a lane in a state without one.
    back_to = retry_from if state == State.FAILED and retry_from else state
    return LANE_OF.get(State(back_to), Lane.RECHECK)


def _tasks(tx: Tx, sql: str, values: tuple[Any, ...]) -> list[Task]:
    return [to_task(row) for row in tx.execute(sql, values).fetchall()]


def _number(tx: Tx, sql: str, values: tuple[Any, ...]) -> int:
    row: tuple[int] = tx.execute(sql, values).fetchone()
    return row[0]


@cache
def listing(states: int, by_source: bool, at_rest: bool = False) -> str:
    """The query for ids newest first in any of `states` states; 0 means all states.

    Each state is one range of an index in the order of ids; SQLite merges the ranges and stops at the limit.
    """
    source = "source = ?3 AND " if by_source else ""
    rest = " AND (state <> 'failed' OR due_at IS NULL)" if at_rest else ""
    ranges = [
        f"SELECT id FROM tasks WHERE {source}state = ?{number} AND id < ?1{rest}"
        for number in range(4, 4 + states)
    ]
    some = " UNION ALL ".join(ranges) or "SELECT id FROM tasks WHERE id < ?1"
    return f"{some} ORDER BY id DESC LIMIT ?2"


def _ids(
    tx: Tx,
    states: Collection[State],
    source: str | None,
    before_id: int | None,
    limit: int,
    at_rest: bool,
) -> list[int]:
    chosen = sorted(set(states) or (State if source is not None else ()))
    before = _BEYOND if before_id is None else before_id
    values = (before, limit, source, *chosen) if chosen else (before, limit)
    return [row[0] for row in tx.execute(listing(len(chosen), source is not None, at_rest), values)]


def _with_title(tx: Tx, ids: Sequence[int], text: str, limit: int) -> list[int]:
    escaped = text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    found: list[int] = []
    for start in range(0, len(ids), _SLICE):
        part = codec.dump(ids[start : start + _SLICE])
        found += sorted((row[0] for row in tx.execute(WITH_TITLE, (part, f"%{escaped}%"))), reverse=True)
        if len(found) >= limit:
            break
    return found[:limit]
