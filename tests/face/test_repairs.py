"""A database that can't be used: Home Assistant goes on, the owner is told what to do, nothing is lost."""

import errno
import fcntl
import sqlite3
from pathlib import Path
from unittest.mock import patch

import pytest
from homeassistant.components.repairs import repairs_flow_manager
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.reelay.const import DOMAIN
from custom_components.reelay.core.app import App
from custom_components.reelay.core.model.errors import StoreError

from .support import data_folder, ingest, make_entry, set_up


def issues(hass: HomeAssistant) -> set[str]:
    return {key for domain, key in ir.async_get(hass).issues if domain == DOMAIN}


@pytest.fixture
def database(hass: HomeAssistant) -> Path:
    file = data_folder(hass) / "reelay.db"
    file.parent.mkdir()
    return file


async def fail(hass: HomeAssistant) -> MockConfigEntry:
    entry = make_entry()
    entry.add_to_hass(hass)
    assert not await hass.config_entries.async_setup(entry.entry_id)
    return entry


async def heal(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    assert await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()
    assert entry.state is ConfigEntryState.LOADED
    assert not issues(hass)


async def test_a_newer_database_is_left_alone(hass: HomeAssistant, database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = database.read_bytes()
    entry = await fail(hass)
    assert entry.state is ConfigEntryState.SETUP_ERROR
    assert entry.error_reason_translation_key == "database_newer"
    issue = ir.async_get(hass).async_get_issue(DOMAIN, "database_newer")
    assert issue is not None
    assert issue.translation_placeholders is not None
    assert issue.translation_placeholders["version"] == "99"
    assert not issue.is_fixable
    assert database.read_bytes() == before
    database.unlink()
    await heal(hass, entry)


async def test_a_damaged_database_is_set_aside_when_the_owner_agrees(
    hass: HomeAssistant, database: Path
) -> None:
    rubbish = b"rubbish " * 1000
    database.write_bytes(rubbish)
    assert await async_setup_component(hass, "repairs", {})
    entry = await fail(hass)
    assert entry.state is ConfigEntryState.SETUP_ERROR
    assert issues(hass) == {"database_corrupt"}
    flows = repairs_flow_manager(hass)
    assert flows is not None
    form = await flows.async_init(DOMAIN, data={"issue_id": "database_corrupt"})
    assert form["step_id"] == "confirm"
    assert database.read_bytes() == rubbish
    result = await flows.async_configure(form["flow_id"], {})
    assert result["type"] == "create_entry"
    await hass.async_block_till_done()
    assert entry.state is ConfigEntryState.LOADED
    assert not issues(hass)
    kept = list(database.parent.glob("reelay.db.damaged-*"))
    assert [file.read_bytes() for file in kept] == [rubbish]


async def test_a_locked_database_is_waited_for(hass: HomeAssistant, database: Path) -> None:
    with (database.parent / "reelay.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        entry = await fail(hass)
        assert entry.state is ConfigEntryState.SETUP_RETRY
        assert entry.error_reason_translation_key == "database_locked"
        assert issues(hass) == {"database_locked"}
    await heal(hass, entry)


async def test_a_read_only_database_is_waited_for(hass: HomeAssistant, database: Path) -> None:
    """As root nothing is read-only, so SQLite itself says it here."""
    with patch.object(App, "start", side_effect=StoreError("database_readonly")):
        entry = await fail(hass)
    assert entry.state is ConfigEntryState.SETUP_RETRY
    assert issues(hass) == {"database_readonly"}
    await heal(hass, entry)


@pytest.mark.parametrize("key", ["database_full", "database_error"])
async def test_a_full_disk_or_any_other_fault_is_waited_for(hass: HomeAssistant, key: str) -> None:
    with patch.object(App, "start", side_effect=StoreError(key)):
        entry = await fail(hass)
    assert entry.state is ConfigEntryState.SETUP_RETRY
    assert issues(hass) == {key}
    await heal(hass, entry)


async def test_another_fault_takes_the_place_of_the_first(hass: HomeAssistant) -> None:
    with patch.object(App, "start", side_effect=StoreError("database_locked")):
        entry = await fail(hass)
    with patch.object(App, "start", side_effect=StoreError("database_full")):
        await hass.config_entries.async_reload(entry.entry_id)
    assert issues(hass) == {"database_full"}


async def test_a_fault_while_it_runs_is_an_issue_until_it_is_over(hass: HomeAssistant) -> None:
    entry = await set_up(hass)
    board = entry.runtime_data.app.board
    board.report("database", "bad", reason="database_full")
    assert issues(hass) == {"database_full"}
    board.report("database", "bad", reason="unheard of")
    assert issues(hass) == {"database_error"}
    board.report("database", "ok")
    assert not issues(hass)
    board.report("plugin:critic", "bad", reason="KeyError")
    assert issues(hass) == {"plugin_failed_critic"}
    board.report("plugin:critic", "ok")
    assert not issues(hass)
    board.report("drive", "bad", reason="login_dead")
    assert not issues(hass)


async def test_a_folder_that_can_not_be_made_is_no_crash(hass: HomeAssistant) -> None:
    data_folder(hass).write_text("not a folder", "utf-8")
    entry = await fail(hass)
    assert entry.state is ConfigEntryState.SETUP_RETRY
    assert len(issues(hass)) == 1
    data_folder(hass).unlink()
    await heal(hass, entry)


async def test_removing_a_failed_entry_takes_its_issue_along(hass: HomeAssistant, database: Path) -> None:
    database.write_bytes(b"rubbish " * 1000)
    entry = await fail(hass)
    await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()
    assert not issues(hass)
    assert not database.parent.exists()


async def test_an_action_on_a_full_disk_fails_and_nothing_is_lost(hass: HomeAssistant) -> None:
    entry = await set_up(hass)
    task = await ingest(entry)
    with (
        patch("os.fsync", side_effect=OSError(errno.ENOSPC, "No space left on device")),
        patch.object(entry.runtime_data.app._db, "run", side_effect=StoreError("database_full")),
        pytest.raises(StoreError),
    ):
        await ingest(entry, 2)
    assert await entry.runtime_data.app.queries.get_task(task)
