"""What goes to a language model and what comes back, whichever way it is reached.

These are values only: a prompt and its schema live beside the decision they serve, the way of asking in `ai`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Rung(StrEnum):
    """How an answer's form is asked for, the strictest first. STRUCTURE is Home Assistant's own way (AI Task)."""

    STRUCTURE = "structure"
    SCHEMA = "json_schema"
    OBJECT = "json_object"
    TEXT = "text"


class Trouble(StrEnum):
    """Why there is no usable answer."""

    #: The server doesn't know this way of asking for a form.
    FORMAT = "format"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    UNREACHABLE = "unreachable"
    #: What came back isn't an answer of this interface: cut, HTML, no choices.
    BROKEN = "broken"
    TIMEOUT = "timeout"
    UNAUTHORIZED = "unauthorized"
    #: No such model, entity or address.
    NOT_FOUND = "not_found"
    #: The account is used up.
    QUOTA = "quota"
    #: The request itself is refused, for another reason than its format.
    REJECTED = "rejected"
    #: The model, or the filter around it, declines to answer.
    REFUSED = "refused"
    #: Answered, but twice not what was asked for.
    INVALID = "invalid"
    #: Too many calls wait already, or the server told us to wait for longer than this call may.
    BUSY = "busy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message to a model; `role` is `system`, `user` or `assistant`."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request. `schema` is a plain JSON schema (no references, no limits that servers disagree about)."""

    purpose: str
    turns: tuple[Turn, ...]
    schema: Mapping[str, Any]
    rung: Rung
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """What came back: `data` where the back end parsed it already, else `text`; `cut` by the limit of tokens."""

    text: str = ""
    data: Any = None
    tokens_in: int = 0
    tokens_out: int = 0
    cut: bool = False


class ModelFault(Exception):
    """A back end got no answer; `retry_after` in seconds where the server said it."""

    def __init__(self, trouble: Trouble, detail: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(f"{trouble}: {detail}" if detail else str(trouble))
        self.trouble = trouble
        self.detail = detail
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A typed failure of a whole call. `detail` is for the log and may quote the server, never a secret."""

    trouble: Trouble
    detail: str = ""
