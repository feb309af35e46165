"""What the core needs from outside and what lower rooms tell upwards. The face implements these."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .model.llm import ModelAnswer, ModelRequest, Rung
from .model.message import Message
from .model.notice import Notice
from .model.points import Point
from .policy.schema import Policy

if TYPE_CHECKING:
    import httpx


class Clock(Protocol):
    """Time, randomness and sleep come from here only, so that tests own them."""

    def now(self) -> int:
        """Wall-clock time in ms since the epoch."""

    def monotonic(self) -> float:
        """Seconds that never go back."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""

    def random(self) -> float:
        """A number in [0, 1)."""

    def token(self) -> str:
        """Eight characters that can't be guessed, for names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRules:
    """A source as the owner configured it: its key, name and merged policy."""

    key: str
    name: str
    policy: Policy


class Settings(Protocol):
    """The owner's live configuration. Policies are read at intake only; the rest is live by design."""

    def source(self, key: str) -> SourceRules:
        """The rules of a source; unknown keys get the global ones."""

    def targets(self) -> tuple[str, ...]:
        """Whom notices go to: `mobile_app:<device id>`, `persistent`, or a plugin notifier's `<name>:<id>`."""

    def paused(self) -> bool:
        """Whether the owner has paused new drive traffic."""


class Credentials(Protocol):
    """The owner's secrets: `tmdb` (a v3 key or a v4 token), and those of logins and models."""

    def get(self, name: str) -> str | None:
        """The secret as it is at this moment; None where the owner gave none."""


class Http(Protocol):
    """Makes HTTP clients on the surroundings' TLS settings."""

    def client(self) -> httpx.AsyncClient:
        """A client with no cookies in it, of the caller's own: whoever asked for it closes it."""


class NotifierBusy(Exception):
    """A notifier asks to be tried again; `after` in seconds, `counts` False where no attempt is consumed."""

    def __init__(self, after: float, *, counts: bool = True) -> None:
        super().__init__(f"again after {after} s")
        self.after = after
        self.counts = counts


class Notifier(Protocol):
    """Sends one notice to one target and returns a receipt to clear it by."""

    async def send(self, target: str, notice: Notice, facts: Mapping[str, Any]) -> str | None:
        """Deliver; `facts` is the task's view at the moment of sending, empty for alerts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthState:
    """How a component is: `ok`, `bad` or `waiting`, since when, until when, and why (a code)."""

    component: str
    state: str
    since: int
    until: int | None = None
    reason: str | None = None


class Health(Protocol):
    """Where rooms report how what they depend on is doing."""

    def report(
        self, component: str, state: str, *, until: int | None = None, reason: str | None = None
    ) -> None:
        """Note a component's state; reporting the same state again is free."""


class ModelBackend(Protocol):
    """A way to a language model: an endpoint, or an entity of Home Assistant."""

    @property
    def key(self) -> str:
        """What is being asked: endpoint and model, without a secret."""

    @property
    def model(self) -> str:
        """The model's name, for the ledger."""

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """The ways of asking for a form that may work, the best first."""

    async def ask(self, request: ModelRequest, seconds: float) -> ModelAnswer:
        """One request, no retry; raises `ModelFault`. It ends within `seconds` or is cancelled."""


class Sink(Protocol):
    """Where sources hand over messages; returning means they are durable."""

    async def deliver(self, messages: tuple[Message, ...]) -> None:
        """Persist messages of one source, oldest first."""


#: Called at named points of a transfer; nothing in production, a stop or a kill in tests.
Probe = Callable[[Point], Awaitable[None]]


async def no_probe(point: Point) -> None:
    """Pass every point."""
