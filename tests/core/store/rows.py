"""Rows for tests: values that say nothing, save where a test says so."""

import sqlite3
from typing import Any

from custom_components.reelay.core.model.context import PipelineContext
from custom_components.reelay.core.model.message import Message
from custom_components.reelay.core.model.offer import Kind, Offer, ShareRef, Work
from custom_components.reelay.core.model.share import ManifestFile, Phase, Role
from custom_components.reelay.core.model.states import Lane, State
from custom_components.reelay.core.model.task import Task
from custom_components.reelay.core.store import batches, messages, tasks, works

SOURCE = "telegram:7"


def message(number: int, source: str = SOURCE, text: str = "Film (2001)") -> Message:
    return Message(source=source, message_id=str(number), text=text, posted=1_000 + number)


def context(key: str = "share:abc") -> PipelineContext:
    return PipelineContext(offer=Offer(key=key, share=ShareRef(code="abc")))


def add_task(tx: sqlite3.Connection, number: int = 1, **columns: Any) -> int:
    """A task of its own message, by default waiting at once in the identify lane."""
    source = columns.pop("source", SOURCE)
    row = messages.put(tx, message(number, source), revision=0, facts_hash="f", received=2_000)
    sent = columns.pop("sent", False)
    values: dict[str, Any] = {
        "message": row,
        "source": source,
        "offer": "share:abc",
        "state": State.RECEIVED,
        "lane": Lane.IDENTIFY,
        "interactive": False,
        "due_at": None,
        "wanted_by": None,
        "follows": None,
        "policy": "policy",
        "title": f"Title {number}",
        "context": context(),
        "now": 3_000,
    }
    task = tasks.insert(tx, **(values | columns))
    if sent:
        tx.execute("UPDATE tasks SET sent = 1 WHERE id = ?", (task,))
    return task


def task(tx: sqlite3.Connection, number: int) -> Task:
    found = tasks.get(tx, number)
    assert found is not None
    return found


def add_batch(
    tx: sqlite3.Connection, task: int, n: int = 1, phase: Phase = Phase.PREPARED, share: str = "share:abc"
) -> int:
    return batches.insert(tx, task, n, phase, "demo", "/Reelay", share, f"{task}-{n}-x")


def add_work(tx: sqlite3.Connection, title: str = "Film", **fields: Any) -> int:
    return works.intern(tx, Work(**({"kind": Kind.FILM, "title": title} | fields)))


def file(batch: int, source_id: str, work: int, **fields: Any) -> ManifestFile:
    values: dict[str, Any] = {
        "batch": batch,
        "source_id": source_id,
        "path": f"{source_id}.mkv",
        "size": 10,
        "sha1": None,
        "role": Role.VIDEO,
        "work": work,
        "season": -1,
        "episode": -1,
        "episode_last": -1,
    }
    return ManifestFile(**(values | fields))
