"""How the things Reelay depends on are doing: the last state per component, kept in memory, told on change."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from zlib import crc32

from .model.errors import StoreError
from .model.notice import Notice, NoticeKind
from .ports import Clock, HealthState
from .store import alerts, outbox
from .store.alerts import Alert
from .store.database import Database, Tx

_LOGGER = logging.getLogger(__name__)

HealthListener = Callable[[HealthState], None]


class HealthBoard:
    """The `Health` port: reporting the same state again is free; each change is logged and told once."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._states: dict[str, HealthState] = {}
        self.listeners: list[HealthListener] = []

    def report(
        self, component: str, state: str, *, until: int | None = None, reason: str | None = None
    ) -> None:
        """Note a component's state."""
        known = self._states.get(component)
        if known is not None and (known.state, known.until, known.reason) == (state, until, reason):
            return
        since = known.since if known is not None and known.state == state else self._clock.now()
        now = HealthState(component=component, state=state, since=since, until=until, reason=reason)
        self._states[component] = now
        # That something works from the start is nothing to log; who was told before a restart that it doesn't, hears.
        if state != (known.state if known else "ok"):
            _LOGGER.info("%s is %s%s", component, state, f" ({reason})" if reason else "")
        for listener in tuple(self.listeners):
            listener(now)

    def forget(self, component: str) -> None:
        """A component is gone: it has no state any more."""
        self._states.pop(component, None)

    def states(self) -> tuple[HealthState, ...]:
        """All components."""
        return tuple(self._states.values())

    def state(self, component: str) -> HealthState | None:
        """One component."""
        return self._states.get(component)


#: Components whose states people are told about; the database can't even keep a notice while it is bad.
_TOLD = ("drive", "source:", "model", "catalogue")


class Alerts:
    """One alert when a component turns bad, one when it is good again; kept, so that a restart repeats neither."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        board: HealthBoard,
        targets: Callable[[], tuple[str, ...]],
        wake: Callable[[], None],
    ) -> None:
        self._db = db
        self._clock = clock
        self._board = board
        self._targets = targets
        self._wake = wake
        self._dirty = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None
        board.listeners.append(lambda _: self._dirty.set())

    def start(self) -> None:
        """Begin to compare the board with what people were told."""
        self._loop = asyncio.create_task(self._follow(), name="reelay alerts")

    async def stop(self) -> None:
        """Stop."""
        if self._loop is not None:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)
            self._loop = None

    async def _follow(self) -> None:
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            states = tuple(state for state in self._board.states() if state.component.startswith(_TOLD))
            try:
                await self._db.run(
                    partial(_tell, states=states, targets=self._targets(), now=self._clock.now())
                )
            except StoreError as err:
                _LOGGER.warning("An alert could not be kept: %s", err.key)
                await self._clock.sleep(60)
                self._dirty.set()
            self._wake()


def _tell(tx: Tx, *, states: tuple[HealthState, ...], targets: tuple[str, ...], now: int) -> None:
    for state in states:
        known = alerts.get(tx, state.component)
        if (known.state if known else "ok") == state.state:
            continue
        alert = Alert(
            category=state.component,
            state=state.state,
            since=state.since,
            until=state.until,
            reason=state.reason,
            told=True,
        )
        alerts.put(tx, alert)
        data = {
            "category": state.component,
            "state": "good" if state.state == "ok" else "bad",
            "reason": state.reason,
            "since": state.since,
            "until": state.until,
        }
        # Each change of each category is a notice of its own: (kind, task, round, target) is unique.
        change = state.since * 1000 + crc32(state.component.encode()) % 1000
        notice = Notice(kind=NoticeKind.ALERT, task=0, round=change, at=now, data=data)
        outbox.add(tx, notice, targets, now)
