"""What is to be told to people: data that the face renders at the moment of sending."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class NoticeKind(StrEnum):
    """What a notice is; those that ask lose their meaning when round or state have moved on."""

    APPROVAL = "approval"
    ATTENTION = "attention"
    RESULT = "result"
    LATE_FILES = "late_files"
    CLEAR = "clear"
    ALERT = "alert"


#: Dropped instead of sent when the task's round or state has moved on.
ASKING = frozenset({NoticeKind.APPROVAL, NoticeKind.ATTENTION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One thing to tell. `task` is 0 for alerts; `at` is when it happened, in ms."""

    kind: NoticeKind
    task: int
    round: int
    at: int
    data: dict[str, Any] = field(default_factory=dict)


def clearing(asked: Notice, receipt: str | None, at: int) -> Notice:
    """What takes a delivered question back from where it was shown."""
    data = {"receipt": receipt, "kind": asked.kind.value}
    return Notice(kind=NoticeKind.CLEAR, task=asked.task, round=asked.round, at=at, data=data)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """A notice for one target, kept until it is delivered or given up."""

    id: int
    target: str
    notice: Notice
    attempts: int
    due_at: int
    created: int
    receipt: str | None = None
