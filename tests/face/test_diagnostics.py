"""What leaves the house or is copied: diagnostics, system information, backups."""

import json
import shutil
import sqlite3
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from pytest_homeassistant_custom_component.common import async_fire_time_changed, get_system_health_info

from custom_components.reelay import backup
from custom_components.reelay.const import DOMAIN
from custom_components.reelay.core.app import App
from custom_components.reelay.diagnostics import async_get_config_entry_diagnostics

from .support import data_folder, ingest, set_up

SECRETS = ["swface00001", "ab12", "月光宝盒", "secret word", "device-of-mine", "115cdn.com"]
OPTIONS = {
    "must_have": ["secret word"],
    "block_words": ["secret word", "another"],
    "notify_devices": ["device-of-mine"],
    "plugins": {"critic": {"enabled": False, "settings": {"token": "ab12"}}},
    "confidence": 0.6,
}


async def test_diagnostics_tell_numbers_and_no_secret(hass: HomeAssistant) -> None:
    entry = await set_up(hass, options=OPTIONS)
    await ingest(entry)
    await hass.async_block_till_done()
    told = await async_get_config_entry_diagnostics(hass, entry)
    text = json.dumps(told, ensure_ascii=False)
    assert not [secret for secret in SECRETS if secret in text]
    assert told["mode"] == "own"
    assert told["options"] == {
        "must_have": 1,
        "block_words": 2,
        "notify_devices": 1,
        "plugins": {"critic": False},
        "confidence": 0.6,
    }
    assert len(told["policy"]) == 16
    assert told["targets"] == ["persistent"]
    assert set(told["queue"]) >= {"depth", "needs_attention", "waiting_approval", "outbox_backlog"}


async def test_system_information_has_a_line(hass: HomeAssistant) -> None:
    assert await async_setup_component(hass, "system_health", {})
    entry = await set_up(hass)
    info = await get_system_health_info(hass, DOMAIN)
    assert info["running"] is True
    assert (info["mode"], info["paused"], info["drive_login"]) == ("own", False, False)
    await hass.config_entries.async_unload(entry.entry_id)
    assert await get_system_health_info(hass, DOMAIN) == {"running": False}


async def test_a_copy_made_between_the_hooks_is_a_whole_database(hass: HomeAssistant, tmp_path: Path) -> None:
    entry = await set_up(hass)
    first = await ingest(entry)
    await backup.async_pre_backup(hass)
    second = await ingest(entry, 2)
    for name in ("reelay.db", "reelay.db-wal"):
        if (file := data_folder(hass) / name).exists():
            shutil.copy(file, tmp_path)
    await backup.async_post_backup(hass)
    copy = sqlite3.connect(tmp_path / "reelay.db")
    assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert {row[0] for row in copy.execute("SELECT id FROM tasks")} >= {first}
    copy.close()
    assert await entry.runtime_data.app.queries.get_task(second)


async def test_a_backup_whose_end_is_never_told_does_not_hold_the_database_for_ever(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    entry = await set_up(hass)
    with patch.object(entry.runtime_data.app, "release_checkpoints") as release:
        await backup.async_pre_backup(hass)
        async_fire_time_changed(hass, dt_util.utcnow() + timedelta(hours=1, seconds=1))
        await hass.async_block_till_done()
        assert release.call_count == 1
    assert "The end of a backup was never told" in caplog.text


async def test_the_owners_backup_never_fails_because_of_reelay(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    await set_up(hass)
    with (
        patch.object(App, "hold_checkpoints", side_effect=RuntimeError("boom")),
        patch.object(App, "release_checkpoints", side_effect=RuntimeError("boom")),
    ):
        await backup.async_pre_backup(hass)
        await backup.async_post_backup(hass)
    assert "could not be prepared" in caplog.text
    caplog.clear()


async def test_backups_work_while_no_entry_is_loaded(hass: HomeAssistant) -> None:
    entry = await set_up(hass)
    await hass.config_entries.async_unload(entry.entry_id)
    await backup.async_pre_backup(hass)
    await backup.async_post_backup(hass)
