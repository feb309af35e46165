import sqlite3
from collections.abc import Callable

import pytest

from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.notice import Notice, NoticeKind
from custom_components.reelay.core.model.share import Phase
from custom_components.reelay.core.model.states import Lane, State
from custom_components.reelay.core.policy.schema import Policy
from custom_components.reelay.core.store import (
    batches,
    maintenance,
    messages,
    outbox,
    plugin_state,
    policies,
    tasks,
    trace,
)

from .rows import add_batch, add_task, add_work, file

DAY = maintenance.DAY
NOW = 1000 * DAY


def prune(tx: sqlite3.Connection) -> int:
    removed = 0
    while slice_ := maintenance.prune(tx, NOW):
        assert slice_ <= 500
        removed += slice_
    return removed


def close_delivered(tx: sqlite3.Connection, id: int, at: int) -> None:
    outbox.deliver(tx, id, None, at)


def close_failed(tx: sqlite3.Connection, id: int, at: int) -> None:
    outbox.fail(tx, id, at, "x")


@pytest.mark.parametrize(("close", "days"), [(close_delivered, 7), (close_failed, 30)])
def test_closed_notices_go_after_their_time(
    tx: sqlite3.Connection, close: Callable[[sqlite3.Connection, int, int], None], days: int
) -> None:
    for number, age in enumerate((days + 1, days - 1), 1):
        outbox.add(tx, Notice(kind=NoticeKind.RESULT, task=number, round=1, at=1), ("a",), 1)
        close(tx, number, NOW - age * DAY)
    outbox.add(tx, Notice(kind=NoticeKind.RESULT, task=3, round=1, at=1), ("a",), 1)

    assert prune(tx) == 1

    assert tx.execute("SELECT task FROM outbox ORDER BY task").fetchall() == [(2,), (3,)]


def test_skipped_tasks_go_when_their_own_policy_says_so(tx: sqlite3.Connection) -> None:
    short, long = policies.put(tx, Policy(keep_skipped_days=10)), policies.put(tx, Policy())
    forever = policies.put(tx, Policy(keep_skipped_days=0))
    old, older = NOW - 11 * DAY, NOW - 91 * DAY
    base = {"state": State.SKIPPED, "lane": None}
    gone = [
        add_task(tx, 1, **base, policy=short, now=old),
        add_task(tx, 2, **(base | {"state": State.REJECTED}), policy=long, now=older),
    ]
    kept = [
        add_task(tx, 3, **base, policy=long, now=old),
        add_task(tx, 4, **base, policy=forever, now=1),
        add_task(tx, 5, **base, policy=short, now=NOW - 9 * DAY),
        add_task(tx, 6, **(base | {"state": State.DONE}), policy=short, now=1),
        add_task(tx, 7, **base, policy=short, now=1, sent=True),
        add_task(tx, 8, **(base | {"lane": Lane.RECHECK}), policy=short, now=1),
    ]

    assert prune(tx) == len(gone)

    assert [task.id for task in tasks.page(tx)] == kept[::-1]


def test_a_removed_task_takes_along_what_belongs_to_it(tx: sqlite3.Connection) -> None:
    policy = policies.put(tx, Policy())
    task = add_task(tx, 1, state=State.SKIPPED, lane=None, policy=policy, now=1)
    follower = add_task(tx, 2, follows=task)
    trace.add(tx, task, 1, None, State.RECEIVED, "lane", Code.RECEIVED, {})
    plugin_state.put(tx, "p", task, 1)
    batch = add_batch(tx, task, phase=Phase.ENDED)
    batches.add_files(tx, batch, [file(batch, "a", add_work(tx))])

    assert prune(tx) == 1

    for table in ("trace", "plugin_state", "batches", "files"):
        assert tx.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
    left = tasks.get(tx, follower)
    assert left is not None
    assert left.follows is None


def test_the_identity_of_a_message_outlives_its_tasks(tx: sqlite3.Connection) -> None:
    policy = policies.put(tx, Policy())
    add_task(tx, 1, state=State.SKIPPED, lane=None, policy=policy, now=1)
    add_task(tx, 2, state=State.SKIPPED, lane=None, policy=policy, now=1)
    add_task(tx, 2, offer="share:b", now=1)

    prune(tx)

    bare, whole = messages.latest(tx, "telegram:7", "1"), messages.latest(tx, "telegram:7", "2")
    assert bare is not None
    assert whole is not None
    assert (bare.facts_hash, bare.message.text, bare.message.posted) == ("f", "", 1_001)
    assert whole.message.text


def test_each_call_is_one_small_slice(tx: sqlite3.Connection) -> None:
    policy = policies.put(tx, Policy())
    for number in range(maintenance.TASKS + 20):
        add_task(tx, number, state=State.SKIPPED, lane=None, policy=policy, now=1)
    assert [maintenance.prune(tx, NOW) for _ in range(3)] == [maintenance.TASKS, 20, 0]
