"""Reelay: takes films and series that Telegram channels announce into the owner's 115 drive.

This file is imported before the requirements exist (an automation that names our trigger suffices), so it and what
it imports need the standard library and Home Assistant only. Everything else is reached through `runtime`.
"""

import importlib
from typing import TYPE_CHECKING

from homeassistant.components import persistent_notification
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import ConfigType

from .approvals import async_setup_approvals
from .const import DOMAIN, PLATFORMS
from .folders import async_delete_folders
from .issues import async_delete_issues
from .plugins import async_setup_plugins
from .services import async_setup_services

if TYPE_CHECKING:
    from .runtime import ReelayConfigEntry

CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Once per start: actions, answers of phones, and the search for plugins."""
    async_setup_services(hass)
    async_setup_approvals(hass)
    await async_setup_plugins(hass)
    return True


async def async_setup_entry(hass: HomeAssistant, entry: ReelayConfigEntry) -> bool:
    """Start the core; only an unusable database keeps it from starting."""
    runtime = await hass.async_add_import_executor_job(importlib.import_module, f"{__package__}.runtime")
    entry.runtime_data = await runtime.async_start(hass, entry)
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    entry.runtime_data.async_begin()
    return True


async def async_unload_entry(hass: HomeAssistant, entry: ReelayConfigEntry) -> bool:
    """Unload the platforms, then stop the core."""
    unloaded = await hass.config_entries.async_unload_platforms(entry, PLATFORMS)
    if unloaded:
        await entry.runtime_data.async_stop()
    return unloaded


async def async_remove_entry(hass: HomeAssistant, entry: ReelayConfigEntry) -> None:
    """Leave nothing behind: database, cache, repair issues, questions."""
    async_delete_issues(hass)
    for notification in list(hass.data.get(persistent_notification.DOMAIN, ())):
        if notification.startswith(f"{DOMAIN}-"):
            persistent_notification.async_dismiss(hass, notification)
    await async_delete_folders(hass)


async def async_migrate_entry(hass: HomeAssistant, entry: ReelayConfigEntry) -> bool:
    """Take over any minor version: they stay compatible. Home Assistant itself refuses a newer major one."""
    return True
