import sqlite3
from typing import Any

from custom_components.reelay.core.model.notice import Notice, NoticeKind
from custom_components.reelay.core.store import outbox


def notice(kind: NoticeKind = NoticeKind.APPROVAL, **fields: Any) -> Notice:
    values: dict[str, Any] = {"task": 1, "round": 2, "at": 50, "data": {"code": "x"}}
    return Notice(kind=kind, **(values | fields))


def test_a_notice_becomes_a_row_per_target(tx: sqlite3.Connection) -> None:
    outbox.add(tx, notice(), ("phone", "tablet"), 100)

    rows = outbox.due(tx, 100, 10)

    assert [row.target for row in rows] == ["phone", "tablet"]
    assert rows[0].notice == notice()
    assert (rows[0].attempts, rows[0].due_at, rows[0].created, rows[0].receipt) == (0, 100, 50, None)
    assert outbox.backlog(tx) == 2


def test_rows_are_due_longest_waiting_first(tx: sqlite3.Connection) -> None:
    outbox.add(tx, notice(round=1), ("a",), 300)
    outbox.add(tx, notice(round=2), ("a",), 100)
    outbox.add(tx, notice(round=3), ("a",), 200)

    assert [row.notice.round for row in outbox.due(tx, 200, 10)] == [2, 3]
    assert [row.notice.round for row in outbox.due(tx, 900, 2)] == [2, 3]
    assert outbox.due(tx, 99, 10) == []
    assert (outbox.next_due(tx, 0), outbox.next_due(tx, 200), outbox.next_due(tx, 300)) == (100, 300, None)


def test_a_postponed_row_waits_again(tx: sqlite3.Connection) -> None:
    outbox.add(tx, notice(), ("a",), 100)
    [row] = outbox.due(tx, 100, 1)

    outbox.postpone(tx, row.id, 500, 3)

    assert outbox.due(tx, 499, 1) == []
    assert outbox.due(tx, 500, 1)[0].attempts == 3


def test_an_open_row_is_not_replaced(tx: sqlite3.Connection) -> None:
    outbox.add(tx, notice(), ("a",), 100)
    outbox.postpone(tx, 1, 100, 4)
    outbox.add(tx, notice(data={"code": "other"}, at=60), ("a",), 900)

    [row] = outbox.due(tx, 1000, 10)
    assert (row.due_at, row.attempts, row.notice.data, row.created) == (100, 4, {"code": "x"}, 50)


def test_a_closed_row_is_opened_again_with_the_new_data(tx: sqlite3.Connection) -> None:
    outbox.add(tx, notice(), ("a",), 100)
    outbox.postpone(tx, 1, 100, 4)
    outbox.fail(tx, 1, 200, "gone")
    assert (outbox.due(tx, 1000, 10), outbox.backlog(tx)) == ([], 0)

    outbox.add(tx, notice(data={"code": "other"}, at=60), ("a",), 900)

    [row] = outbox.due(tx, 1000, 10)
    assert (row.due_at, row.attempts, row.notice.data, row.created) == (900, 0, {"code": "other"}, 60)


def test_a_row_that_was_closed_stays_so(tx: sqlite3.Connection) -> None:
    outbox.add(tx, notice(), ("a",), 100)
    outbox.drop(tx, 1, 150, "moved on")
    outbox.postpone(tx, 1, 100, 1)
    outbox.fail(tx, 1, 200, "too late")
    assert outbox.backlog(tx) == 0
    assert tx.execute("SELECT outcome, reason, closed_at FROM outbox").fetchone() == (
        "dropped",
        "moved on",
        150,
    )


def test_delivered_questions_wait_to_be_cleared(tx: sqlite3.Connection) -> None:
    outbox.add(tx, notice(), ("phone", "tablet", "broken"), 100)
    outbox.add(tx, notice(NoticeKind.RESULT), ("phone",), 100)
    outbox.add(tx, notice(NoticeKind.ATTENTION, round=3), ("phone",), 100)
    outbox.add(tx, notice(task=9), ("phone",), 100)
    for row in outbox.due(tx, 100, 10):
        if row.target == "broken":
            outbox.fail(tx, row.id, 200, "gone")
        else:
            outbox.deliver(tx, row.id, f"tag{row.id}", 200)

    rows = outbox.receipts(tx, 1)
    assert [(row.notice.kind, row.notice.round, row.target, row.receipt) for row in rows] == [
        ("approval", 2, "phone", "tag1"),
        ("approval", 2, "tablet", "tag2"),
        ("attention", 3, "phone", "tag5"),
    ]

    outbox.add(tx, notice(NoticeKind.CLEAR, at=300), ("phone",), 300)
    assert [row.target for row in outbox.receipts(tx, 1)] == ["tablet", "phone"]


def test_a_second_question_of_a_round_is_cleared_although_the_first_one_was(tx: sqlite3.Connection) -> None:
    outbox.add(tx, notice(), ("phone",), 100)
    outbox.deliver(tx, 1, "first", 200)
    outbox.add(tx, notice(NoticeKind.CLEAR, at=300), ("phone",), 300)
    outbox.add(tx, notice(NoticeKind.ATTENTION, at=300), ("phone",), 300)
    outbox.deliver(tx, 3, "second", 400)
    assert [row.receipt for row in outbox.receipts(tx, 1)] == ["second"]


def test_a_question_that_is_asked_again_can_still_be_cleared(tx: sqlite3.Connection) -> None:
    outbox.add(tx, notice(), ("phone",), 100)
    outbox.deliver(tx, 1, "tag", 200)
    outbox.add(tx, notice(), ("phone",), 300)
    assert outbox.backlog(tx) == 1
    assert [row.receipt for row in outbox.receipts(tx, 1)] == ["tag"]
