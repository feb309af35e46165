"""Marks: named positions that must survive a restart (a source's newest message, the bus cursor, a cooldown)."""

from .database import Tx

GET = "SELECT value FROM marks WHERE key = ?"
PUT = """
INSERT INTO marks (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"""
DROP = "DELETE FROM marks WHERE key = ?"


def get(tx: Tx, key: str) -> str | None:
    """A mark's value."""
    row: tuple[str] | None = tx.execute(GET, (key,)).fetchone()
    return None if row is None else row[0]


def put(tx: Tx, key: str, value: str | None) -> None:
    """Set a mark; None takes it off."""
    if value is None:
        tx.execute(DROP, (key,))
    else:
        tx.execute(PUT, (key, value))
