"""Phones with the companion app: whose they are, and how a message gets to one.

`mobile_app` has no public way from a device to its notify action; its own device action uses the two functions
used here. The action's name follows the phone's name, so it is looked up at each sending. Nothing of the core is
imported: a phone must be told "not running" when the core is not there.
"""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr

MOBILE_APP: Final = "mobile_app"
PREFIX: Final = f"{MOBILE_APP}:"
_CONF_USER_ID: Final = "user_id"
_CLEAR: Final = "clear_notification"


class NotRegistered(Exception):
    """The phone is not known to `mobile_app` now: not started yet, or removed."""


def device_of(target: str) -> str:
    """The device id of a target `mobile_app:<device id>`."""
    return target.removeprefix(PREFIX)


@callback
def owners(hass: HomeAssistant) -> dict[str, str]:
    """Who registered which phone: device id → user id."""
    registry = dr.async_get(hass)
    return {
        device.id: entry.data[_CONF_USER_ID]
        for entry in hass.config_entries.async_entries(MOBILE_APP)
        for device in dr.async_entries_for_config_entry(registry, entry.entry_id)
        if _CONF_USER_ID in entry.data
    }


async def async_send(
    hass: HomeAssistant, device_id: str, *, title: str, message: str, data: Mapping[str, Any]
) -> None:
    """Send to one phone; raises `NotRegistered`, or what the notify action raises."""
    await _async_notify(hass, device_id, {"title": title, "message": message, "data": dict(data)})


async def async_clear(hass: HomeAssistant, device_id: str, tag: str) -> None:
    """Take a notification off one phone."""
    await _async_notify(hass, device_id, {"message": _CLEAR, "data": {"tag": tag}})


async def _async_notify(hass: HomeAssistant, device_id: str, payload: dict[str, Any]) -> None:
    if MOBILE_APP not in hass.config.components:
        raise NotRegistered(device_id)
    from homeassistant.components.mobile_app.util import get_notify_service, webhook_id_from_device_id

    webhook_id = webhook_id_from_device_id(hass, device_id)
    try:
        name = get_notify_service(hass, webhook_id) if webhook_id else None
    except KeyError:  # mobile_app is there, its notify platform not yet
        name = None
    if name is None or not hass.services.has_service("notify", name):
        raise NotRegistered(device_id)
    await hass.services.async_call("notify", name, payload, blocking=True)
