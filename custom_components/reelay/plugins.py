"""Finds the plugins that other integrations bring, as a platform `reelay.py` in their folder.

Home Assistant's helper for such platforms hides a failing import of one and lets any other error end the search for
all. Plugins are strangers' code: here each is looked up by itself, and one that fails is named and left out.
"""

import asyncio
import inspect
import logging
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import TYPE_CHECKING

from homeassistant.const import EVENT_COMPONENT_LOADED
from homeassistant.core import CALLBACK_TYPE, Event, HomeAssistant, callback
from homeassistant.loader import IntegrationNotFound, async_get_integration
from homeassistant.setup import EventComponentLoaded

from .const import DATA_PLUGINS, DOMAIN
from .issues import async_plugin_failed, async_plugin_works

if TYPE_CHECKING:
    from .core.plugin_api import Plugin

_LOGGER = logging.getLogger(__name__)

PLATFORM = DOMAIN

#: Seconds a plugin has to come up.
TIMEOUT = 10

#: Takes a plugin; raises ValueError for one that doesn't fit.
type Listener = Callable[[Plugin], None]


class PluginFinder:
    """Knows which integrations bring a plugin. It lives as long as Home Assistant, entries come and go."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass
        self._platforms: dict[str, ModuleType] = {}
        self._listener: Listener | None = None
        self._late: list[tuple[str, Plugin]] | None = None
        self._lock = asyncio.Lock()
        self.failures: dict[str, str] = {}
        self.names: set[str] = set()

    async def async_start(self) -> None:
        """Look at what is loaded, and from now on at what is loaded later."""
        self._hass.bus.async_listen(EVENT_COMPONENT_LOADED, self._component_loaded)
        async with self._lock:
            loaded = self._hass.config.top_level_components.copy()
            await asyncio.gather(*(self._look(domain) for domain in loaded))

    async def async_connect(self, taken: Iterable[str] = ()) -> tuple[Plugin, ...]:
        """A fresh plugin of each integration; those that fail are left out, as are names that are `taken`.

        Plugins that come later wait for a listener.
        """
        async with self._lock:
            self._late = []
            self.names.clear()
            domains = sorted(self._platforms)
            found = await asyncio.gather(*(self._plugin(domain) for domain in domains))
        plugins: dict[str, Plugin] = {}
        for domain, plugin in zip(domains, found, strict=True):
            if plugin is None:
                continue
            if plugin.name in plugins or plugin.name in taken:
                self.async_failed(domain, f"another plugin is named {plugin.name}")
            else:
                plugins[plugin.name] = plugin
        return tuple(plugins.values())

    @callback
    def async_listen(self, listener: Listener) -> CALLBACK_TYPE:
        """Hand over plugins that came since the connection, and those that come later."""
        self._listener = listener
        for domain, plugin in self._late or ():
            self._add(domain, plugin)

        @callback
        def stop() -> None:
            self._listener = self._late = None

        return stop

    @callback
    def _add(self, domain: str, plugin: Plugin) -> None:
        if self._listener is None:
            if self._late is not None:
                self._late.append((domain, plugin))
            return
        try:
            self._listener(plugin)
        except ValueError as err:
            self.async_failed(domain, err)

    @callback
    def async_failed(self, domain: str, err: Exception | str) -> None:
        """Name a plugin that is left out: once in the log, and in a repair issue until it works."""
        text = err if isinstance(err, str) else f"{type(err).__name__}: {err}"[:200]
        if self.failures.get(domain) != text:
            self.failures[domain] = text
            _LOGGER.error("The plugin of the integration %s is left out: %s", domain, text)
        async_plugin_failed(self._hass, domain, text)

    async def _component_loaded(self, event: Event[EventComponentLoaded]) -> None:
        domain = event.data["component"]
        if "." in domain:
            return
        async with self._lock:
            if domain in self._platforms or not await self._look(domain) or self._late is None:
                return
            if plugin := await self._plugin(domain):
                self._add(domain, plugin)

    async def _look(self, domain: str) -> bool:
        """Import the platform of an integration; tells whether there is one."""
        try:
            integration = await async_get_integration(self._hass, domain)
            if not integration.platforms_exists((PLATFORM,)):
                return False
            self._platforms[domain] = await integration.async_get_platform(PLATFORM)
        except IntegrationNotFound:
            return False
        except Exception as err:  # noqa: BLE001 - whatever a stranger's module raises
            self.async_failed(domain, err)
            return False
        return True

    async def _plugin(self, domain: str) -> Plugin | None:
        from .core.plugin_api import API_VERSION, Plugin

        try:
            async with asyncio.timeout(TIMEOUT):
                plugin = self._platforms[domain].async_get_plugin(self._hass)
                if inspect.isawaitable(plugin):
                    plugin = await plugin
            if not isinstance(plugin, Plugin):
                raise TypeError(f"async_get_plugin returned {type(plugin).__name__}, no Plugin")
            if plugin.api_version != API_VERSION:
                raise ValueError(f"it speaks API {plugin.api_version}, this is {API_VERSION}")
        except Exception as err:  # noqa: BLE001 - whatever a stranger's module raises
            self.async_failed(domain, err)
            return None
        if self.failures.pop(domain, None):
            _LOGGER.info("The plugin of the integration %s works again", domain)
        async_plugin_works(self._hass, domain)
        self.names.add(plugin.name)
        return plugin


async def async_setup_plugins(hass: HomeAssistant) -> None:
    """Start the search once per run of Home Assistant."""
    finder = hass.data[DATA_PLUGINS] = PluginFinder(hass)
    await finder.async_start()
