import sqlite3
from dataclasses import replace

import pytest

from custom_components.reelay.core.model.message import Button, Entity, Message
from custom_components.reelay.core.store import messages

from .rows import message

FULL = Message(
    source="telegram:7",
    message_id="12",
    text="片名 🎬 https://115.com/s/abc",
    posted=5,
    entities=(Entity(type="url", offset=6, length=21, url="https://115.com/s/abc"),),
    buttons=((Button(text="Open", url="https://x"), Button(text="Copy", copy="ab12")),),
    preview_url="https://p",
    edited=6,
    person="user:1",
    meta={"views": 3, "album": ["a", "b"]},
)


@pytest.mark.parametrize("one", [FULL, message(1)])
def test_a_message_comes_back_as_it_was(tx: sqlite3.Connection, one: Message) -> None:
    number = messages.put(tx, one, revision=0, facts_hash="h", received=9)

    row = messages.get(tx, number)

    assert row.message == one
    assert (row.id, row.revision, row.facts_hash, row.received) == (number, 0, "h", 9)


def test_the_newest_revision_is_found_by_the_messages_identity(tx: sqlite3.Connection) -> None:
    messages.put(tx, message(1), revision=0, facts_hash="a", received=1)
    newest = messages.put(tx, message(1), revision=1, facts_hash="b", received=2)
    messages.put(tx, message(1, source="telegram:8"), revision=5, facts_hash="c", received=3)

    found = messages.latest(tx, "telegram:7", "1")

    assert found is not None
    assert (found.id, found.revision) == (newest, 1)
    assert messages.latest(tx, "telegram:7", "2") is None


def test_a_revision_that_comes_again_keeps_its_row(tx: sqlite3.Connection) -> None:
    first = messages.put(tx, message(1), revision=0, facts_hash="a", received=1)
    assert messages.put(tx, message(1), revision=0, facts_hash="a", received=9) == first
    assert messages.get(tx, first).received == 1


def test_an_edit_changes_its_row_in_place(tx: sqlite3.Connection) -> None:
    number = messages.put(tx, message(1), revision=0, facts_hash="a", received=1)
    edited = replace(message(1), text="other", edited=7)

    messages.update(tx, number, edited, "b")

    row = messages.get(tx, number)
    assert (row.message, row.facts_hash, row.revision) == (edited, "b", 0)


def test_a_message_that_does_not_exist_is_an_error(tx: sqlite3.Connection) -> None:
    with pytest.raises(LookupError):
        messages.get(tx, 1)
