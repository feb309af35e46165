"""The state of each alert category: told once when it turns bad, once when it is good again."""

from dataclasses import dataclass
from typing import Any

from .database import Tx

_COLUMNS = "category, state, since, until, reason, told"

GET = f"SELECT {_COLUMNS} FROM alerts WHERE category = ?"
EVERY = f"SELECT {_COLUMNS} FROM alerts ORDER BY category"
PUT = f"""
INSERT INTO alerts ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (category) DO UPDATE SET state = excluded.state, since = excluded.since, until = excluded.until,
  reason = excluded.reason, told = excluded.told"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """How a category is, since when, until when (ms), why (a code), and whether people were told of this state."""

    category: str
    state: str
    since: int
    until: int | None = None
    reason: str | None = None
    told: bool = False


def get(tx: Tx, category: str) -> Alert | None:
    """A category's state, None if nothing was ever said about it."""
    row = tx.execute(GET, (category,)).fetchone()
    return None if row is None else _alert(row)


def put(tx: Tx, alert: Alert) -> None:
    """Replace a category's state."""
    tx.execute(PUT, (alert.category, alert.state, alert.since, alert.until, alert.reason, alert.told))


def every(tx: Tx) -> list[Alert]:
    """All categories."""
    return [_alert(row) for row in tx.execute(EVERY).fetchall()]


def _alert(row: tuple[Any, ...]) -> Alert:
    category, state, since, until, reason, told = row
    return Alert(category=category, state=state, since=since, until=until, reason=reason, told=bool(told))
