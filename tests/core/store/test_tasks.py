import sqlite3
from dataclasses import replace

import pytest

from custom_components.reelay.core.model.context import ShareFacts
from custom_components.reelay.core.model.states import Lane, State
from custom_components.reelay.core.store import tasks

from .rows import add_task, context, message, task

NOW = 10_000


def test_a_new_task_is_read_back_with_its_message_in_its_first_round(tx: sqlite3.Connection) -> None:
    number = add_task(tx, 5, wanted_by="user:1", due_at=9, title="标题")

    found = task(tx, number)

    assert (found.source, found.message_id, found.revision) == ("telegram:7", "5", 0)
    assert (found.state, found.round, found.lane, found.due_at) == (State.RECEIVED, 1, Lane.IDENTIFY, 9)
    assert (found.wanted_by, found.title, found.attempts, found.sent) == ("user:1", "标题", 0, False)
    assert found.context == context()
    assert (found.created, found.updated) == (3_000, 3_000)


def test_an_unknown_task_is_none(tx: sqlite3.Connection) -> None:
    assert tasks.get(tx, 1) is None


def test_a_message_has_one_task_per_offer(tx: sqlite3.Connection) -> None:
    add_task(tx, 1)
    with pytest.raises(sqlite3.IntegrityError):
        add_task(tx, 1)
    add_task(tx, 1, offer="share:other")


def test_every_column_that_can_change_is_written(tx: sqlite3.Connection) -> None:
    old = task(tx, add_task(tx))
    new = replace(
        old,
        state=State.FAILED,
        round=4,
        lane=Lane.TRANSFER,
        interactive=True,
        due_at=77,
        attempts=2,
        retry_from=State.QUEUED,
        waits_for=9,
        wanted_by="phone:1",
        follows=old.id,
        policy="other",
        title="New",
        context=old.context.model_copy(update={"share": ShareFacts(files=3), "approved": True}),
        sent=True,
        received=True,
        updated=8_000,
    )

    assert tasks.write(tx, old, new)

    assert task(tx, old.id) == new


@pytest.mark.parametrize("change", [{"state": State.QUEUED}, {"round": 2}])
def test_whoever_comes_second_writes_nothing(tx: sqlite3.Connection, change: dict[str, object]) -> None:
    old = task(tx, add_task(tx))
    first = replace(old, **change)  # type: ignore[arg-type]
    assert tasks.write(tx, old, first)

    assert not tasks.write(tx, old, replace(old, state=State.PARSED, title="second"))

    assert task(tx, old.id) == first


def test_the_context_is_not_written_again_when_it_is_the_same(tx: sqlite3.Connection) -> None:
    old = task(tx, add_task(tx))
    statements: list[str] = []
    tx.set_trace_callback(statements.append)

    tasks.write(tx, old, replace(old, title="other"))
    assert "context" not in statements.pop()
    tasks.write(tx, old, replace(old, context=old.context.model_copy()))
    assert "context" in statements.pop()


def test_a_lane_takes_a_persons_work_then_by_due_time_then_by_age(tx: sqlite3.Connection) -> None:
    late = add_task(tx, 1, due_at=9_000)
    early = add_task(tx, 2, due_at=5_000)
    second = add_task(tx, 3)
    person = add_task(tx, 4, interactive=True, due_at=9_999)
    add_task(tx, 5, due_at=NOW + 1)
    add_task(tx, 6, lane=Lane.TRANSFER)
    add_task(tx, 7, lane=None)
    third = add_task(tx, 8)

    found = tasks.ready(tx, Lane.IDENTIFY, NOW, 16)

    assert [one.id for one in found] == [person, second, third, early, late]
    assert found[0] == task(tx, person)


def test_a_task_that_is_due_now_is_ready(tx: sqlite3.Connection) -> None:
    number = add_task(tx, due_at=NOW)
    assert [one.id for one in tasks.ready(tx, Lane.IDENTIFY, NOW, 1)] == [number]


def test_tasks_in_hand_neither_come_back_nor_hide_others(tx: sqlite3.Connection) -> None:
    numbers = [add_task(tx, number, interactive=number < 3) for number in range(8)]
    in_hand = frozenset(numbers[1:6])

    found = tasks.ready(tx, Lane.IDENTIFY, NOW, 2, in_hand)

    assert [one.id for one in found] == [numbers[0], numbers[6]]


def test_the_next_due_time_is_the_earliest_after_now(tx: sqlite3.Connection) -> None:
    assert tasks.next_due(tx, Lane.IDENTIFY, NOW) is None
    add_task(tx, 1, due_at=NOW)
    add_task(tx, 2)
    assert tasks.next_due(tx, Lane.IDENTIFY, NOW) is None
    add_task(tx, 3, due_at=NOW + 9)
    add_task(tx, 4, due_at=NOW + 5, interactive=True)
    add_task(tx, 5, due_at=NOW + 1, lane=Lane.RECHECK)
    assert tasks.next_due(tx, Lane.IDENTIFY, NOW) == NOW + 5


def test_tasks_are_found_by_message_and_offer(tx: sqlite3.Connection) -> None:
    first = add_task(tx, 1)
    sibling = add_task(tx, 1, offer="share:b")
    other = add_task(tx, 2, source="inbox")
    add_task(tx, 3, state=State.DONE)

    found = task(tx, first)
    assert [one.id for one in tasks.of_post(tx, found.source, found.message_id)] == [first, sibling]
    assert [one.id for one in tasks.open_for_offer(tx, "share:abc")] == [first, other]
    assert [one.id for one in tasks.open_for_offer(tx, "share:abc", "inbox")] == [other]
    assert [one.id for one in tasks.earlier_with_offer(tx, "share:abc", 99, limit=2)] == [4, 3]
    assert [one.id for one in tasks.earlier_with_offer(tx, "share:abc", other)] == [first]


def test_waiting_and_following_tasks_are_found(tx: sqlite3.Connection) -> None:
    holder = add_task(tx, 1)
    waiting = task(tx, add_task(tx, 2))
    follower = add_task(tx, 3, follows=holder)
    tasks.write(tx, waiting, replace(waiting, waits_for=holder))

    assert tasks.waiting_for(tx, holder) == [waiting.id]
    assert tasks.followers(tx, holder) == [follower]


def test_held_tasks_go_back_to_the_lane_they_came_from(tx: sqlite3.Connection) -> None:
    queued = add_task(tx, 1, state=State.QUEUED, lane=Lane.HELD)
    watched = add_task(tx, 2, state=State.SKIPPED, lane=Lane.HELD)
    failed = task(tx, add_task(tx, 3, state=State.FAILED, lane=Lane.HELD))
    tasks.write(tx, failed, replace(failed, retry_from=State.STORED))
    alone = add_task(tx, 4, lane=None)

    assert tasks.release_held(tx) == 3
    assert tasks.release_held(tx) == 0

    lanes = [task(tx, number).lane for number in (queued, watched, failed.id, alone)]
    assert lanes == [Lane.TRANSFER, Lane.RECHECK, Lane.ORGANIZE, None]


def test_waiting_times_can_be_put_off_together(tx: sqlite3.Connection) -> None:
    question = add_task(tx, 1, state=State.PENDING_APPROVAL, lane=Lane.APPROVAL, due_at=500)
    forever = add_task(tx, 2, state=State.PENDING_APPROVAL, lane=Lane.APPROVAL)
    other = add_task(tx, 3, due_at=500)

    tasks.shift_due(tx, Lane.APPROVAL, 100)

    assert [task(tx, number).due_at for number in (question, forever, other)] == [600, None, 500]


def test_the_counts_that_views_need(tx: sqlite3.Connection) -> None:
    assert (tasks.counts(tx), tasks.oldest_waiting(tx)) == ({}, None)
    for number, (state, created) in enumerate(
        [
            (State.DONE, 1),
            (State.FAILED, 2),
            (State.SKIPPED, 3),
            (State.NEED_MANUAL, 4),
            (State.QUEUED, 5),
            (State.DONE, 6),
        ]
    ):
        add_task(tx, number, source="telegram:1", state=state, now=created)
    add_task(tx, 9, source="telegram:2", state=State.FAILED, due_at=NOW)

    assert tasks.counts(tx) == {
        ("telegram:1", State.DONE): 2,
        ("telegram:1", State.FAILED): 1,
        ("telegram:1", State.SKIPPED): 1,
        ("telegram:1", State.NEED_MANUAL): 1,
        ("telegram:1", State.QUEUED): 1,
        ("telegram:2", State.FAILED): 1,
    }
    assert sum(tasks.retrying(tx).values()) == 1
    assert (tasks.stored_since(tx, 1), tasks.stored_since(tx, 2), tasks.stored_since(tx, 7)) == (2, 1, 0)
    assert tasks.oldest_waiting(tx) == 4


def test_a_message_can_not_disappear_from_under_its_task(tx: sqlite3.Connection) -> None:
    number = add_task(tx)
    with pytest.raises(sqlite3.IntegrityError):
        tx.execute("DELETE FROM messages")
    assert task(tx, number).message_id == message(1).message_id


def test_numbers_begin_where_they_are_told_to_in_a_new_database_only(tx: sqlite3.Connection) -> None:
    tasks.number_from(tx, 500)
    tasks.number_from(tx, 900)
    assert add_task(tx, 1) == 500
    tasks.number_from(tx, 900)
    assert add_task(tx, 2) == 501
