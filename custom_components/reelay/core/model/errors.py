"""Errors carry a class, because the class decides what happens next (design: One context, one state machine).

Transient: tried again by itself. Permanent: only a person helps. Busy: the request was not executed and no
retry is consumed. Unknown: a write may have been executed; only reads may follow.
"""

from enum import StrEnum
from typing import Any

from .decision import Code


class Scope(StrEnum):
    """How much a busy answer stops: one task, or everything on that drive's account."""

    TASK = "task"
    ACCOUNT = "account"


class ReelayError(Exception):
    """Base of all errors that carry a code; `data` holds facts for the text, never a secret."""

    def __init__(self, code: Code, **data: Any) -> None:
        super().__init__(f"{code}" + (f" {data}" if data else ""))
        self.code = code
        self.data = data


class Transient(ReelayError):
    """Not executed or a failed read; the same thing may work later."""


class Permanent(ReelayError):
    """Repeating can't help: dead share, wrong code, failed validation."""


class Busy(ReelayError):
    """The drive did not execute the request and says when it may (`until` in ms, None: unknown)."""

    def __init__(
        self, code: Code, *, until: int | None = None, scope: Scope = Scope.TASK, **data: Any
    ) -> None:
        super().__init__(code, **data)
        self.until = until
        self.scope = scope


class Unknown(ReelayError):
    """A write ended without an answer that proves anything: it may have been executed."""


class AlreadyReceived(ReelayError):
    """The drive says that it has received these files before: evidence, never success."""


class CommandError(Exception):
    """A person's command that can't be carried out; `key` names the translated sentence."""

    def __init__(self, key: str, **placeholders: Any) -> None:
        super().__init__(f"{key} {placeholders}" if placeholders else key)
        self.key = key
        self.placeholders = placeholders


class StoreError(Exception):
    """The database can't be opened or written; `key` names the translated sentence and repair issue."""

    def __init__(self, key: str, **placeholders: Any) -> None:
        super().__init__(f"{key} {placeholders}" if placeholders else key)
        self.key = key
        self.placeholders = placeholders
