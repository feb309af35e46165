"""A task's states, the closed table of edges between them, and which action a person may take when.

Standard library only: the table is read by tests, by the face and by documentation, before any
requirement is installed.
"""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where a task is on its way."""

    RECEIVED = "received"
    PARSED = "parsed"
    PENDING_APPROVAL = "pending_approval"
    QUEUED = "queued"
    SAVING = "saving"
    STORED = "stored"
    ORGANIZING = "organizing"
    DONE = "done"
    NEED_MANUAL = "need_manual"
    FAILED = "failed"
    SKIPPED = "skipped"
    REJECTED = "rejected"


EDGES: dict[State, frozenset[State]] = {
    State.RECEIVED: frozenset({State.PARSED, State.FAILED}),
    State.PARSED: frozenset({State.PENDING_APPROVAL, State.QUEUED, State.SKIPPED, State.REJECTED}),
    State.PENDING_APPROVAL: frozenset({State.QUEUED, State.SKIPPED, State.RECEIVED}),
    State.QUEUED: frozenset({State.SAVING, State.SKIPPED, State.FAILED}),
    State.SAVING: frozenset({State.STORED, State.NEED_MANUAL, State.QUEUED, State.FAILED}),
    State.STORED: frozenset({State.ORGANIZING}),
    State.ORGANIZING: frozenset({State.DONE, State.NEED_MANUAL, State.FAILED, State.STORED}),
    State.NEED_MANUAL: frozenset({State.QUEUED, State.SKIPPED}),
    State.FAILED: frozenset({State.RECEIVED, State.QUEUED, State.STORED, State.SKIPPED}),
    State.SKIPPED: frozenset({State.RECEIVED}),
    State.REJECTED: frozenset({State.RECEIVED}),
    State.DONE: frozenset(),
}

#: Entering one of these raises the task's round: an answer to an older question counts for nothing.
RAISES_ROUND = frozenset({State.RECEIVED, State.PENDING_APPROVAL, State.NEED_MANUAL})

#: A task in one of these waits for nothing but a person, time or a message: it may stay there for good.
RESTING = frozenset(
    {State.PENDING_APPROVAL, State.DONE, State.NEED_MANUAL, State.FAILED, State.SKIPPED, State.REJECTED}
)

#: States from which a task goes on by itself.
ACTIVE = frozenset(State) - RESTING


class Lane(StrEnum):
    """Which worker takes a task; a task without a lane is moved by a person only.

    `recheck` reads the staging of a task whose send had an unclear end, also after it was abandoned.
    `approval` holds questions whose time-out is counted by the same due time. `held` tasks wait for a plugin or
    drive that their policy names and that isn't loaded.
    """

    IDENTIFY = "identify"
    TRANSFER = "transfer"
    ORGANIZE = "organize"
    RECHECK = "recheck"
    APPROVAL = "approval"
    HELD = "held"


LANE_OF: dict[State, Lane] = {
    State.RECEIVED: Lane.IDENTIFY,
    State.PARSED: Lane.IDENTIFY,
    State.PENDING_APPROVAL: Lane.APPROVAL,
    State.QUEUED: Lane.TRANSFER,
    State.SAVING: Lane.TRANSFER,
    State.STORED: Lane.ORGANIZE,
    State.ORGANIZING: Lane.ORGANIZE,
}


class Action(StrEnum):
    """What a person can do to a task."""

    APPROVE = "approve"
    IGNORE = "ignore"
    VERIFY = "verify"
    RETRY = "retry"
    REORGANIZE = "reorganize"
    REIDENTIFY = "reidentify"
    CORRECT = "correct"
    ASSIGN_FILES = "assign_files"
    RECEIVE_CODE = "receive_code"
    ABANDON = "abandon"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The facts an action's permission depends on."""

    state: State
    sent: bool = False
    received: bool = False
    retry_from: State | None = None


_BEFORE_A_SEND = frozenset({State.FAILED, State.SKIPPED, State.REJECTED})


def allowed(action: Action, at: Standing) -> bool:
    """Tell whether `action` may be taken on a task that stands `at`."""
    match action:
        case Action.APPROVE | Action.IGNORE:
            return at.state is State.PENDING_APPROVAL
        case Action.VERIFY:
            return at.state is State.NEED_MANUAL and at.sent
        case Action.RETRY:
            return at.state is State.FAILED
        case Action.REORGANIZE:
            return (at.state is State.NEED_MANUAL and at.received) or (
                at.state is State.FAILED and at.retry_from is State.STORED
            )
        case Action.REIDENTIFY | Action.CORRECT:
            return at.state is State.PENDING_APPROVAL or (at.state in _BEFORE_A_SEND and not at.sent)
        case Action.ASSIGN_FILES | Action.RECEIVE_CODE:
            return at.state is State.PENDING_APPROVAL or (
                at.state in (State.FAILED, State.NEED_MANUAL) and not at.sent
            )
        case Action.ABANDON:
            return at.state in (State.QUEUED, State.FAILED, State.NEED_MANUAL)


def actions(at: Standing) -> tuple[Action, ...]:
    """All actions that may be taken on a task that stands `at`, in the order of `Action`."""
    return tuple(action for action in Action if allowed(action, at))
