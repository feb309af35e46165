"""The numbers and events that the face shows, kept in memory and refreshed by what has been committed."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from .health import HealthBoard
from .model.decision import Code
from .model.states import ACTIVE, RESTING, State
from .model.task import Task, TraceLine
from .pipeline.gates import Gates
from .pipeline.mover import Mover
from .pipeline.transition import Change
from .ports import Clock
from .store import outbox, tasks, trace
from .store.database import Database, Tx

_LOGGER = logging.getLogger(__name__)

PACE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What sensors show. Times in ms; `cooldown_until` is None without a cooldown."""

    counts: Mapping[State, int] = field(default_factory=dict)
    retrying: int = 0
    stored_today: int = 0
    oldest_waiting: int | None = None
    outbox_backlog: int = 0
    drive_login_ok: bool = True
    cooldown_until: int | None = None
    paused: bool = False

    @property
    def queue_depth(self) -> int:
        """Tasks that go on by themselves."""
        return sum(count for state, count in self.counts.items() if state in ACTIVE)

    @property
    def waiting_approval(self) -> int:
        """Open questions."""
        return self.counts.get(State.PENDING_APPROVAL, 0)

    @property
    def needs_attention(self) -> int:
        """Tasks that only a person moves on."""
        failed = self.counts.get(State.FAILED, 0) - self.retrying
        return self.counts.get(State.NEED_MANUAL, 0) + failed


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceEvent:
    """A trace line worth telling, with what identifies its task to people."""

    id: int
    task: int
    at: int
    round: int
    from_state: State | None
    to_state: State
    code: str
    actor: str
    title: str
    source: str
    detail: dict[str, Any]


class Tally:
    """Follows committed changes. Listeners are called on the loop; the face coalesces further."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        mover: Mover,
        board: HealthBoard,
        gates: Gates,
        day_start: Callable[[int], int],
    ) -> None:
        self._db = db
        self._clock = clock
        self._gates = gates
        self._day_start = day_start
        self._dirty = asyncio.Event()
        self._counts: dict[tuple[str, State], int] = {}
        self._retrying: Counter[str] = Counter()
        self._loop: asyncio.Task[None] | None = None
        self.snapshot = Snapshot()
        self.listeners: list[Callable[[Snapshot], None]] = []
        self.event_listeners: list[Callable[[TraceEvent], None]] = []
        mover.listeners.append(self._on_changes)
        board.listeners.append(lambda _: self.refresh())

    async def start(self) -> None:
        """Count once; from here on changes are followed in memory."""
        self._counts, self._retrying = await self._db.read(_count)
        await self._refresh()
        self._loop = asyncio.create_task(self._follow(), name="reelay tally")

    async def stop(self) -> None:
        """Stop following."""
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
            self._loop = None

    async def recount(self) -> None:
        """Count all tasks again, after some have been removed.

        In the writer's line, so that each change is either counted or announced later, never both.
        """
        self._counts, self._retrying = await self._db.run(_count, interactive=False)
        self.refresh()

    def count(self, states: Collection[State], source: str | None, at_rest: bool = False) -> int:
        """How many tasks pass the filters; no states or source means any.

        `at_rest` leaves out failed ones that are going to be retried by themselves.
        """
        found = sum(
            count
            for (where, state), count in self._counts.items()
            if (not states or state in states) and source in (None, where)
        )
        retried = at_rest and (not states or State.FAILED in states)
        return found - self._retried(source) if retried else found

    def _retried(self, source: str | None) -> int:
        return self._retrying.total() if source is None else self._retrying[source]

    def refresh(self) -> None:
        """Make a new snapshot soon."""
        self._dirty.set()

    def dirty(self) -> bool:
        """Whether a newer snapshot is on its way."""
        return self._dirty.is_set()

    def _on_changes(self, changes: tuple[Change, ...]) -> None:
        for change in changes:
            if change.old is not None:
                self._count(change.old, -1)
            self._count(change.new, 1)
        self._dirty.set()
        self._tell(changes)

    def _count(self, task: Task, by: int) -> None:
        kind = task.source, task.state
        self._counts[kind] = self._counts.get(kind, 0) + by
        if task.state is State.FAILED and task.due_at is not None:
            self._retrying[task.source] += by

    def _tell(self, changes: tuple[Change, ...]) -> None:
        if not self.event_listeners:
            return
        for change in changes:
            for line in change.lines:
                if _telling(line):
                    event = _event(line, change.new)
                    for listener in tuple(self.event_listeners):
                        listener(event)

    async def _follow(self) -> None:
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            try:
                await self._refresh()
            except Exception:
                _LOGGER.exception("The numbers could not be refreshed")
            await self._clock.sleep(PACE)

    async def _refresh(self) -> None:
        today = self._day_start(self._clock.now())
        stored, oldest, backlog = await self._db.read(
            lambda tx: (tasks.stored_since(tx, today), tasks.oldest_waiting(tx), outbox.backlog(tx))
        )
        closed = self._gates.states()
        cooldowns = [gate.until for gate in closed.values() if gate.reason is Code.COOLDOWN]
        self.snapshot = Snapshot(
            counts={state: count for state in State if (count := self.count((state,), None))},
            retrying=self._retried(None),
            stored_today=stored,
            oldest_waiting=oldest,
            outbox_backlog=backlog,
            drive_login_ok=all(gate.reason is not Code.LOGIN_DEAD for gate in closed.values()),
            cooldown_until=max((until for until in cooldowns if until), default=None),
            paused=self._gates.paused,
        )
        for listener in tuple(self.listeners):
            listener(self.snapshot)

    async def events_after(self, event: int, limit: int) -> list[TraceEvent]:
        """Events with a higher id, oldest first; about `limit` of them, and none only where there are no more."""

        def read(tx: Tx) -> list[TraceEvent]:
            events: list[TraceEvent] = []
            last = event
            while len(events) < limit and (lines := trace.after(tx, last, limit)):
                last = lines[-1].id
                for line in lines:
                    task = tasks.get(tx, line.task) if _telling(line) else None
                    if task is not None:
                        events.append(_event(line, task))
            return events

        return await self._db.read(read)


def _telling(line: TraceLine) -> bool:
    """Whether a task has come to rest; an edit's way back to the start only leads through such a state."""
    return line.to_state in RESTING and line.from_state is not line.to_state and line.code != Code.EDITED


def _count(tx: Tx) -> tuple[dict[tuple[str, State], int], Counter[str]]:
    return tasks.counts(tx), Counter(tasks.retrying(tx))


def _event(line: TraceLine, task: Task) -> TraceEvent:
    return TraceEvent(
        id=line.id,
        task=task.id,
        at=line.at,
        round=task.round,
        from_state=line.from_state,
        to_state=line.to_state,
        code=line.code,
        actor=line.actor,
        title=task.title,
        source=task.source,
        detail=dict(line.detail),
    )
