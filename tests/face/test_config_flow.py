"""Set-up dialogs: demo and own accounts, the way from one to the other, and the owner's rules."""

from typing import Any
from unittest.mock import patch

import pytest
from homeassistant.config_entries import SOURCE_USER, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from pytest_homeassistant_custom_component.common import MockConfigEntry

import custom_components.reelay as integration
from custom_components.reelay.const import DOMAIN
from custom_components.reelay.core.policy.schema import Approval, Conflict, Policy
from custom_components.reelay.flows import options as pages

from .support import bring_plugin, data_folder, plugin, set_up


async def choose(hass: HomeAssistant, step: str) -> dict[str, Any]:
    flow = hass.config_entries.flow
    result = await flow.async_init(DOMAIN, context={"source": SOURCE_USER})
    assert result["type"] is FlowResultType.MENU
    assert result["menu_options"] == ["demo", "own"]
    return await flow.async_configure(result["flow_id"], {"next_step_id": step})


async def open_page(hass: HomeAssistant, entry: MockConfigEntry, page: str) -> dict[str, Any]:
    flow = hass.config_entries.options
    result = await flow.async_init(entry.entry_id)
    assert result["type"] is FlowResultType.MENU
    return await flow.async_configure(result["flow_id"], {"next_step_id": page})


async def save(
    hass: HomeAssistant, entry: MockConfigEntry, page: str, values: dict[str, Any]
) -> dict[str, Any]:
    form = await open_page(hass, entry, page)
    assert form["type"] is FlowResultType.FORM
    assert form["step_id"] == page
    result = await hass.config_entries.options.async_configure(form["flow_id"], values)
    await hass.async_block_till_done()
    return result


def suggested(form: dict[str, Any]) -> dict[str, Any]:
    return {str(key): (key.description or {}).get("suggested_value") for key in form["data_schema"].schema}


async def test_the_demo_asks_nothing(hass: HomeAssistant) -> None:
    result = await choose(hass, "demo")
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert result["title"] == "Reelay (demo)"
    assert result["data"] == {"mode": "demo"}
    assert result["result"].options == {"conflict": "ask"}
    await hass.async_block_till_done()
    assert result["result"].state is ConfigEntryState.LOADED


async def test_the_demo_is_named_in_the_language_of_the_installation(hass: HomeAssistant) -> None:
    hass.config.language = "zh-Hans"
    result = await choose(hass, "demo")
    assert result["title"] == "Reelay（演示）"


async def test_own_accounts_start_without_any_login(hass: HomeAssistant) -> None:
    result = await choose(hass, "own")
    assert result["type"] is FlowResultType.FORM
    assert result["step_id"] == "own"
    result = await hass.config_entries.flow.async_configure(result["flow_id"], {})
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert result["title"] == "Reelay"
    assert result["data"] == {"mode": "own"}
    await hass.async_block_till_done()
    assert result["result"].state is ConfigEntryState.LOADED


async def test_there_is_one_reelay(hass: HomeAssistant) -> None:
    await set_up(hass)
    result = await hass.config_entries.flow.async_init(DOMAIN, context={"source": SOURCE_USER})
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "single_instance_allowed"


async def test_leaving_the_demo_reloads_once_and_keeps_rules_and_samples(hass: HomeAssistant) -> None:
    result = await choose(hass, "demo")
    entry = result["result"]
    await hass.async_block_till_done()
    hass.config_entries.async_update_entry(entry, options={"confidence": 0.5})
    demo = entry.runtime_data
    with patch.object(integration, "async_setup_entry", wraps=integration.async_setup_entry) as setup:
        flow = await hass.config_entries.flow.async_init(
            DOMAIN, context={"source": "reconfigure", "entry_id": entry.entry_id}
        )
        assert flow["step_id"] == "reconfigure"
        result = await hass.config_entries.flow.async_configure(flow["flow_id"], {})
        await hass.async_block_till_done()
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "reconfigure_successful"
    assert setup.call_count == 1
    assert entry.state is ConfigEntryState.LOADED
    assert entry.runtime_data is not demo
    assert (entry.title, entry.data["mode"], entry.options) == ("Reelay", "own", {"confidence": 0.5})
    assert (data_folder(hass) / "demo" / "reelay.db").exists()
    assert (data_folder(hass) / "reelay.db").exists()


async def test_leaving_the_demo_keeps_a_name_the_owner_gave(hass: HomeAssistant) -> None:
    entry = await set_up(hass, "demo")
    hass.config_entries.async_update_entry(entry, title="Films")
    flow = await entry.start_reconfigure_flow(hass)
    await hass.config_entries.flow.async_configure(flow["flow_id"], {})
    await hass.async_block_till_done()
    assert entry.title == "Films"


async def test_leaving_a_demo_that_is_not_loaded_loads_it(hass: HomeAssistant) -> None:
    entry = await set_up(hass, "demo")
    await hass.config_entries.async_unload(entry.entry_id)
    flow = await entry.start_reconfigure_flow(hass)
    await hass.config_entries.flow.async_configure(flow["flow_id"], {})
    await hass.async_block_till_done()
    assert entry.state is ConfigEntryState.LOADED
    assert entry.runtime_data.mode == "own"


async def test_own_accounts_have_nothing_to_reconfigure(hass: HomeAssistant) -> None:
    entry = await set_up(hass)
    result = await entry.start_reconfigure_flow(hass)
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "already_own"


@pytest.mark.parametrize(
    ("page", "values", "options"),
    [
        (
            "notifications",
            {"notify_devices": ["a1"], "persistent": False, "notify_done": False, "notify_skipped": True},
            {"notify_devices": ["a1"], "persistent": False, "notify_done": False, "notify_skipped": True},
        ),
        (
            "approval",
            {"approval": "always", "confidence_percent": 60, "approval_days": 0},
            {"approval": "always", "confidence": 0.6, "approval_days": 0},
        ),
        (
            "filters",
            {
                "must_have": [" 4K ", "", "4K"],
                "block_words": ["CAM"],
                "kinds": ["film"],
                "resolutions": ["1080p"],
                "max_size_gb": 1.5,
            },
            {
                "must_have": ["4K"],
                "block_words": ["CAM"],
                "kinds": ["film"],
                "resolutions": ["1080p"],
                "max_size": 1_610_612_736,
            },
        ),
        (
            "filters",
            {"kinds": ["film", "series"]},
            {
                "must_have": [],
                "block_words": [],
                "kinds": ["film", "series"],
                "resolutions": [],
                "max_size": None,
            },
        ),
        (
            "library",
            {"conflict": "replace_if_better", "keep_skipped_days": 30},
            {"conflict": "replace_if_better", "keep_skipped_days": 30},
        ),
    ],
)
async def test_a_page_of_rules_acts_without_a_reload_and_leaves_the_others_alone(
    hass: HomeAssistant, page: str, values: dict[str, Any], options: dict[str, Any]
) -> None:
    entry = await set_up(hass, options={"paused": True})
    before = entry.runtime_data
    with patch.object(before.app, "settings_changed", wraps=before.app.settings_changed) as changed:
        result = await save(hass, entry, page, values)
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert entry.options == {"paused": True, **options}
    assert entry.runtime_data is before
    assert changed.call_count == 1
    policy = before.settings.policy
    for name, value in options.items():
        if name in Policy.model_fields:
            assert getattr(policy, name) == (tuple(value) if isinstance(value, list) else value)


async def test_pages_show_what_holds_now(hass: HomeAssistant) -> None:
    options = {"confidence": 0.6, "max_size": 2 * 1024**3, "conflict": "skip", "notify_devices": ["a1"]}
    entry = await set_up(hass, options=options)
    assert suggested(await open_page(hass, entry, "approval")) == {
        "approval": "automatic",
        "confidence_percent": 60,
        "approval_days": 7,
    }
    assert suggested(await open_page(hass, entry, "filters"))["max_size_gb"] == 2.0
    assert suggested(await open_page(hass, entry, "library"))["conflict"] == "skip"
    assert suggested(await open_page(hass, entry, "notifications"))["notify_devices"] == ["a1"]


async def test_wanting_no_kind_at_all_is_refused(hass: HomeAssistant) -> None:
    entry = await set_up(hass)
    form = await save(hass, entry, "filters", {"kinds": [], "must_have": ["4K"]})
    assert form["type"] is FlowResultType.FORM
    assert form["errors"] == {"kinds": "nothing_wanted"}
    assert suggested(form)["must_have"] == ["4K"]
    assert not entry.options


async def test_plugins_are_switched_by_name_and_missing_ones_can_be_dropped(hass: HomeAssistant) -> None:
    bring_plugin(hass, "critics", lambda hass: plugin("critic"))
    hass.config.components.add("critics")
    entry = await set_up(hass, options={"plugins": {"gone": {"enabled": True, "settings": {"a": 1}}}})
    form = await open_page(hass, entry, "plugins")
    assert suggested(form) == {"enabled_plugins": ["critic", "gone"]}
    await save(hass, entry, "plugins", {"enabled_plugins": ["gone"]})
    assert entry.options["plugins"] == {
        "critic": {"enabled": False},
        "gone": {"enabled": True, "settings": {"a": 1}},
    }
    await save(hass, entry, "plugins", {"enabled_plugins": ["critic"]})
    assert entry.options["plugins"] == {"critic": {"enabled": True}}


async def test_without_plugins_there_is_no_page_for_them(hass: HomeAssistant) -> None:
    entry = await set_up(hass)
    menu = await hass.config_entries.options.async_init(entry.entry_id)
    assert menu["menu_options"] == ["notifications", "approval", "filters", "library"]


def test_pages_offer_what_the_policy_knows() -> None:
    assert set(pages.APPROVALS) == set(Approval)
    assert set(pages.CONFLICTS) == set(Conflict)
    assert set(pages.KINDS) == set(Policy().kinds)
    for name, value in pages.DEFAULTS.items():
        if name in Policy.model_fields:
            shipped = getattr(Policy(), name)
            assert value == (list(shipped) if isinstance(shipped, tuple) else shipped), name
