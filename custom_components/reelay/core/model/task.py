"""A task: one offer's way through the pipeline."""

from dataclasses import dataclass

from .context import PipelineContext
from .states import Lane, Standing, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One row of the task table, with the identity of its message joined in.

    `due_at` (ms) says when it may go on; None together with a lane means at once. `waits_for` names the task
    whose claim blocks this one. `interactive` puts it before others. `sent` and `received` summarise the
    transfer record, because permissions depend on them.
    """

    id: int
    message: int
    source: str
    message_id: str
    revision: int
    offer: str
    state: State
    round: int
    lane: Lane | None
    interactive: bool
    due_at: int | None
    attempts: int
    retry_from: State | None
    waits_for: int | None
    wanted_by: str | None
    follows: int | None
    policy: str
    title: str
    context: PipelineContext
    sent: bool
    received: bool
    created: int
    updated: int

    @property
    def standing(self) -> Standing:
        """What an action's permission depends on."""
        return Standing(state=self.state, sent=self.sent, received=self.received, retry_from=self.retry_from)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceLine:
    """One line of a task's history; `id` is the public id of the event."""

    id: int
    task: int
    at: int
    from_state: State | None
    to_state: State
    actor: str
    code: str
    detail: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who acts: `user:<id>`, `phone:<device>`, `plugin:<name>`, `source:<name>`, `system` or `lane`.

    `interactive` marks a person who waits for the answer.
    """

    id: str
    interactive: bool = False


SYSTEM = Actor(id="system")
LANE = Actor(id="lane")
