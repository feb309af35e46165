"""Lanes: each takes what is due from its index range, runs a few tasks at a time, and sleeps until woken.

A lane never polls: it waits for a change of a task, of a gate, or for the next due time. What goes wrong in a
stage is put into the task here, by the class of the error and nowhere else.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from ..model.decision import Code
from ..model.errors import Busy, Permanent, ReelayError, Scope, StoreError
from ..model.states import Lane, State
from ..model.task import LANE, Task
from ..ports import Clock, Health
from ..store import tasks
from ..store.database import Database, Tx
from .gates import Gates
from .mover import Mover
from .plugins import cancelled
from .stage import Stage
from .transition import Change, Moved, Recorder, Step

_LOGGER = logging.getLogger(__name__)

PICK = 16
ATTEMPTS = 3
BACKOFF_MS = (30_000, 120_000, 600_000)
BUSY_MS = 60_000
SOON_MS = 5_000
NEVER = -1

Handler = Callable[[Task, Stage], Awaitable[None]]

#: Lanes that ask something of a drive: they stand still while its gate is closed.
_GATED = frozenset({Lane.TRANSFER, Lane.ORGANIZE, Lane.RECHECK})

#: What a state fails to, and where a retry goes on from. In all others only reads happen, or a question is
#: open: the task stays as it is and is looked at again.
_FAILS_TO = {
    State.RECEIVED: State.RECEIVED,
    State.QUEUED: State.QUEUED,
    State.ORGANIZING: State.STORED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LanePlan:
    """A lane's handler and how many tasks it runs at a time."""

    lane: Lane
    handler: Handler
    width: int


def busy_until(err: Busy, now: int) -> int:
    """When a task may ask again; a time that is over by this clock means soon, not at once and over and over."""
    return now + BUSY_MS if err.until is None else max(err.until, now + SOON_MS)


def _pick(tx: Tx, lane: Lane, now: int, limit: int, busy: frozenset[int]) -> tuple[list[Task], int | None]:
    """What is due in a lane, and when the next task will be; that isn't looked for where as many as asked are due."""
    ready = tasks.ready(tx, lane, now, limit, busy)
    return ready, tasks.next_due(tx, lane, now) if len(ready) < limit else None


class Lanes:
    """Runs all lanes of one app.

    `prepare` builds a task's stage, or answers with the name of what is missing (the task is then held).
    `forget(tx, task)` drops a prepared manifest with its claims when a queued task fails.
    """

    def __init__(
        self,
        *,
        db: Database,
        clock: Clock,
        gates: Gates,
        mover: Mover,
        health: Health,
        prepare: Callable[[Task], Awaitable[Stage | str]],
        forget: Callable[[Tx, Task], None],
        plans: tuple[LanePlan, ...],
    ) -> None:
        self._db = db
        self._clock = clock
        self._gates = gates
        self._mover = mover
        self._health = health
        self._prepare = prepare
        self._forget = forget
        self._plans = {plan.lane: plan for plan in plans}
        self._awake = {lane: asyncio.Event() for lane in self._plans}
        self._running: dict[Lane, dict[int, asyncio.Task[None]]] = {lane: {} for lane in self._plans}
        self._parked: dict[Lane, set[int]] = {lane: set() for lane in self._plans}
        #: Tasks that have left the lane which still works on them.
        self._gone: dict[Lane, set[int]] = {lane: set() for lane in self._plans}
        #: Lanes for which there may be more to do as soon as a place is free.
        self._more: set[Lane] = set()
        self._roots: dict[str, asyncio.Lock] = {}
        self._loops: list[asyncio.Task[None]] = []
        mover.listeners.append(self._on_changes)

    def start(self) -> None:
        """Begin to work."""
        for lane in self._plans:
            self._loops.append(asyncio.create_task(self._supervise(lane), name=f"reelay lane {lane}"))
        self._loops.append(asyncio.create_task(self._watch_gates(), name="reelay gates"))

    async def stop(self) -> None:
        """Cancel and await everything that runs; what was cut is found again by the transfer record."""
        working = [task for lane in self._running.values() for task in lane.values()]
        for task in (*self._loops, *working):
            task.cancel()
        await asyncio.gather(*self._loops, *working, return_exceptions=True)
        self._loops.clear()

    def wake(self, lane: Lane) -> None:
        """Let a lane look for work."""
        if lane in self._awake:
            self._awake[lane].set()

    def idle(self) -> bool:
        """Whether no task is being worked on at this moment."""
        return not any(self._running.values())

    def working(self, task: int) -> bool:
        """Whether a lane is working on this task at this moment."""
        return any(task in running for running in self._running.values())

    def _on_changes(self, changes: tuple[Change, ...]) -> None:
        for change in changes:
            number, now_in = change.new.id, change.new.lane
            for lane, running in self._running.items():
                if number in running:
                    (self._gone[lane].discard if lane is now_in else self._gone[lane].add)(number)
                elif lane is now_in:
                    self.wake(lane)

    async def _watch_gates(self) -> None:
        while True:
            await self._gates.changed.wait()
            self._gates.changed.clear()
            for lane in self._plans:
                self._parked[lane].clear()
                self.wake(lane)

    async def _supervise(self, lane: Lane) -> None:
        """Keep a lane alive: a fault in picking up (the store) is reported, waited out and tried again."""
        failures = 0
        while True:
            try:
                await self._serve(lane)
            except StoreError as err:
                failures += 1
                self._health.report("database", "bad", reason=err.key)
            except Exception:
                failures += 1
                _LOGGER.exception("The %s lane stopped unexpectedly; it starts again", lane)
            await self._clock.sleep(min(60.0, 2.0 ** min(failures, 6)) * (0.5 + self._clock.random()))

    async def _serve(self, lane: Lane) -> None:
        awake, running, width = self._awake[lane], self._running[lane], self._plans[lane].width
        while True:
            awake.clear()
            until = self._held_until(lane)
            free = min(PICK, width - len(running))
            if until is None and free > 0:
                now, busy = self._clock.now(), frozenset(running) | self._parked[lane]
                ready, until = await self._db.read(partial(_pick, lane=lane, now=now, limit=free, busy=busy))
                self._health.report("database", "ok")
                for task in ready:
                    work = self._work(lane, task)
                    running[task.id] = asyncio.create_task(work, name=f"reelay {lane} {task.id}")
                self._more.discard(lane)
                if len(ready) == free:
                    self._more.add(lane)
                    if len(running) < width:
                        awake.set()
            await self._wait(awake, until)

    def _held_until(self, lane: Lane) -> int | None:
        """When a gated lane may look again (NEVER: when woken); None where nothing holds it."""
        if lane is Lane.APPROVAL:
            return NEVER if self._gates.paused else None
        rest = self._gates.rest() if lane in _GATED else None
        return NEVER if rest == 0 else rest

    async def _wait(self, awake: asyncio.Event, until: int | None) -> None:
        if until is None or until == NEVER:
            await awake.wait()
            return
        seconds = max(0.0, (until - self._clock.now()) / 1000)
        timer = asyncio.ensure_future(self._clock.sleep(seconds))
        waker = asyncio.ensure_future(awake.wait())
        try:
            await asyncio.wait({timer, waker}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for future in (timer, waker):
                future.cancel()
            await asyncio.gather(timer, waker, return_exceptions=True)

    async def _work(self, lane: Lane, task: Task) -> None:
        try:
            stage = await self._prepare(task)
            if isinstance(stage, str):
                await self._hold(task, stage)
            elif lane in _GATED and self._gates.closed(stage.drive.name) is not None:
                self._parked[lane].add(task.id)
            elif lane is Lane.ORGANIZE:
                root = f"{stage.policy.provider}:{stage.policy.root}"
                async with self._roots.setdefault(root, asyncio.Lock()):
                    await self._run(lane, task, stage)
            else:
                await self._run(lane, task, stage)
        except Moved:
            _LOGGER.debug("Task %s moved on while the %s lane worked on it", task.id, lane)
        except StoreError as err:
            self._health.report("database", "bad", reason=err.key)
            await self._clock.sleep(5)
        except Exception:
            _LOGGER.exception("Task %s could not be given back after an error", task.id)
            await self._clock.sleep(5)
        finally:
            del self._running[lane][task.id]
            if lane in self._more or task.id not in self._gone[lane]:
                self.wake(lane)
            self._gone[lane].discard(task.id)

    async def _hold(self, task: Task, missing: str) -> None:
        """A task whose policy names what isn't loaded waits for it, and says so once."""

        def change(tx: Tx, recorder: Recorder) -> None:
            recorder.move(tx, task, (), actor=LANE, lane=Lane.HELD, due_at=task.due_at)
            recorder.remark(tx, task, Code.PLUGIN_MISSING, {"plugin": missing})

        await self._mover.commit(change)

    async def _run(self, lane: Lane, task: Task, stage: Stage) -> None:
        if task.state is State.FAILED and task.retry_from is not None:
            task = await self._mover.move(
                task, Step(to=task.retry_from, code=Code.RETRIED), due_at=None, lane=lane
            )
        try:
            await self._plans[lane].handler(task, stage)
        except Moved, StoreError:
            raise
        except (Exception, asyncio.CancelledError) as err:
            # Settled into the task; a stranger's drive may raise what tells us to stop, too.
            if cancelled(err):
                raise
            current = await self._db.read(lambda tx: tasks.get(tx, task.id))
            # Whoever moved the task on meanwhile has settled it, too: an open question keeps its time.
            same = current is not None and (current.round, current.lane) == (task.round, lane)
            account = isinstance(err, Busy) and err.scope is Scope.ACCOUNT
            if current is not None and (same or account):
                await self.settle(current, stage, err)

    async def settle(self, task: Task, stage: Stage, err: BaseException) -> None:
        """Put what went wrong in a stage into the task, by the class of the error."""
        now = self._clock.now()
        if isinstance(err, Busy):
            if err.scope is Scope.ACCOUNT:
                self._gates.close(stage.drive.name, err.code, err.until)
            else:
                await self._mover.move(task, due_at=busy_until(err, now))
            return
        if isinstance(err, ReelayError):
            code, detail = err.code, err.data
        else:
            code, detail = Code.INTERNAL_ERROR, {"error": type(err).__name__}
            _LOGGER.error("Task %s met an unexpected error", task.id, exc_info=err)
        again = not isinstance(err, Permanent) and task.attempts < ATTEMPTS
        backoff = BACKOFF_MS[min(task.attempts, len(BACKOFF_MS) - 1)]
        due = now + int(backoff * (0.75 + self._clock.random() / 2)) if again else None
        step = Step(to=State.FAILED, code=code, detail=detail)
        steps: tuple[Step, ...] = (step,)
        if task.state is State.PARSED and not again:
            # It waited for a look at the share that can't be had: the only way to fail leads over the queue.
            steps = (Step(to=State.QUEUED, code=code), step)
        elif task.state not in _FAILS_TO:
            await self._mover.move(task, due_at=now + backoff, attempts=task.attempts + 1)
            return
        await self._mover.commit(
            lambda tx, recorder: recorder.move(
                tx,
                task,
                steps,
                actor=LANE,
                due_at=due,
                retry_from=_FAILS_TO.get(task.state, State.RECEIVED),
                attempts=task.attempts + 1,
                also=(lambda tx: self._forget(tx, task)) if task.state is State.QUEUED else None,
            )
        )
