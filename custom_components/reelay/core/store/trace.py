"""The history of tasks, line by line; a line's id is the public id of its event and is never given twice."""

from collections.abc import Mapping
from typing import Any

from ..model.states import State
from ..model.task import TraceLine
from . import codec
from .database import Tx

_COLUMNS = "id, task, at, from_state, to_state, actor, code, detail"

ADD = """
INSERT INTO trace (task, at, from_state, to_state, actor, code, detail) VALUES (?, ?, ?, ?, ?, ?, ?)"""
OF_TASK = f"SELECT {_COLUMNS} FROM trace WHERE task = ? ORDER BY id DESC LIMIT ?"
AFTER = f"SELECT {_COLUMNS} FROM trace WHERE id > ? ORDER BY id LIMIT ?"
LAST_ID = "SELECT seq FROM sqlite_sequence WHERE name = 'trace'"


def add(
    tx: Tx,
    task: int,
    at: int,
    from_state: State | None,
    to_state: State,
    actor: str,
    code: str,
    detail: Mapping[str, Any],
) -> int:
    """Write a line and return its id."""
    cursor = tx.execute(ADD, (task, at, from_state, to_state, actor, code, codec.dump(detail)))
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def of_task(tx: Tx, task: int, limit: int = 200) -> list[TraceLine]:
    """The newest `limit` lines of a task, oldest of them first."""
    return [_line(row) for row in reversed(tx.execute(OF_TASK, (task, limit)).fetchall())]


def after(tx: Tx, id: int, limit: int) -> list[TraceLine]:
    """The lines that follow event `id`, in the order of events."""
    return [_line(row) for row in tx.execute(AFTER, (id, limit)).fetchall()]


def last_id(tx: Tx) -> int:
    """The id of the newest event there has been, also when its line is gone; 0 before the first."""
    row = tx.execute(LAST_ID).fetchone()
    return 0 if row is None else int(row[0])


def _line(row: tuple[Any, ...]) -> TraceLine:
    number, task, at, from_state, to_state, actor, code, detail = row
    return TraceLine(
        id=number,
        task=task,
        at=at,
        from_state=None if from_state is None else State(from_state),
        to_state=State(to_state),
        actor=actor,
        code=code,
        detail=codec.load(detail),
    )
