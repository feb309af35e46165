"""Phones with the companion app as Home Assistant sees them: registered over HTTP, pushed to over a websocket."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import MockUser
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator, WebSocketGenerator

Push = dict[str, Any]


@dataclass(kw_only=True)
class Phone:
    """One phone: what has been pushed to it, and presses of its buttons."""

    device_id: str
    webhook_id: str
    client: Any
    socket: Any

    async def push(self, wanted: Callable[[Push], bool] = lambda push: True) -> Push:
        """The next push of a kind, as it comes over the websocket; earlier others are passed over."""
        async with asyncio.timeout(10):
            while True:
                message = await self.socket.receive_json()
                if message["type"] == "event" and wanted(message["event"]):
                    return message["event"]

    async def question(self) -> Push:
        return await self.push(lambda push: "actions" in push.get("data", {}))

    async def reply(self) -> Push:
        return await self.push(lambda push: push.get("data", {}).get("tag", "").endswith("-answer"))

    async def cleared(self) -> str:
        return (await self.push(lambda push: push["message"] == "clear_notification"))["data"]["tag"]

    async def press(self, action: str, **more: str) -> None:
        """As both apps do it: over their webhook."""
        event = {"event_type": "mobile_app_notification_action", "event_data": {"action": action, **more}}
        hook = f"/api/webhook/{self.webhook_id}"
        response = await self.client.post(hook, json={"type": "fire_event", "data": event})
        assert response.status == 200


def action(push: Push, verb: str) -> str:
    """The action string of one button."""
    return next(
        button["action"]
        for button in push["data"]["actions"]
        if button["action"].split(":")[1] == verb.upper()
    )


def round_of(action: str) -> int:
    match = re.fullmatch(r"REELAY:[A-Z]+:\d+:(\d+)", action)
    assert match
    return int(match[1])


async def user_of_group(hass: HomeAssistant, group: str) -> User:
    """A new user of `system-admin`, `system-users` or `system-read-only`."""
    found = await hass.auth.async_get_group(group)
    assert found
    return MockUser(groups=[found]).add_to_hass(hass)


async def register_phone(
    hass: HomeAssistant,
    user: User,
    name: str,
    hass_client: ClientSessionGenerator,
    hass_ws_client: WebSocketGenerator,
) -> Phone:
    """Register over the real HTTP API and open the app's local push channel."""
    # Before the test's web server runs: no view can be added to it afterwards.
    for component in ("repairs", "websocket_api", "mobile_app"):
        assert await async_setup_component(hass, component, {})
    await hass.async_block_till_done()
    token = hass.auth.async_create_access_token(
        await hass.auth.async_create_refresh_token(user, "https://example.com/app")
    )
    client = await hass_client(token)
    registration = {
        "device_id": name,
        "app_id": "io.homeassistant.companion.android",
        "app_name": "Home Assistant",
        "app_version": "2026.10.1",
        "device_name": name,
        "manufacturer": "Google",
        "model": "Pixel",
        "os_name": "Android",
        "os_version": "17",
        "supports_encryption": False,
        "app_data": {"push_websocket_channel": True},
    }
    response = await client.post("/api/mobile_app/registrations", json=registration)
    assert response.status == 201
    webhook_id = (await response.json())["webhook_id"]
    await hass.async_block_till_done()
    entry = next(
        entry
        for entry in hass.config_entries.async_entries("mobile_app")
        if entry.data["webhook_id"] == webhook_id
    )
    device = dr.async_entries_for_config_entry(dr.async_get(hass), entry.entry_id)[0]
    phone = Phone(
        device_id=device.id,
        webhook_id=webhook_id,
        client=client,
        socket=await hass_ws_client(hass, token),
    )
    await phone.socket.send_json_auto_id(
        {"type": "mobile_app/push_notification_channel", "webhook_id": webhook_id}
    )
    assert (await phone.socket.receive_json())["success"]
    return phone
