"""What the device shows: counts at most once a second, the newest event, the owner's pause."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from freezegun.api import FrozenDateTimeFactory
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.util import dt as dt_util
from pytest_homeassistant_custom_component.common import MockConfigEntry, async_fire_time_changed

import custom_components.reelay as integration
from custom_components.reelay import runtime as runtime_module
from custom_components.reelay.const import DOMAIN
from custom_components.reelay.core.model.states import RESTING, State
from custom_components.reelay.core.tally import Snapshot, TraceEvent
from custom_components.reelay.sensor import SENSORS, SHOWN_STATES

from .support import ingest, set_up, until

SHOWN = {
    "sensor.reelay_queue": "7",
    "sensor.reelay_waiting_for_approval": "2",
    "sensor.reelay_needs_attention": "4",
    "sensor.reelay_retrying": "1",
    "sensor.reelay_stored_today": "5",
    "sensor.reelay_oldest_waiting_task": "2026-11-30T10:00:00+00:00",
    "sensor.reelay_drive_cooldown_until": "2026-11-30T12:00:00+00:00",
    "sensor.reelay_unsent_notifications": "3",
    "sensor.reelay_tasks_queued": "6",
    "sensor.reelay_tasks_being_transferred": "1",
    "sensor.reelay_tasks_done": "9",
    "sensor.reelay_tasks_failed": "3",
    "sensor.reelay_tasks_skipped": "0",
    "binary_sensor.reelay_drive_cooldown": "on",
    "switch.reelay_pause": "off",
}
BUSY = Snapshot(
    counts={
        State.QUEUED: 6,
        State.SAVING: 1,
        State.PENDING_APPROVAL: 2,
        State.NEED_MANUAL: 2,
        State.FAILED: 3,
        State.DONE: 9,
    },
    retrying=1,
    stored_today=5,
    oldest_waiting=1_796_032_800_000,
    outbox_backlog=3,
    cooldown_until=1_796_040_000_000,
)


def push(entry: MockConfigEntry, snapshot: Snapshot) -> None:
    """As the core does it."""
    tally = entry.runtime_data.app._tally
    tally.snapshot = snapshot
    for listener in tuple(tally.listeners):
        listener(snapshot)


def event(number: int, state: State = State.DONE, **kwargs: Any) -> TraceEvent:
    values: dict[str, Any] = {
        "id": number,
        "task": 7,
        "at": round(dt_util.utcnow().timestamp() * 1000),
        "round": 2,
        "from_state": State.ORGANIZING,
        "to_state": state,
        "code": "filed",
        "actor": "lane",
        "title": "Metropolis",
        "source": "demo",
        "detail": {},
    }
    return TraceEvent(**(values | kwargs))


async def test_every_entity_has_a_name_an_icon_and_a_home(
    hass: HomeAssistant, entity_registry: er.EntityRegistry, device_registry: dr.DeviceRegistry
) -> None:
    entry = await set_up(hass)
    entities = er.async_entries_for_config_entry(entity_registry, entry.entry_id)
    device = device_registry.async_get_device_by_identifier((DOMAIN, entry.entry_id), entry.entry_id)
    assert device is not None
    assert (device.name, device.entry_type) == ("Reelay", dr.DeviceEntryType.SERVICE)
    assert len(entities) == len(SENSORS) + 2 + 1 + 1
    icons = json.loads((Path(integration.__file__).parent / "icons.json").read_text("utf-8"))["entity"]
    for entity in entities:
        assert entity.device_id == device.id
        assert entity.has_entity_name
        assert entity.translation_key in icons[entity.domain]
        assert entity.original_name
        assert entity.unique_id == f"{entry.entry_id}_{entity.translation_key}"


async def test_rare_counts_are_there_but_off(hass: HomeAssistant, entity_registry: er.EntityRegistry) -> None:
    entry = await set_up(hass)
    entities = er.async_entries_for_config_entry(entity_registry, entry.entry_id)
    off = {entity.translation_key for entity in entities if entity.disabled}
    assert off == {f"state_{state}" for state in State if state not in SHOWN_STATES}
    diagnostic = {e.translation_key for e in entities if e.entity_category is EntityCategory.DIAGNOSTIC}
    assert diagnostic >= off | {"drive_login", "cooldown", "cooldown_until", "outbox_backlog"}


async def test_the_numbers_of_a_snapshot_stand_where_they_belong(hass: HomeAssistant) -> None:
    entry = await set_up(hass)
    push(entry, BUSY)
    shown = {entity_id: hass.states.get(entity_id) for entity_id in SHOWN}
    assert {name: state.state if state else None for name, state in shown.items()} == SHOWN
    assert hass.states.get("sensor.reelay_queue").attributes["unit_of_measurement"] == "tasks"


async def test_no_number_has_more_than_a_number(hass: HomeAssistant) -> None:
    """Lists never live in attributes."""
    entry = await set_up(hass)
    push(entry, BUSY)
    for state in hass.states.async_all(Platform.SENSOR):
        assert set(state.attributes) <= {
            "device_class",
            "friendly_name",
            "icon",
            "state_class",
            "unit_of_measurement",
        }


async def test_a_burst_is_written_at_once_and_then_once_a_second(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory
) -> None:
    entry = await set_up(hass)
    freezer.tick(2)
    async_fire_time_changed(hass)
    written: list[str] = []
    entry.runtime_data.coordinator.async_add_listener(
        lambda: written.append(hass.states.get("sensor.reelay_unsent_notifications").state)
    )
    for number in range(1, 101):
        push(entry, Snapshot(outbox_backlog=number))
    assert written == ["1"]
    freezer.tick(1.1)
    async_fire_time_changed(hass)
    assert written == ["1", "100"]
    freezer.tick(1.1)
    async_fire_time_changed(hass)
    assert written == ["1", "100"]
    push(entry, Snapshot(outbox_backlog=0))
    assert written == ["1", "100", "0"]


async def test_stored_today_starts_at_zero_at_the_owners_midnight(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory
) -> None:
    await hass.config.async_set_time_zone("Asia/Shanghai")
    freezer.move_to("2026-12-01T15:59:00+00:00")  # 23:59 in Shanghai
    entry = await set_up(hass)
    with patch.object(entry.runtime_data.app, "refresh") as refresh:
        freezer.move_to("2026-12-01T16:00:01+00:00")
        async_fire_time_changed(hass)
        await hass.async_block_till_done()
    assert refresh.call_count == 1


async def test_the_owners_day_is_that_of_his_time_zone(hass: HomeAssistant) -> None:
    await hass.config.async_set_time_zone("Asia/Shanghai")
    noon = dt_util.parse_datetime("2026-12-01T04:00:00+00:00", raise_on_error=True)
    start = dt_util.parse_datetime("2026-11-30T16:00:00+00:00", raise_on_error=True)
    assert runtime_module.day_start(round(noon.timestamp() * 1000)) == start.timestamp() * 1000


async def test_the_pause_is_kept_and_acts_without_a_reload(hass: HomeAssistant) -> None:
    with patch.object(integration, "async_setup_entry", wraps=integration.async_setup_entry) as setup:
        entry = await set_up(hass)
        app = entry.runtime_data.app
        await hass.services.async_call(
            "switch", "turn_on", {"entity_id": "switch.reelay_pause"}, blocking=True
        )
        await until(lambda: app.snapshot.paused)
        assert hass.states.get("switch.reelay_pause").state == "on"
        assert entry.options["paused"] is True
        assert await hass.config_entries.async_reload(entry.entry_id)
        assert hass.states.get("switch.reelay_pause").state == "on"
        await until(lambda: entry.runtime_data.app.snapshot.paused)
        await hass.services.async_call(
            "switch", "turn_off", {"entity_id": "switch.reelay_pause"}, blocking=True
        )
        await until(lambda: not entry.runtime_data.app.snapshot.paused)
        assert hass.states.get("switch.reelay_pause").state == "off"
    assert setup.call_count == 2


@pytest.mark.parametrize(("mode", "state"), [("demo", "on"), ("own", "off")])
async def test_a_drive_that_is_not_set_up_is_not_connected(
    hass: HomeAssistant, mode: str, state: str
) -> None:
    await set_up(hass, mode)
    assert hass.states.get("binary_sensor.reelay_drive_login").state == state


async def test_the_event_entity_shows_the_newest_of_a_burst(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory
) -> None:
    entry = await set_up(hass)
    bus = entry.runtime_data.bus
    for number in range(1, 51):
        bus._tell(event(number))
    shown = hass.states.get("event.reelay_task")
    assert shown.attributes["event_id"] == 1
    freezer.tick(1.1)
    async_fire_time_changed(hass)
    shown = hass.states.get("event.reelay_task")
    assert shown.attributes["event_id"] == 50
    assert shown.attributes["event_type"] == "done"
    assert shown.attributes["event_types"] == [state.value for state in State if state in RESTING]
    assert shown.attributes["title"] == "Metropolis"


async def test_the_event_entity_tells_of_a_real_task(hass: HomeAssistant) -> None:
    entry = await set_up(hass, "demo")
    await ingest(entry)
    await until(lambda: hass.states.get("event.reelay_task").state != "unknown")
    await hass.config_entries.async_unload(entry.entry_id)


async def test_counts_follow_a_real_task(hass: HomeAssistant) -> None:
    entry = await set_up(hass)
    await ingest(entry)
    await until(lambda: entry.runtime_data.app.snapshot.queue_depth == 1)
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=2))
    await hass.async_block_till_done()
    assert hass.states.get("sensor.reelay_queue").state == "1"


async def test_entities_are_gone_while_the_entry_is_unloaded(hass: HomeAssistant) -> None:
    entry = await set_up(hass)
    await hass.config_entries.async_unload(entry.entry_id)
    assert hass.states.get("sensor.reelay_queue").state == "unavailable"
