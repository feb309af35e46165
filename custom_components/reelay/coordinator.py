"""Pushes the core's snapshots to the entities, at most one a second, however fast the core works."""

import logging
from datetime import datetime
from typing import TYPE_CHECKING

from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator

from .const import DOMAIN
from .core.app import App
from .core.tally import Snapshot

if TYPE_CHECKING:
    from .runtime import ReelayConfigEntry

_LOGGER = logging.getLogger(__name__)

#: Seconds between two writes of states.
PACE = 1.0


class ReelayCoordinator(DataUpdateCoordinator[Snapshot]):
    """Polls nothing: the first change is passed on at once, those within the next second together."""

    config_entry: ReelayConfigEntry

    def __init__(self, hass: HomeAssistant, entry: ReelayConfigEntry, app: App) -> None:
        super().__init__(hass, _LOGGER, config_entry=entry, name=DOMAIN, update_interval=None)
        self.data = app.snapshot
        self._newest = app.snapshot
        self._pause: CALLBACK_TYPE | None = None
        self._unsubscribe = app.on_snapshot(self._changed)

    @callback
    def async_stop(self) -> None:
        """Listen no more, and leave no timer behind."""
        self._unsubscribe()
        if self._pause is not None:
            self._pause()
            self._pause = None

    @callback
    def _changed(self, snapshot: Snapshot) -> None:
        self._newest = snapshot
        if self._pause is None:
            self._publish()

    @callback
    def _publish(self, _now: datetime | None = None) -> None:
        self._pause = None
        if self._newest == self.data:
            return
        job = HassJob(self._publish, "reelay: pace of states", cancel_on_shutdown=True)
        self._pause = async_call_later(self.hass, PACE, job)
        self.async_set_updated_data(self._newest)
