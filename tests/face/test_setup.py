"""Starting and stopping: on every way, also the unusual ones, nothing is left running and nothing left behind."""

import json
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from homeassistant.components import persistent_notification
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import EVENT_HOMEASSISTANT_STOP
from homeassistant.core import CoreState, HomeAssistant
from homeassistant.helpers import device_registry as dr, issue_registry as ir
from pytest_homeassistant_custom_component.common import MockConfigEntry

import custom_components.reelay as integration
from custom_components.reelay.const import DOMAIN
from custom_components.reelay.core.app import App

from .support import DEPRECATIONS, data_folder, ingest, make_entry, set_up, until

ROOT = Path(__file__).parents[2]
LIGHT = [
    "",
    ".const",
    ".config_flow",
    ".flows.options",
    ".verbs",
    ".services",
    ".approvals",
    ".plugins",
    ".issues",
]


@pytest.mark.parametrize("mode", ["demo", "own"])
async def test_it_loads_and_unloads_without_a_complaint(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    entry = await set_up(hass, mode)
    assert entry.state is ConfigEntryState.LOADED
    assert await hass.config_entries.async_unload(entry.entry_id)
    await hass.async_block_till_done()
    assert entry.state is ConfigEntryState.NOT_LOADED
    assert not [text for text in DEPRECATIONS if text in caplog.text]
    assert not [r for r in caplog.records if r.name.startswith("custom_components.reelay") and r.levelno > 20]


async def test_a_shutdown_that_unloads_nothing_still_stops_the_core(hass: HomeAssistant) -> None:
    """Home Assistant's test plugin fails this test if a thread, task or timer outlives it."""
    entry = await set_up(hass, "demo")
    runtime = entry.runtime_data
    with patch.object(runtime.app, "stop", wraps=runtime.app.stop) as stop:
        hass.bus.async_fire(EVENT_HOMEASSISTANT_STOP)
        await hass.async_block_till_done()
    assert stop.call_count == 1
    assert await hass.config_entries.async_unload(entry.entry_id)


async def test_a_shutdown_in_the_middle_of_the_samples_leaves_nothing_running(hass: HomeAssistant) -> None:
    entry = await set_up(hass, "demo")
    await until(lambda: sum(entry.runtime_data.app.snapshot.counts.values()) > 0)


async def test_a_reload_in_the_middle_of_work_goes_on_where_it_was(hass: HomeAssistant) -> None:
    entry = await set_up(hass, "demo")
    await until(lambda: sum(entry.runtime_data.app.snapshot.counts.values()) > 0)
    before = {task["id"] for task in (await entry.runtime_data.app.queries.list_tasks())["tasks"]}
    for _ in range(3):
        assert await hass.config_entries.async_reload(entry.entry_id)
        await hass.async_block_till_done()
    after = {task["id"] for task in (await entry.runtime_data.app.queries.list_tasks())["tasks"]}
    assert before <= after


async def test_removing_it_leaves_nothing_behind(hass: HomeAssistant) -> None:
    entry = await set_up(hass, "demo")
    cache = Path(hass.config.cache_path(DOMAIN))
    persistent_notification.async_create(hass, "a question", notification_id="reelay-1")
    persistent_notification.async_create(hass, "somebody else's", notification_id="other")
    assert data_folder(hass).is_dir()
    await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()
    assert not data_folder(hass).exists()
    assert not cache.exists()
    assert not [issue for domain, issue in ir.async_get(hass).issues if domain == DOMAIN]
    assert set(hass.data[persistent_notification.DOMAIN]) == {"other"}


async def test_after_removal_it_can_be_added_again(hass: HomeAssistant) -> None:
    entry = await set_up(hass)
    await hass.config_entries.async_remove(entry.entry_id)
    again = make_entry()
    again.add_to_hass(hass)
    assert await hass.config_entries.async_setup(again.entry_id)
    assert again.state is ConfigEntryState.LOADED


async def test_people_are_told_only_once_home_assistant_has_started(hass: HomeAssistant) -> None:
    hass.set_state(CoreState.not_running)
    with patch.object(App, "begin", autospec=True) as begin:
        await set_up(hass)
        assert begin.call_count == 0
        hass.set_state(CoreState.starting)
        await hass.async_start()
        await hass.async_block_till_done()
    assert begin.call_count == 1


async def test_a_failing_platform_stops_the_core(hass: HomeAssistant) -> None:
    forward = "homeassistant.config_entries.ConfigEntries.async_forward_entry_setups"
    with (
        patch.object(App, "stop", autospec=True, side_effect=App.stop) as stop,
        patch(forward, side_effect=ValueError),
    ):
        entry = await set_up(hass)
    assert entry.state is ConfigEntryState.SETUP_ERROR
    assert stop.call_count == 1


async def test_options_act_without_a_second_set_up(hass: HomeAssistant) -> None:
    with patch.object(integration, "async_setup_entry", wraps=integration.async_setup_entry) as setup:
        entry = await set_up(hass)
        for number in range(5):
            hass.config_entries.async_update_entry(entry, options={"confidence": number / 10})
            await hass.async_block_till_done()
            assert entry.runtime_data.settings.policy.confidence == number / 10
    assert setup.call_count == 1


async def test_notices_go_to_chosen_phones_as_long_as_they_exist(
    hass: HomeAssistant, device_registry: dr.DeviceRegistry
) -> None:
    app = MockConfigEntry(domain="mobile_app")
    app.add_to_hass(hass)
    phone = device_registry.async_get_or_create(
        config_entry_id=app.entry_id, identifiers={("mobile_app", "1")}
    )
    entry = await set_up(hass, options={"notify_devices": [phone.id, "gone"]})
    settings = entry.runtime_data.settings
    assert settings.targets() == (f"mobile_app:{phone.id}",)
    device_registry.async_remove_device(phone.id)
    assert settings.targets() == ("persistent",)
    hass.config_entries.async_update_entry(entry, options={"persistent": False})
    assert settings.targets() == ()


async def test_spoilt_options_make_everything_ask(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    entry = await set_up(hass, options={"confidence": 7, "block_words": ["CAM"], "approval": "automatic"})
    policy = entry.runtime_data.settings.policy
    assert policy.approval == "always"
    assert policy.confidence == 0.75
    assert policy.block_words == ("CAM",)
    assert "Options that can't be used are left out: confidence" in caplog.text


async def test_without_a_drive_a_task_waits_and_says_why(hass: HomeAssistant) -> None:
    entry = await set_up(hass)
    task = await ingest(entry)
    queries = entry.runtime_data.app.queries
    answer = await queries.get_task(task)
    assert answer["task"]["state"] == "received"


async def test_an_entry_of_a_newer_version_is_refused(hass: HomeAssistant) -> None:
    entry = make_entry(version=2)
    entry.add_to_hass(hass)
    assert not await hass.config_entries.async_setup(entry.entry_id)
    assert entry.state is ConfigEntryState.MIGRATION_ERROR


async def test_an_entry_of_a_newer_minor_version_is_loaded(hass: HomeAssistant) -> None:
    entry = make_entry(minor_version=7)
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)


def test_light_modules_are_importable_before_the_requirements_exist() -> None:
    manifest = json.loads((ROOT / "custom_components" / "reelay" / "manifest.json").read_text("utf-8"))
    blocked = [name.partition("=")[0].replace("-", "_") for name in manifest["requirements"]]
    code = f"""
import sys
import homeassistant.config_entries, homeassistant.helpers.service, homeassistant.components.persistent_notification
for name in {blocked!r}:
    for known in [n for n in sys.modules if n.partition(".")[0] == name]:
        del sys.modules[known]
    sys.modules[name] = None
import importlib
for name in {LIGHT!r}:
    importlib.import_module("custom_components.reelay" + name)
assert not [n for n in sys.modules if n.startswith("custom_components.reelay.core")], "core"
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
