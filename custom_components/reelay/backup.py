"""Backups: while Home Assistant copies the folder, the database's main file must not change under it.

Checkpoints are held back, not writes: what is written meanwhile goes to the log beside the main file, any prefix of
which is valid. Nothing here may raise: an error would fail the owner's whole backup.
"""

import logging
from datetime import datetime
from typing import TYPE_CHECKING

from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant
from homeassistant.helpers.event import async_call_later
from homeassistant.util.hass_dict import HassKey

from .const import DOMAIN

if TYPE_CHECKING:
    from .runtime import ReelayConfigEntry

_LOGGER = logging.getLogger(__name__)

#: Seconds after which checkpoints go on even if the end of the backup is never told.
WATCHDOG = 3600

DATA_WATCHDOG: HassKey[CALLBACK_TYPE] = HassKey(f"{DOMAIN}_backup_watchdog")


async def async_pre_backup(hass: HomeAssistant) -> None:
    """Fold the log into the main file as far as possible, then hold checkpoints back."""

    async def late(_now: datetime) -> None:
        _LOGGER.warning("The end of a backup was never told; the database goes on as usual")
        await async_post_backup(hass)

    _stop_watchdog(hass)
    hass.data[DATA_WATCHDOG] = async_call_later(
        hass, WATCHDOG, HassJob(late, "reelay: backup watchdog", cancel_on_shutdown=True)
    )
    for entry in _entries(hass):
        try:
            await entry.runtime_data.app.hold_checkpoints()
        except Exception:
            _LOGGER.exception("The database could not be prepared for the backup")


async def async_post_backup(hass: HomeAssistant) -> None:
    """Let checkpoints go on."""
    _stop_watchdog(hass)
    for entry in _entries(hass):
        try:
            entry.runtime_data.app.release_checkpoints()
        except Exception:
            _LOGGER.exception("The database could not be told that the backup has ended")


def _entries(hass: HomeAssistant) -> list[ReelayConfigEntry]:
    return hass.config_entries.async_loaded_entries(DOMAIN)


def _stop_watchdog(hass: HomeAssistant) -> None:
    if stop := hass.data.pop(DATA_WATCHDOG, None):
        stop()
