"""The only way a task changes: compare-and-set along a path of edges, with trace, questions and results.

One call is part of one transaction. A lost compare-and-set means that somebody was first; the whole
transaction function is rolled back by raising `Moved`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..model.context import PipelineContext
from ..model.decision import Code
from ..model.notice import ASKING, Notice, NoticeKind, clearing
from ..model.states import EDGES, LANE_OF, RAISES_ROUND, Lane, State
from ..model.task import LANE, Actor, Task, TraceLine
from ..store import claims, outbox, policies, tasks, trace
from ..store.database import Tx


class Moved(Exception):
    """The task has left the state or round it was read in: do nothing, say "already handled"."""

    def __init__(self, task: int) -> None:
        super().__init__(f"task {task} has moved on")
        self.task = task


class _Keep:
    """Marks a value that a move leaves as it is."""


KEEP: Final = _Keep()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One edge of a path and the reason for taking it."""

    to: State
    code: Code
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a committed transaction did to one task; `old` is None for a new one, `lines` its new trace.

    `told` says that there is something new for people in the outbox.
    """

    old: Task | None
    new: Task
    lines: tuple[TraceLine, ...] = ()
    told: bool = False


#: What people are told when a path ends here, unless the caller keeps quiet.
_TOLD: dict[State, NoticeKind] = {
    State.PENDING_APPROVAL: NoticeKind.APPROVAL,
    State.NEED_MANUAL: NoticeKind.ATTENTION,
    State.FAILED: NoticeKind.ATTENTION,
    State.DONE: NoticeKind.RESULT,
}

#: A person needn't be told what a person did.
_BY_PERSON = frozenset({Code.IGNORED, Code.ABANDONED})

#: Whoever waits for a task's claims is woken when a move leaves it without any.
_MAY_HOLD_CLAIMS = frozenset({State.QUEUED, State.SAVING, State.NEED_MANUAL, State.FAILED})


@dataclass(slots=True)
class Recorder:
    """Collects the changes of one transaction, so that they are announced after its commit only."""

    now: int
    targets: tuple[str, ...]
    changes: list[Change] = field(default_factory=list)
    told: bool = False

    def restart(self) -> None:
        """Forget everything: the transaction begins anew."""
        self.changes.clear()
        self.told = False

    def tell(self, tx: Tx, notice: Notice, targets: tuple[str, ...] | None = None) -> None:
        """Put a notice on its way, to all targets unless some are named; goes before its task's move."""
        outbox.add(tx, notice, self.targets if targets is None else targets, self.now)
        self.told = True

    def receive(self, tx: Tx, task: Task, actor: Actor, code: Code) -> None:
        """Note a task that this transaction made, with the first line of its trace."""
        trace.add(tx, task.id, self.now, None, task.state, actor.id, code, {})
        self.changes.append(Change(old=None, new=task))

    def remark(self, tx: Tx, task: Task, code: Code, detail: dict[str, Any]) -> None:
        """A line of a task's trace for what happened without a change of state; not twice in a row."""
        last = trace.of_task(tx, task.id, 1)
        if not last or (last[0].code, last[0].detail) != (code, detail):
            # Others may have moved the task on since it was read.
            state = last[0].to_state if last else task.state
            trace.add(tx, task.id, self.now, state, state, LANE.id, code, detail)

    def move(
        self,
        tx: Tx,
        task: Task,
        steps: Sequence[Step],
        *,
        actor: Actor,
        context: PipelineContext | None = None,
        due_at: int | None = None,
        lane: _Keep | Lane | None = KEEP,
        retry_from: State | None = None,
        attempts: int | None = None,
        waits_for: int | None = None,
        interactive: bool | None = None,
        policy: str | None = None,
        title: str | None = None,
        wanted_by: str | None = None,
        sent: bool | None = None,
        received: bool | None = None,
        quiet: bool = False,
        new_round: bool = False,
        data: dict[str, Any] | None = None,
        also: Callable[[Tx], None] | None = None,
    ) -> Task:
        """Take `task` along `steps` (none: only its columns change) and return it as it is now.

        `lane` follows from the last state unless given; `due_at` None means at once. `data` goes into the notice.
        `new_round` outdates whoever works on the task although it stays in its state.
        Raises `Moved` when somebody was first and `ValueError` for an edge that the table doesn't have.
        """
        state, counter = task.state, task.round + new_round
        for step in steps:
            if step.to not in EDGES[state]:
                raise ValueError(f"no edge {state} → {step.to}")
            state = step.to
            counter += state in RAISES_ROUND
        if isinstance(lane, _Keep):
            lane = self._lane(task, state, steps, retry_from, due_at)
        new = replace(
            task,
            state=state,
            round=counter,
            lane=lane,
            due_at=due_at,
            retry_from=retry_from if steps else task.retry_from,
            waits_for=waits_for,
            attempts=task.attempts if attempts is None else attempts,
            interactive=task.interactive if interactive is None else interactive,
            context=context or task.context,
            policy=policy or task.policy,
            title=title or task.title,
            wanted_by=wanted_by or task.wanted_by,
            sent=task.sent if sent is None else sent,
            received=task.received if received is None else received,
            updated=self.now if steps else task.updated,
        )
        if not tasks.write(tx, task, new):
            raise Moved(task.id)
        lines = self._trace(tx, task, steps, actor)
        if steps:
            self._tell(tx, task, new, steps[-1], quiet, data or {})
        if also is not None:
            also(tx)
        self.changes.append(Change(old=task, new=new, lines=lines, told=self.told))
        if task.state in _MAY_HOLD_CLAIMS:
            self._wake_waiting(tx, task.id)
        return new

    def _trace(self, tx: Tx, task: Task, steps: Sequence[Step], actor: Actor) -> tuple[TraceLine, ...]:
        lines, origin = [], task.state
        for step in steps:
            number = trace.add(tx, task.id, self.now, origin, step.to, actor.id, step.code, step.detail)
            lines.append(
                TraceLine(
                    id=number,
                    task=task.id,
                    at=self.now,
                    from_state=origin,
                    to_state=step.to,
                    actor=actor.id,
                    code=step.code,
                    detail=step.detail,
                )
            )
            origin = step.to
        return tuple(lines)

    def _lane(
        self,
        task: Task,
        state: State,
        steps: Sequence[Step],
        retry_from: State | None,
        due_at: int | None,
    ) -> Lane | None:
        """A failed task that is to be retried waits in the lane of the state it goes back to."""
        if not steps:
            return task.lane
        if state is State.FAILED:
            return LANE_OF[retry_from] if retry_from and due_at is not None else None
        return LANE_OF.get(state)

    def _tell(self, tx: Tx, old: Task, new: Task, last: Step, quiet: bool, data: dict[str, Any]) -> None:
        if new.state is not old.state or new.round != old.round:
            for row in outbox.receipts(tx, old.id):
                if row.notice.kind in ASKING:
                    clear = clearing(row.notice, row.receipt, self.now)
                    self.tell(tx, clear, (row.target,))
        kind = _TOLD.get(new.state)
        if new.state is State.SKIPPED and last.code not in _BY_PERSON:
            kind = NoticeKind.RESULT if policies.get(tx, new.policy).notify_skipped else None
        retrying = new.state is State.FAILED and new.due_at is not None
        if kind is None or quiet or retrying:
            return
        notice = Notice(
            kind=kind,
            task=new.id,
            round=new.round,
            at=self.now,
            data={"code": last.code.value, "detail": last.detail} | data,
        )
        self.tell(tx, notice)

    def _wake_waiting(self, tx: Tx, holder: int) -> None:
        if claims.holds(tx, holder):
            return
        for waiting in tasks.waiting_for(tx, holder):
            task = tasks.get(tx, waiting)
            if task is not None:
                self.move(tx, task, (), actor=LANE, due_at=None)
