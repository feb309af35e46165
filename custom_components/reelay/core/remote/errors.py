"""How talking to a remote can fail. Whether it may be tried again is the class, why is a word for health and trace.

The caller decides what that means for a task: a catalogue that is silent is a missing signal, no failure.
"""

from enum import StrEnum


class Why(StrEnum):
    """The reasons, as words that a trace or a health state can hold."""

    NO_KEY = "no_key"
    BAD_KEY = "bad_key"
    NOT_FOUND = "not_found"
    REFUSED = "refused"
    LIMITED = "limited"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    SERVER_ERROR = "server_error"
    BROKEN_ANSWER = "broken_answer"
    TOO_LARGE = "too_large"
    WRONG_TYPE = "wrong_type"
    HOST_NOT_ALLOWED = "host_not_allowed"
    PRIVATE_ADDRESS = "private_address"
    TOO_MANY_REDIRECTS = "too_many_redirects"


class RemoteError(Exception):
    """A remote gave no usable answer; never holds an address with a key in it."""

    def __init__(self, why: Why, *, status: int | None = None, until: int | None = None) -> None:
        super().__init__(why.value if status is None else f"{why.value} ({status})")
        self.why = why
        self.status = status
        self.until = until


class RemoteTransient(RemoteError):
    """The same request may work later."""


class RemotePermanent(RemoteError):
    """The same request can't work; something has to be changed first."""


class RemoteBusy(RemoteError):
    """Not asked, or refused for its frequency; `until` (ms) says when it may be asked again, where known."""
