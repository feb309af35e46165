"""Messages as received, one row per revision. An edit that comes before any send changes its row in place."""

from dataclasses import dataclass
from typing import Any

from ..model.message import Message
from . import codec
from .database import Tx

_COLUMNS = "id, revision, facts_hash, received, body, source, message_id, posted"

PUT = """
INSERT INTO messages (source, message_id, revision, posted, received, facts_hash, body)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (source, message_id, revision) DO UPDATE SET facts_hash = excluded.facts_hash, body = excluded.body
RETURNING id"""
LATEST = f"""
SELECT {_COLUMNS} FROM messages WHERE source = ? AND message_id = ? ORDER BY revision DESC LIMIT 1"""
GET = f"SELECT {_COLUMNS} FROM messages WHERE id = ?"
UPDATE = "UPDATE messages SET body = ?, facts_hash = ? WHERE id = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow:
    """A stored revision; `facts_hash` covers what makes an edit matter. `received` in ms."""

    id: int
    revision: int
    facts_hash: str
    message: Message
    received: int


def put(tx: Tx, message: Message, *, revision: int, facts_hash: str, received: int) -> int:
    """Store a revision and return its row id; a revision that is known keeps its row."""
    values = (
        message.source,
        message.message_id,
        revision,
        message.posted,
        received,
        facts_hash,
        codec.dump_message(message),
    )
    row: tuple[int] = tx.execute(PUT, values).fetchone()
    return row[0]


def latest(tx: Tx, source: str, message_id: str) -> MessageRow | None:
    """The newest revision of a message."""
    row = tx.execute(LATEST, (source, message_id)).fetchone()
    return None if row is None else _row(row)


def get(tx: Tx, id: int) -> MessageRow:
    """A revision by its row id; `LookupError` for one that doesn't exist."""
    row = tx.execute(GET, (id,)).fetchone()
    if row is None:
        raise LookupError(f"no message {id}")
    return _row(row)


def update(tx: Tx, id: int, message: Message, facts_hash: str) -> None:
    """Replace a revision's text in place."""
    tx.execute(UPDATE, (codec.dump_message(message), facts_hash, id))


def _row(row: tuple[Any, ...]) -> MessageRow:
    number, revision, facts_hash, received, body, source, message_id, posted = row
    # Retention empties a body and leaves the identity, so that the message isn't taken for a new one.
    message = (
        codec.load_message(body)
        if body
        else Message(source=source, message_id=message_id, text="", posted=posted)
    )
    return MessageRow(id=number, revision=revision, facts_hash=facts_hash, message=message, received=received)
