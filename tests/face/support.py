"""What tests of set-up, entities and lifecycle share."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    MockModule,
    mock_integration,
    mock_platform,
)

from custom_components.reelay.const import DOMAIN
from custom_components.reelay.core.plugin_api import Contribution, ExtensionPoint, Plugin

#: Home Assistant's own words for what will stop working, and for whom.
DEPRECATIONS = ("This will stop working in Home Assistant", "Detected that custom integration 'reelay'")

FILM = "《月光宝盒》(1995) 1080p 国语中字 大小:2.1GB 链接: https://115cdn.com/s/swface{:05}?password=ab12"


def make_entry(mode: str = "own", **kwargs: Any) -> MockConfigEntry:
    return MockConfigEntry(domain=DOMAIN, title="Reelay", data={"mode": mode}, **kwargs)


async def set_up(
    hass: HomeAssistant, mode: str = "own", options: Mapping[str, Any] | None = None
) -> MockConfigEntry:
    """An entry of one mode, loaded. `own` has no drive and no source: nothing happens unless a test wants it."""
    entry = make_entry(mode, options=dict(options or {}))
    entry.add_to_hass(hass)
    assert await async_setup_component(hass, DOMAIN, {})
    await hass.async_block_till_done()
    return entry


async def until(condition: Callable[[], object], seconds: float = 10) -> None:
    """Wait for a state, not for a time."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def ingest(entry: MockConfigEntry, number: int = 1) -> int:
    """Hand in a film's message; the id of its task."""
    from custom_components.reelay.core.model.task import Actor

    answer = await entry.runtime_data.app.commands.ingest(Actor(id="user:test"), text=FILM.format(number))
    return int(answer["tasks"][0]["id"])


def data_folder(hass: HomeAssistant) -> Path:
    return Path(hass.config.path(DOMAIN))


def bring_plugin(hass: HomeAssistant, domain: str, get_plugin: Any) -> None:
    """Another integration whose folder has a `reelay.py`."""
    mock_integration(hass, MockModule(domain))

    class Platform:
        async_get_plugin = staticmethod(get_plugin)

    mock_platform(hass, f"{domain}.{DOMAIN}", Platform)


def plugin(name: str, *contributions: Contribution, api_version: int = 1) -> Plugin:
    return Plugin(name=name, contributions=contributions, api_version=api_version)


def hook(point: ExtensionPoint, provider: Any, name: str = "hook") -> Contribution:
    return Contribution(point=point, name=name, provider=provider)
