"""Delivers the outbox at least once: a row per target, with a time limit, backoff and an end.

Rows that ask are dropped when their task's round or state has moved on; results, clears and alerts never.
Alerts are tried every minute for a day. The dispatcher sleeps until a row is written or due.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..model.notice import ASKING, NoticeKind, OutboxRow, clearing
from ..model.states import State
from ..model.task import Task
from ..pipeline.mover import Mover
from ..pipeline.plugins import cancelled
from ..pipeline.transition import Change
from ..pipeline.views import task_view
from ..ports import Clock, Notifier, NotifierBusy
from ..store import outbox, tasks
from ..store.database import Database, Tx

_LOGGER = logging.getLogger(__name__)

TIME_LIMIT = 30.0
ATTEMPTS = 8
BACKOFF_MS = (10_000, 30_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000)
FREE_MS = 600_000
ALERT_EVERY_MS = 60_000
ALERT_FOR_MS = 86_400_000
BATCH = 16

#: The state in which a question of this kind is still open.
_OPEN_IN = {
    NoticeKind.APPROVAL: frozenset({State.PENDING_APPROVAL}),
    NoticeKind.ATTENTION: frozenset({State.NEED_MANUAL, State.FAILED}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What became of one attempt."""

    row: OutboxRow
    kind: str
    receipt: str | None = None
    due_at: int = 0
    counts: bool = True
    reason: str = ""


class Dispatcher:
    """Runs from `start` (called when Home Assistant has started) until `stop`.

    `delivered` is called after each change of the outbox, so that its backlog is counted anew.
    """

    def __init__(
        self,
        *,
        db: Database,
        clock: Clock,
        mover: Mover,
        notifier_for: Callable[[str], Notifier | None],
        delivered: Callable[[], None] = lambda: None,
    ) -> None:
        self._db = db
        self._delivered = delivered
        self._clock = clock
        self._notifier_for = notifier_for
        self._awake = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None
        mover.listeners.append(self._on_changes)

    def start(self) -> None:
        """Begin to deliver."""
        if self._loop is None:
            self._loop = asyncio.create_task(self._supervise(), name="reelay outbox")

    async def stop(self) -> None:
        """Stop; what was not recorded as delivered is delivered again after the next start."""
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
            self._loop = None

    def wake(self) -> None:
        """Look at the outbox now."""
        self._awake.set()

    def _on_changes(self, changes: tuple[Change, ...]) -> None:
        if any(change.told for change in changes):
            self._awake.set()

    async def _supervise(self) -> None:
        failures = 0
        while True:
            try:
                await self._serve()
            except Exception:
                failures += 1
                _LOGGER.exception("Delivering notifications stopped unexpectedly; it starts again")
            await self._clock.sleep(min(60.0, 2.0 ** min(failures, 6)))

    async def _serve(self) -> None:
        while True:
            self._awake.clear()
            now = self._clock.now()
            rows, due = await self._db.read(partial(_due, now=now))
            if rows:
                outcomes = await asyncio.gather(*(self._attempt(row, task) for row, task in rows))
                await self._db.run(lambda tx: _record(tx, outcomes, self._clock.now()))  # noqa: B023
                self._delivered()
                continue
            timer = None if due is None else max(0.0, (due - now) / 1000)
            await self._sleep(timer)

    async def _sleep(self, seconds: float | None) -> None:
        if seconds is None:
            await self._awake.wait()
            return
        waiters = {
            asyncio.ensure_future(self._awake.wait()),
            asyncio.ensure_future(self._clock.sleep(seconds)),
        }
        try:
            await asyncio.wait(waiters, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for waiter in waiters:
                waiter.cancel()
            await asyncio.gather(*waiters, return_exceptions=True)

    async def _attempt(self, row: OutboxRow, task: Task | None) -> _Outcome:
        now = self._clock.now()
        facts: Mapping[str, Any] = {}
        if row.notice.task:
            if task is None or _moved_on(row, task):
                return _Outcome(row=row, kind="drop", reason="moved_on")
            facts = task_view(task)
        notifier = self._notifier_for(row.target)
        if notifier is None:
            return self._not_there(row, now, _backoff(row.attempts), "no_notifier")
        try:
            async with asyncio.timeout(TIME_LIMIT):
                receipt = await notifier.send(row.target, row.notice, facts)
        except NotifierBusy as busy:
            wait = int(busy.after * 1000)
            if not busy.counts:
                return self._not_there(row, now, wait, "busy")
            return self._again(row, now + wait, counts=True, reason="busy")
        except (Exception, asyncio.CancelledError) as err:
            # Whatever a notifier raises is a failed attempt.
            if cancelled(err):
                raise
            _LOGGER.debug("Notice %s was not delivered: %s", row.id, type(err).__name__)
            wait = ALERT_EVERY_MS if row.notice.kind is NoticeKind.ALERT else _backoff(row.attempts)
            return self._again(row, now + wait, counts=True, reason=type(err).__name__)
        return _Outcome(row=row, kind="deliver", receipt=receipt)

    def _not_there(self, row: OutboxRow, now: int, wait: int, reason: str) -> _Outcome:
        """A target that isn't registered yet costs no attempt for ten minutes."""
        return self._again(row, now + wait, counts=now - row.created >= FREE_MS, reason=reason)

    def _again(self, row: OutboxRow, due_at: int, *, counts: bool, reason: str) -> _Outcome:
        if row.notice.kind is NoticeKind.ALERT:
            ended = due_at - row.created > ALERT_FOR_MS
        else:
            ended = counts and row.attempts + 1 >= ATTEMPTS
        return _Outcome(
            row=row, kind="fail" if ended else "later", due_at=due_at, counts=counts, reason=reason
        )


def _due(tx: Tx, now: int) -> tuple[list[tuple[OutboxRow, Task | None]], int | None]:
    """The rows whose time has come, each with its task, and when the next one is due."""
    rows = outbox.due(tx, now, BATCH)
    found = [(row, tasks.get(tx, row.notice.task) if row.notice.task else None) for row in rows]
    return found, None if rows else outbox.next_due(tx, now)


def _backoff(attempts: int) -> int:
    return BACKOFF_MS[min(attempts, len(BACKOFF_MS) - 1)]


def _moved_on(row: OutboxRow, task: Task | None) -> bool:
    """Whether a question is over, or a notice's task is gone."""
    if task is None:
        return True
    if row.notice.kind not in ASKING:
        return False
    retrying = task.state is State.FAILED and task.due_at is not None
    return retrying or task.round != row.notice.round or task.state not in _OPEN_IN[row.notice.kind]


def _clear_outdated(tx: Tx, row: OutboxRow, receipt: str | None, now: int) -> None:
    """A question that was answered while it was on its way is cleared where it has arrived now."""
    task = tasks.get(tx, row.notice.task) if row.notice.kind in ASKING else None
    if task is not None and _moved_on(row, task):
        outbox.add(tx, clearing(row.notice, receipt, now), (row.target,), now)


def _record(tx: Tx, outcomes: list[_Outcome], now: int) -> None:
    for outcome in outcomes:
        row = outcome.row
        match outcome.kind:
            case "deliver":
                outbox.deliver(tx, row.id, outcome.receipt, now)
                _clear_outdated(tx, row, outcome.receipt, now)
            case "drop":
                # It may have been asked again since.
                if _moved_on(row, tasks.get(tx, row.notice.task)):
                    outbox.drop(tx, row.id, now, outcome.reason)
            case "fail":
                outbox.fail(tx, row.id, now, outcome.reason)
            case _:
                outbox.postpone(tx, row.id, outcome.due_at, row.attempts + outcome.counts)
