"""Attribution: whether the running code serves a person who waits for the answer.

The mark is a context variable: it can't be set by an argument or header, passes to what the turn awaits and
dies with it. Lanes, jobs and the outbox start without it, even when started from such a turn.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_INTERACTIVE: ContextVar[bool] = ContextVar("reelay_interactive", default=False)


@contextmanager
def interactive() -> Iterator[None]:
    """Mark what runs inside as a person's turn."""
    token = _INTERACTIVE.set(True)
    try:
        yield
    finally:
        _INTERACTIVE.reset(token)


@contextmanager
def background() -> Iterator[None]:
    """Take the mark off what runs inside: work started by a turn that outlives it."""
    token = _INTERACTIVE.set(False)
    try:
        yield
    finally:
        _INTERACTIVE.reset(token)


def is_interactive() -> bool:
    """Whether a person waits for what runs now."""
    return _INTERACTIVE.get()
