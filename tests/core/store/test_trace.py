import sqlite3

from custom_components.reelay.core.model.decision import Code, Reason
from custom_components.reelay.core.model.states import State
from custom_components.reelay.core.store import trace

from .rows import add_task


def test_lines_come_back_in_order_of_events(tx: sqlite3.Connection) -> None:
    assert trace.last_id(tx) == 0
    task, other = add_task(tx, 1), add_task(tx, 2)
    first = trace.add(tx, task, 5, None, State.RECEIVED, "lane", Code.RECEIVED, {})
    second = trace.add(tx, other, 6, None, State.RECEIVED, "lane", Code.RECEIVED, {})
    third = trace.add(tx, task, 7, State.RECEIVED, State.PARSED, "user:1", Code.IDENTIFIED, {"n": 1})

    assert [line.id for line in trace.of_task(tx, task)] == [first, third]
    assert [line.id for line in trace.of_task(tx, task, limit=1)] == [third]
    assert [line.id for line in trace.after(tx, first, 10)] == [second, third]
    assert [line.id for line in trace.after(tx, 0, 2)] == [first, second]
    assert trace.last_id(tx) == third
    line = trace.of_task(tx, task)[1]
    assert (line.from_state, line.to_state, line.actor, line.code, line.detail, line.at) == (
        State.RECEIVED,
        State.PARSED,
        "user:1",
        "identified",
        {"n": 1},
        7,
    )


def test_a_detail_may_hold_any_value_of_the_vocabulary(tx: sqlite3.Connection) -> None:
    task = add_task(tx)
    detail = {"reason": Reason(code=Code.NO_LINK, data={"a": (1, 2)}), "state": State.DONE, "names": {"ü"}}
    trace.add(tx, task, 1, None, State.RECEIVED, "lane", Code.RECEIVED, detail)

    assert trace.of_task(tx, task)[0].detail == {
        "reason": {"code": "no_link", "data": {"a": [1, 2]}},
        "state": "done",
        "names": ["ü"],
    }


def test_an_events_id_is_never_given_twice(tx: sqlite3.Connection) -> None:
    task = add_task(tx)
    first = trace.add(tx, task, 1, None, State.RECEIVED, "lane", Code.RECEIVED, {})
    tx.execute("DELETE FROM tasks")

    assert trace.after(tx, 0, 10) == []
    assert trace.last_id(tx) == first
    assert trace.add(tx, add_task(tx, 2), 1, None, State.RECEIVED, "lane", Code.RECEIVED, {}) > first
