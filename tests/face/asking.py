"""The demo without its own messages and waits, for tests that post one message and see what people are asked."""

from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from homeassistant.core import HomeAssistant
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.reelay.core.builtin import demo_plugins
from custom_components.reelay.core.model.message import Message
from custom_components.reelay.core.sources.samples import SAMPLES

from .phones import Phone
from .support import set_up, until

SAMPLE = {sample.name: sample.text for sample in SAMPLES}


def drive_alone() -> AbstractContextManager[Any]:
    """The demo's drive in a hurry; its source is left out."""
    return patch(
        "custom_components.reelay.runtime.demo_plugins", lambda root: demo_plugins(root, pace=0.001)[:1]
    )


async def asking(hass: HomeAssistant, *phones: Phone) -> MockConfigEntry:
    """The demo with these phones as targets; it asks about everything."""
    devices = [phone.device_id for phone in phones]
    return await set_up(hass, "demo", {"approval": "always", "notify_devices": devices})


async def post(
    entry: MockConfigEntry, text: str = SAMPLE["film"], number: int = 1, edited: int | None = None
) -> int:
    """A message of the sample source; the id of its task."""
    message = Message(
        source="demo", message_id=str(number), text=text, posted=1_790_000_000_000, edited=edited
    )
    await entry.runtime_data.app.intake.deliver((message,))
    listed = await entry.runtime_data.app.queries.list_tasks()
    return int(listed["tasks"][0]["id"])


async def state(entry: MockConfigEntry, task: int) -> str:
    return str((await entry.runtime_data.app.queries.get_task(task))["task"]["state"])


async def ends(entry: MockConfigEntry, task: int, wanted: str) -> None:
    await until(lambda: entry.runtime_data.app.snapshot.counts.get(wanted, 0) > 0)
    assert await state(entry, task) == wanted
