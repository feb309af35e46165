"""Builds the core for one entry and holds what belongs to it until it is unloaded or Home Assistant stops."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, NoReturn

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import EVENT_HOMEASSISTANT_STOP
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryError, ConfigEntryNotReady
from homeassistant.helpers.event import async_track_time_change
from homeassistant.helpers.start import async_at_started
from homeassistant.util import dt as dt_util

from .adapters import EntrySettings
from .bus import BusPublisher
from .const import CONF_MODE, DATA_PLUGINS, DOMAIN, Mode
from .coordinator import ReelayCoordinator
from .core.app import App, Build
from .core.builtin import demo_plugins
from .core.clock import SystemClock
from .core.model.errors import StoreError
from .core.plugin_api import ExtensionPoint, Plugin
from .folders import folders
from .issues import (
    DATABASE_ISSUES,
    async_database_failed,
    async_database_works,
    async_health,
    async_plugins_missing,
)
from .notifiers.mobile_app import MobileAppNotifier
from .notifiers.persistent import PersistentNotifier

type ReelayConfigEntry = ConfigEntry[Runtime]


#: Minutes are counted from here for the number of a new database's first task.
_EPOCH_MINUTES = 29_453_760  # 2026-01-01T00:00Z


def _first_task() -> int:
    """Above every number that an earlier database, or the demo, has used: tasks are rarer than minutes.

    An answer on an old notification names its task by number, and must not reach another one.
    """
    return int(dt_util.utcnow().timestamp()) // 60 - _EPOCH_MINUTES


@dataclass(slots=True, kw_only=True)
class Runtime:
    """One running core with its ties to Home Assistant."""

    hass: HomeAssistant
    entry: ReelayConfigEntry
    mode: Mode
    app: App
    settings: EntrySettings
    coordinator: ReelayCoordinator
    bus: BusPublisher
    _options: Mapping[str, Any]
    _stopping: asyncio.Future[None] | None = None

    @property
    def drive_login(self) -> bool:
        """Whether the drive that tasks go to is set up and lets us in."""
        drive = self.app.plugins.named(ExtensionPoint.STORAGE, self.settings.policy.provider)
        return drive is not None and self.app.snapshot.drive_login_ok

    @callback
    def async_begin(self) -> None:
        """The entities are there: once Home Assistant has started too, tell what happens and ask."""
        self.entry.async_on_unload(async_at_started(self.hass, self._begin))

    @callback
    def _begin(self, _hass: HomeAssistant) -> None:
        self.app.begin()
        self.bus.async_start()
        self.async_look_for_plugins()

    async def async_stop(self) -> None:
        """Stop everything, once: on unload, on a failed set-up, or when Home Assistant stops."""
        if self._stopping is None:
            self._stopping = self.hass.loop.create_future()
            self.coordinator.async_stop()
            try:
                await self.bus.async_stop()
            finally:
                try:
                    await self.app.stop()
                finally:
                    self._stopping.set_result(None)
        await asyncio.shield(self._stopping)

    async def async_updated(self, hass: HomeAssistant, entry: ReelayConfigEntry) -> None:
        """The one listener for changes of the entry: all act at once but the way from demo to own accounts."""
        if Mode(entry.data[CONF_MODE]) is not self.mode:
            hass.config_entries.async_schedule_reload(entry.entry_id)
            return
        if entry.options == self._options:
            return
        self._options = entry.options
        self.app.settings_changed()
        self.coordinator.async_update_listeners()
        self.async_look_for_plugins()

    @callback
    def async_midnight(self, _now: datetime) -> None:
        """What has been stored today starts at zero, without anything happening."""
        self.app.refresh()

    @callback
    def async_add_plugin(self, plugin: Plugin) -> None:
        """An integration with a plugin has been loaded later. Raises ValueError for one that doesn't fit."""
        self.app.add_plugin(plugin)
        self.async_look_for_plugins()

    @callback
    def async_look_for_plugins(self) -> None:
        """Say which plugins the rules want and nobody brings; their absence holds tasks back."""
        wanted = {name for name, switch in self.settings.policy.plugins.items() if switch.enabled}
        async_plugins_missing(self.hass, tuple(sorted(wanted.difference(self.app.plugins.names()))))


async def async_start(hass: HomeAssistant, entry: ReelayConfigEntry) -> Runtime:
    """Start the core for an entry. Only an unusable database keeps it from starting."""
    mode = Mode(entry.data[CONF_MODE])
    settings = EntrySettings(hass, entry)
    places = folders(hass, mode)
    finder = hass.data[DATA_PLUGINS]
    builtin = demo_plugins(settings.policy.root) if mode is Mode.DEMO else ()
    plugins = await finder.async_connect({plugin.name for plugin in builtin})
    build = Build(
        folder=places.data,
        cache=places.cache / "cache.db",
        clock=SystemClock(),
        settings=settings,
        notifiers={"mobile_app": MobileAppNotifier(hass), "persistent": PersistentNotifier(hass)},
        plugins=(*builtin, *plugins),
        day_start=day_start,
        first_task=1 if mode is Mode.DEMO else _first_task(),
    )
    try:
        app = await App.start(build)
    except StoreError as err:
        _refuse(hass, err)
    async_database_works(hass)
    runtime = Runtime(
        hass=hass,
        entry=entry,
        mode=mode,
        app=app,
        settings=settings,
        coordinator=ReelayCoordinator(hass, entry, app),
        bus=BusPublisher(hass, entry, app),
        _options=entry.options,
    )
    _tie(runtime)
    return runtime


def _tie(runtime: Runtime) -> None:
    """Tie a core to the life of its entry. Entries aren't unloaded when Home Assistant stops, so both count."""
    hass, entry = runtime.hass, runtime.entry

    async def stop(_event: Event) -> None:
        await runtime.async_stop()

    entry.async_on_unload(runtime.async_stop)
    entry.async_on_unload(hass.bus.async_listen_once(EVENT_HOMEASSISTANT_STOP, stop))
    entry.async_on_unload(entry.add_update_listener(runtime.async_updated))
    entry.async_on_unload(runtime.app.on_health(partial(async_health, hass)))
    entry.async_on_unload(async_track_time_change(hass, runtime.async_midnight, hour=0, minute=0, second=0))
    entry.async_on_unload(hass.data[DATA_PLUGINS].async_listen(runtime.async_add_plugin))
    for state in runtime.app.health:
        async_health(hass, state)


def day_start(now: int) -> int:
    """The start of the owner's day that a time lies in, both in ms."""
    return int(dt_util.start_of_local_day(dt_util.utc_from_timestamp(now / 1000)).timestamp() * 1000)


def _refuse(hass: HomeAssistant, err: StoreError) -> NoReturn:
    placeholders = {name: str(value) for name, value in err.placeholders.items()}
    async_database_failed(hass, err.key, placeholders)
    failure = ConfigEntryNotReady if DATABASE_ISSUES.get(err.key, True) else ConfigEntryError
    raise failure(
        translation_domain=DOMAIN, translation_key=err.key, translation_placeholders=placeholders
    ) from err
