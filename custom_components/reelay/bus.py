"""The core's trace as events of Home Assistant: each one told at least once, in order, also across a restart.

Events are read by id from a durable cursor, never taken from a callback, so that none is lost between a commit and
its telling. The cursor is saved after a burst, not after each event: after a crash the last few are told again, with
the same `event_id`.
"""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, callback
from homeassistant.util import dt as dt_util

from .const import EVENT_TASK, REPLAY
from .core.app import App
from .core.model.errors import StoreError
from .core.tally import TraceEvent

if TYPE_CHECKING:
    from .runtime import ReelayConfigEntry

_LOGGER = logging.getLogger(__name__)

CURSOR = "bus_cursor"
BATCH = 100

#: Seconds of quiet after which the cursor is saved, and the longest wait after a failing database.
SAVE_AFTER = 5.0
MAX_BACKOFF = 60.0

#: A bus event stays far below Home Assistant's 32 KiB.
TITLE_LIMIT = 255


class BusPublisher:
    """Follows the trace of one entry's core."""

    def __init__(self, hass: HomeAssistant, entry: ReelayConfigEntry, app: App) -> None:
        self._hass = hass
        self._entry = entry
        self._app = app
        self._wake = asyncio.Event()
        self._cursor = self._saved = 0
        self._task: asyncio.Task[None] | None = None
        self._unsubscribe: CALLBACK_TYPE | None = None
        self._listeners: list[Callable[[TraceEvent], None]] = []

    @callback
    def async_listen(self, listener: Callable[[TraceEvent], None]) -> CALLBACK_TYPE:
        """Call `listener` with each event as it is told."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @callback
    def async_start(self) -> None:
        """Begin to tell, once automations are there to hear it."""
        if self._task is None:
            self._unsubscribe = self._app.on_event(self._happened)
            self._task = self._entry.async_create_background_task(
                self._hass, self._run(), "reelay: event bus"
            )

    async def async_stop(self) -> None:
        """Stop telling and save how far it came."""
        if self._task is None:
            return
        if self._unsubscribe is not None:
            self._unsubscribe()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._task = None
        try:
            await self._save()
        except StoreError as err:
            _LOGGER.debug("The cursor of the event bus was not saved: %s", err)

    @callback
    def _happened(self, _event: TraceEvent) -> None:
        self._wake.set()

    async def _run(self) -> None:
        """Supervised: a failing database is waited out, named once."""
        backoff = 0.0
        while True:
            try:
                await self._follow()
            except StoreError as err:
                if not backoff:
                    _LOGGER.warning("Task events are late: %s", err)
                backoff = min(MAX_BACKOFF, backoff * 2 or 1.0)
                await asyncio.sleep(backoff)

    async def _follow(self) -> None:
        if not self._cursor:
            self._cursor = self._saved = int(await self._app.mark(CURSOR) or 0)
        while True:
            self._wake.clear()
            while events := await self._app.events_after(self._cursor, BATCH):
                for event in events:
                    self._tell(event)
                    self._cursor = event.id
                await asyncio.sleep(0)
            try:
                async with asyncio.timeout(SAVE_AFTER if self._cursor != self._saved else None):
                    await self._wake.wait()
            except TimeoutError:
                await self._save()

    async def _save(self) -> None:
        if self._cursor != self._saved:
            cursor = self._cursor
            await self._app.set_mark(CURSOR, str(cursor))
            self._saved = cursor

    @callback
    def _tell(self, event: TraceEvent) -> None:
        if dt_util.utcnow() - _time(event) > REPLAY:
            return
        data = {"entry_id": self._entry.entry_id, **event_data(event)}
        self._hass.bus.async_fire(EVENT_TASK, data, context=_context(event))
        for listener in list(self._listeners):
            listener(event)


def event_data(event: TraceEvent) -> dict[str, Any]:
    """What automations see: no access code, no link, nothing long."""
    return {
        "event_id": event.id,
        "task_id": event.task,
        "state": str(event.to_state),
        "from_state": None if event.from_state is None else str(event.from_state),
        "code": event.code,
        "title": event.title[:TITLE_LIMIT],
        "source": event.source,
        "round": event.round,
        "actor": event.actor,
        "at": _time(event).isoformat(),
    }


def _time(event: TraceEvent) -> datetime:
    return datetime.fromtimestamp(event.at / 1000, UTC)


def _context(event: TraceEvent) -> Context:
    """The person behind an event, so that the logbook can say who it was."""
    kind, _, name = event.actor.partition(":")
    return Context(user_id=name if kind == "user" else None)
