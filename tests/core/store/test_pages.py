"""Looking through tasks, newest first."""

import sqlite3

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from custom_components.reelay.core.model.states import State
from custom_components.reelay.core.store import tasks

from .rows import add_task

STATES = (State.DONE, State.SKIPPED, State.FAILED)
SOURCES = ("telegram:1", "telegram:2")


def fill(tx: sqlite3.Connection, number: int = 60) -> list[tuple[int, State, str, str]]:
    """Tasks in turn of each state and source, as (id, state, source, title)."""
    made = []
    for at in range(number):
        state, source, title = STATES[at % 3], SOURCES[at // 3 % 2], f"Work {at % 7}"
        made.append((add_task(tx, at, state=state, source=source, title=title), state, source, title))
    return made


@given(
    states=st.sets(st.sampled_from([*STATES, State.QUEUED])),
    source=st.sampled_from([None, *SOURCES, "nobody"]),
    text=st.sampled_from([None, "work 3", "K 1", "none"]),
    before=st.one_of(st.none(), st.integers(0, 70)),
    limit=st.integers(1, 20),
)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_page_is_what_filtering_all_tasks_would_give(
    tx: sqlite3.Connection,
    states: set[State],
    source: str | None,
    text: str | None,
    before: int | None,
    limit: int,
) -> None:
    everything = [(one.id, one.state, one.source, one.title) for one in tasks.page(tx, limit=1000)] or fill(
        tx
    )[::-1]
    wanted = [
        number
        for number, state, where, title in everything
        if (not states or state in states)
        and source in (None, where)
        and (text is None or text.lower() in title.lower())
    ]

    page = tasks.page(tx, states=states, source=source, text=text, before_id=before, limit=limit)

    assert [one.id for one in page] == [n for n in wanted if before is None or n < before][:limit]
    if text:
        assert tasks.count_with_text(tx, text, states=states, source=source) == len(wanted)


@pytest.mark.parametrize("text", ["100%", "a_b", "wow!"])
def test_a_search_takes_signs_literally(tx: sqlite3.Connection, text: str) -> None:
    number = add_task(tx, 1, title=f"x {text} y")
    add_task(tx, 2, title="100 a-b wow")
    assert [one.id for one in tasks.page(tx, text=text)] == [number]


def test_a_search_ends_at_its_bound(tx: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "TEXT_SCAN", 3)
    old = add_task(tx, 1, title="old")
    for number in range(2, 5):
        add_task(tx, number, title="new")

    assert tasks.page(tx, text="old") == []
    assert [one.id for one in tasks.page(tx, text="old", before_id=old + 1)] == [old]
    assert tasks.count_with_text(tx, "new") == 3
