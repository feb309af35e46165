"""A plugin's own value for one task."""

from typing import Any

from . import codec
from .database import Tx

LIMIT = 64 * 1024

GET = "SELECT value FROM plugin_state WHERE task = ? AND plugin = ?"
PUT = """
INSERT INTO plugin_state (task, plugin, value) VALUES (?, ?, ?)
ON CONFLICT (task, plugin) DO UPDATE SET value = excluded.value"""
DROP = "DELETE FROM plugin_state WHERE task = ? AND plugin = ?"


def get(tx: Tx, plugin: str, task: int) -> Any:
    """What the plugin kept, None at first."""
    row: tuple[str] | None = tx.execute(GET, (task, plugin)).fetchone()
    return None if row is None else codec.load(row[0])


def put(tx: Tx, plugin: str, task: int, value: Any) -> None:
    """Keep a JSON value of at most 64 KB, `ValueError` above; None forgets it."""
    if value is None:
        tx.execute(DROP, (task, plugin))
        return
    text = codec.dump(value)
    if len(text.encode()) > LIMIT:
        raise ValueError(f"the state of plugin {plugin} is larger than {LIMIT} bytes")
    tx.execute(PUT, (task, plugin, text))
