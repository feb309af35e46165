"""Plugins are strangers' code in other integrations: found wherever and whenever they load, isolated when they fail."""

import asyncio
from typing import Any
from unittest.mock import patch

import pytest
from homeassistant.const import EVENT_COMPONENT_LOADED
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.loader import Integration
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import MockModule, mock_integration

from custom_components.reelay import plugin as public, plugins
from custom_components.reelay.const import DATA_PLUGINS, DOMAIN
from custom_components.reelay.core import plugin_api
from custom_components.reelay.core.app import App, Build
from custom_components.reelay.core.plugin_api import Answer, ExtensionPoint, TaskView

from .support import bring_plugin, hook, ingest, plugin, set_up, until


def names(entry: Any) -> set[str]:
    return set(entry.runtime_data.app.plugins.names())


def issues(hass: HomeAssistant) -> dict[str, ir.IssueEntry]:
    return {key: issue for (domain, key), issue in ir.async_get(hass).issues.items() if domain == DOMAIN}


async def load(hass: HomeAssistant, domain: str) -> None:
    assert await async_setup_component(hass, domain, {})
    await hass.async_block_till_done()


async def test_a_plugin_loaded_before_reelay_takes_part(hass: HomeAssistant) -> None:
    bring_plugin(hass, "critics", lambda hass: plugin("critic"))
    await load(hass, "critics")
    assert "critic" in names(await set_up(hass))


async def test_a_plugin_loaded_later_takes_part_at_once(hass: HomeAssistant) -> None:
    async def get_plugin(hass: HomeAssistant) -> plugin_api.Plugin:
        return plugin("critic")

    entry = await set_up(hass)
    bring_plugin(hass, "critics", get_plugin)
    await load(hass, "critics")
    assert "critic" in names(entry)


async def test_a_plugin_loaded_while_reelay_starts_takes_part(hass: HomeAssistant) -> None:
    bring_plugin(hass, "critics", lambda hass: plugin("critic"))
    start = App.start

    async def slow(build: Build) -> App:
        await load(hass, "critics")
        return await start(build)

    with patch.object(App, "start", slow):
        entry = await set_up(hass)
    assert "critic" in names(entry)


async def test_a_reload_asks_for_a_fresh_plugin(hass: HomeAssistant) -> None:
    made: list[int] = []

    def get_plugin(hass: HomeAssistant) -> plugin_api.Plugin:
        made.append(len(made))
        return plugin("critic")

    bring_plugin(hass, "critics", get_plugin)
    await load(hass, "critics")
    entry = await set_up(hass)
    await hass.config_entries.async_reload(entry.entry_id)
    assert made == [0, 1]
    assert "critic" in names(entry)


def _raises(hass: HomeAssistant) -> None:
    raise ValueError("no good")


async def _slow(hass: HomeAssistant) -> None:
    await asyncio.sleep(60)


@pytest.mark.parametrize(
    ("get_plugin", "said"),
    [
        (_raises, "ValueError: no good"),
        (lambda hass: "nothing", "TypeError: async_get_plugin returned str, no Plugin"),
        (lambda hass: plugin("critic", api_version=9), "ValueError: it speaks API 9, this is 1"),
        (_slow, "TimeoutError: "),
    ],
)
@pytest.mark.parametrize("before", [True, False])
async def test_a_failing_plugin_is_named_once_and_the_rest_runs(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture, get_plugin: Any, said: str, before: bool
) -> None:
    bring_plugin(hass, "broken", get_plugin)
    bring_plugin(hass, "critics", lambda hass: plugin("critic"))
    with patch.object(plugins, "TIMEOUT", 0.05):
        if before:
            await load(hass, "broken")
            await load(hass, "critics")
            entry = await set_up(hass)
        else:
            entry = await set_up(hass)
            await load(hass, "broken")
            await load(hass, "critics")
        await hass.config_entries.async_reload(entry.entry_id)
    assert "critic" in names(entry)
    assert caplog.text.count("The plugin of the integration broken is left out") == 1
    issue = issues(hass)["plugin_failed_broken"]
    assert issue.translation_placeholders == {"plugin": "broken", "error": said}


async def test_a_plugin_that_works_again_is_no_issue_any_more(hass: HomeAssistant) -> None:
    answers: list[Any] = ["nothing", plugin("critic")]
    bring_plugin(hass, "critics", lambda hass: answers.pop(0))
    await load(hass, "critics")
    entry = await set_up(hass)
    assert set(issues(hass)) == {"plugin_failed_critics"}
    await hass.config_entries.async_reload(entry.entry_id)
    assert not issues(hass)
    assert "critic" in names(entry)


async def test_a_platform_that_can_not_be_imported_is_named(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    """Home Assistant's own search for platforms would hide the first error and end at the second."""
    errors = {"missing": ModuleNotFoundError("No module named 'x'"), "typo": SyntaxError("invalid syntax")}
    get_platform = Integration.async_get_platform

    async def broken(integration: Integration, name: str) -> Any:
        if name == DOMAIN and integration.domain in errors:
            raise errors[integration.domain]
        return await get_platform(integration, name)

    for domain in errors:
        mock_integration(hass, MockModule(domain), top_level_files={"reelay.py"})
    bring_plugin(hass, "critics", lambda hass: plugin("critic"))
    with patch.object(Integration, "async_get_platform", broken):
        await load(hass, "missing")
        await load(hass, "critics")
        entry = await set_up(hass)
        await load(hass, "typo")
    assert "critic" in names(entry)
    assert set(issues(hass)) == {"plugin_failed_missing", "plugin_failed_typo"}
    assert caplog.text.count("is left out") == 2


@pytest.mark.parametrize("before", [True, False])
async def test_of_two_plugins_with_one_name_the_second_is_left_out(hass: HomeAssistant, before: bool) -> None:
    bring_plugin(hass, "critics", lambda hass: plugin("critic"))
    bring_plugin(hass, "rivals", lambda hass: plugin("critic"))
    await load(hass, "critics")
    if before:
        await load(hass, "rivals")
    entry = await set_up(hass)
    await load(hass, "rivals")
    assert "critic" in names(entry)
    assert set(issues(hass)) == {"plugin_failed_rivals"}


async def test_a_plugin_can_not_take_the_place_of_what_ships(hass: HomeAssistant) -> None:
    entry = await set_up(hass, "demo")
    shipped = next(iter(names(entry)))
    await hass.config_entries.async_unload(entry.entry_id)
    bring_plugin(hass, "rivals", lambda hass: plugin(shipped))
    await load(hass, "rivals")
    assert await hass.config_entries.async_setup(entry.entry_id)
    assert set(issues(hass)) == {"plugin_failed_rivals"}


async def test_rules_that_want_a_missing_plugin_say_so_until_it_comes(hass: HomeAssistant) -> None:
    options = {"plugins": {"critic": {"enabled": True}, "off": {"enabled": False}}}
    entry = await set_up(hass, options=options)
    assert issues(hass)["plugins_missing"].translation_placeholders == {"plugins": "critic"}
    bring_plugin(hass, "critics", lambda hass: plugin("critic"))
    await load(hass, "critics")
    assert not issues(hass)
    options = {"plugins": {"other": {"enabled": True}}}
    hass.config_entries.async_update_entry(entry, options=options)
    await hass.async_block_till_done()
    assert set(issues(hass)) == {"plugins_missing"}


async def test_a_plugins_opinion_counts_and_a_switch_turns_it_off(hass: HomeAssistant) -> None:
    asked: list[int] = []

    async def critic(task: TaskView) -> Answer:
        asked.append(task.id)
        return Answer(verdict="skip", reason="bad taste")

    bring_plugin(hass, "critics", lambda hass: plugin("critic", hook(ExtensionPoint.BEFORE_PARSE, critic)))
    await load(hass, "critics")
    entry = await set_up(hass, "demo")
    app = entry.runtime_data.app
    task = await ingest(entry)
    await until(lambda: task in asked)
    hass.config_entries.async_update_entry(entry, options={"plugins": {"critic": {"enabled": False}}})
    await hass.async_block_till_done()
    asked.clear()
    second = await ingest(entry, 2)

    async def state() -> str:
        return str((await app.queries.get_task(second))["task"]["state"])

    async with asyncio.timeout(10):
        while await state() == "received":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert second not in asked


async def test_plugins_come_and_go_while_no_entry_is_loaded(hass: HomeAssistant) -> None:
    entry = await set_up(hass)
    await hass.config_entries.async_unload(entry.entry_id)
    bring_plugin(hass, "critics", lambda hass: plugin("critic"))
    await load(hass, "critics")
    hass.bus.async_fire(EVENT_COMPONENT_LOADED, {"component": "sensor.nothing"})
    hass.bus.async_fire(EVENT_COMPONENT_LOADED, {"component": "unheard_of"})
    await hass.async_block_till_done()
    assert not hass.data[DATA_PLUGINS].failures
    await hass.config_entries.async_setup(entry.entry_id)
    assert "critic" in names(entry)


def test_authors_import_all_of_the_api_from_one_place() -> None:
    assert public.Plugin is plugin_api.Plugin
    assert all(getattr(public, name) is getattr(plugin_api, name) for name in public.__all__)
    assert public.API_VERSION == 1
