"""Retention: what is removed after a while, in slices small enough to share the writer with everybody else."""

from . import llm_calls
from .database import Tx

DAY = 24 * 60 * 60 * 1000
#: Rows per call. A task brings its trace along, hence fewer of them.
ROWS = 500
TASKS = 100

OUTBOX = """
DELETE FROM outbox WHERE id IN (
  SELECT id FROM outbox WHERE closed_at IS NOT NULL AND outcome = ? AND closed_at < ? ORDER BY closed_at LIMIT ?)"""
KEPT_DAYS = "SELECT key, json_extract(body, '$.keep_skipped_days') FROM policies"
PRUNABLE = """
SELECT id, message FROM tasks
WHERE policy = ? AND state IN ('skipped', 'rejected') AND sent = 0 AND lane IS NULL AND updated < ? LIMIT ?"""
DELETE_TASK = "DELETE FROM tasks WHERE id = ?"
EMPTY_MESSAGE = """
UPDATE messages SET body = '' WHERE id = ? AND NOT EXISTS (SELECT 1 FROM tasks WHERE message = messages.id)"""


def prune(tx: Tx, now: int, *, delivered_days: int = 7, failed_days: int = 30) -> int:
    """Remove one slice of what has been kept long enough; call it again until it returns 0.

    Closed outbox rows and calls of models go by age; skipped and rejected tasks by the days their policy keeps them,
    0 meaning for good. A task with a send record stays. The identity of a message stays, so that it isn't taken for
    a new one.
    """
    removed = _outbox(tx, now, delivered_days, failed_days)
    return removed or _tasks(tx, now) or llm_calls.prune(tx, now)


def _outbox(tx: Tx, now: int, delivered_days: int, failed_days: int) -> int:
    removed = 0
    for outcome, days in (
        ("delivered", delivered_days),
        ("dropped", delivered_days),
        ("failed", failed_days),
    ):
        if removed < ROWS:
            removed += tx.execute(OUTBOX, (outcome, now - days * DAY, ROWS - removed)).rowcount
    return removed


def _tasks(tx: Tx, now: int) -> int:
    removed = 0
    for policy, days in tx.execute(KEPT_DAYS).fetchall():
        if not days or removed >= TASKS:
            continue
        rows = tx.execute(PRUNABLE, (policy, now - days * DAY, TASKS - removed)).fetchall()
        for task, message in rows:
            tx.execute(DELETE_TASK, (task,))
            tx.execute(EMPTY_MESSAGE, (message,))
        removed += len(rows)
    return removed
