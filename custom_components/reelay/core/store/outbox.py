"""Notices on their way to people: one row per target, unique by (kind, task, round, target)."""

from collections.abc import Iterable
from typing import Any

from ..model.notice import ASKING, Notice, NoticeKind, OutboxRow
from . import codec
from .database import Tx

_COLUMNS = "id, kind, task, round, target, at, due_at, attempts, data, receipt"

ADD = """
INSERT INTO outbox (kind, task, round, target, at, due_at, data) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (kind, task, round, target) DO UPDATE SET
  at = excluded.at, due_at = excluded.due_at, data = excluded.data, attempts = 0,
  closed_at = NULL, outcome = NULL, reason = NULL
WHERE closed_at IS NOT NULL"""
# A question that is asked again takes the place of the one on screen: clearing that would take the new one away.
KEEP = """
UPDATE outbox SET closed_at = ?, outcome = 'dropped', reason = 'asked_again'
WHERE kind = 'clear' AND task = ? AND round = ? AND target = ? AND closed_at IS NULL"""
SHOWN = """
UPDATE outbox SET told = 1
WHERE kind IN ('approval', 'attention') AND task = ? AND round = ? AND target = ? AND outcome = 'delivered'"""
CLEARED = """
UPDATE outbox SET told = 0
WHERE kind IN ('approval', 'attention') AND task = ? AND round = ? AND target = ?"""
DUE = f"""
SELECT {_COLUMNS} FROM outbox WHERE closed_at IS NULL AND due_at <= ? ORDER BY due_at, id LIMIT ?"""
NEXT_DUE = """
SELECT due_at FROM outbox WHERE closed_at IS NULL AND due_at > ? ORDER BY due_at LIMIT 1"""
DELIVER = """
UPDATE outbox SET closed_at = ?, outcome = 'delivered', told = 1, receipt = ? WHERE id = ?
RETURNING kind, task, round, target, id"""
REPLACED = """
UPDATE outbox SET told = 0
WHERE kind IN ('approval', 'attention') AND task = ? AND round = ? AND target = ? AND id <> ?"""
POSTPONE = "UPDATE outbox SET due_at = ?, attempts = ? WHERE id = ? AND closed_at IS NULL"
CLOSE = "UPDATE outbox SET closed_at = ?, outcome = ?, reason = ? WHERE id = ? AND closed_at IS NULL"
RECEIPTS = f"""
SELECT {_COLUMNS} FROM outbox WHERE kind IN ('approval', 'attention') AND task = ? AND told = 1 ORDER BY id"""
BACKLOG = "SELECT count(*) FROM outbox WHERE closed_at IS NULL"


def add(tx: Tx, notice: Notice, targets: Iterable[str], due_at: int) -> None:
    """Put a notice on its way to each target.

    A row of the same kind, task, round and target that is still open stays as it is; one that is closed is opened
    again with the new data.
    """
    data = codec.dump(notice.data)
    for target in targets:
        key = (notice.task, notice.round, target)
        if notice.kind is NoticeKind.CLEAR:
            tx.execute(CLEARED, key)
        elif notice.kind in ASKING and tx.execute(KEEP, (due_at, *key)).rowcount:
            tx.execute(SHOWN, key)
        tx.execute(ADD, (notice.kind, notice.task, notice.round, target, notice.at, due_at, data))


def due(tx: Tx, now: int, limit: int) -> list[OutboxRow]:
    """The open rows whose time has come, longest waiting first."""
    return [_row(row) for row in tx.execute(DUE, (now, limit)).fetchall()]


def next_due(tx: Tx, now: int) -> int | None:
    """When the next open row is due after `now`."""
    row = tx.execute(NEXT_DUE, (now,)).fetchone()
    return None if row is None else int(row[0])


def deliver(tx: Tx, id: int, receipt: str | None, now: int) -> None:
    """Close a row as delivered; the receipt is what its notification is cleared by.

    A question takes the place of another one of its round.
    """
    for kind, *key in tx.execute(DELIVER, (now, receipt, id)).fetchall():
        if kind in ASKING:
            tx.execute(REPLACED, key)


def postpone(tx: Tx, id: int, due_at: int, attempts: int) -> None:
    """Try an open row again at `due_at`."""
    tx.execute(POSTPONE, (due_at, attempts, id))


def fail(tx: Tx, id: int, now: int, reason: str) -> None:
    """Give an open row up."""
    tx.execute(CLOSE, (now, "failed", reason, id))


def drop(tx: Tx, id: int, now: int, reason: str) -> None:
    """Close an open row that has lost its meaning."""
    tx.execute(CLOSE, (now, "dropped", reason, id))


def receipts(tx: Tx, task: int) -> list[OutboxRow]:
    """The questions of a task that are on screens: delivered, and not cleared since."""
    return [_row(row) for row in tx.execute(RECEIPTS, (task,)).fetchall()]


def backlog(tx: Tx) -> int:
    """How many rows are open."""
    row: tuple[int] = tx.execute(BACKLOG).fetchone()
    return row[0]


def _row(row: tuple[Any, ...]) -> OutboxRow:
    number, kind, task, counter, target, at, due_at, attempts, data, receipt = row
    notice = Notice(kind=NoticeKind(kind), task=task, round=counter, at=at, data=codec.load(data))
    return OutboxRow(
        id=number, target=target, notice=notice, attempts=attempts, due_at=due_at, created=at, receipt=receipt
    )
