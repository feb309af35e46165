"""Set-up: try the demo, or start on own accounts; and the one way from the first to the second."""

from collections.abc import Mapping
from typing import Any

import voluptuous as vol
from homeassistant.config_entries import (
    ConfigEntry,
    ConfigEntryState,
    ConfigFlow,
    ConfigFlowResult,
    OptionsFlow,
)
from homeassistant.core import callback
from homeassistant.helpers.translation import async_get_translations

from .const import CONF_CONFLICT, CONF_MODE, DOMAIN, Mode
from .flows.options import ReelayOptionsFlow

TITLE = "Reelay"
NOTHING = vol.Schema({})
#: One of the samples shows the question about a taken name, so the demo starts with the rule that asks it.
DEMO_RULES = {CONF_CONFLICT: "ask"}


class ReelayConfigFlow(ConfigFlow, domain=DOMAIN):
    """There is one entry; `single_config_entry` in the manifest refuses a second."""

    VERSION = 1
    MINOR_VERSION = 1

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask which way to go."""
        return self.async_show_menu(step_id="user", menu_options=["demo", "own"], sort=False)

    async def async_step_demo(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Samples and a drive in memory: nothing to ask."""
        return self._create(Mode.DEMO, await self._demo_title(), DEMO_RULES)

    async def async_step_own(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Own accounts. Each login is optional at set-up, so there is nothing that must be asked."""
        if user_input is None:
            return self.async_show_form(step_id="own", data_schema=NOTHING)
        return self._create(Mode.OWN, TITLE)

    async def async_step_reconfigure(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Leave the demo for own accounts; there is no way back, the demo's data stay where they are."""
        entry = self._get_reconfigure_entry()
        if entry.data[CONF_MODE] == Mode.OWN:
            return self.async_abort(reason="already_own")
        if user_input is None:
            return self.async_show_form(step_id="reconfigure", data_schema=NOTHING)
        title = TITLE if entry.title == await self._demo_title() else entry.title
        loaded = entry.state is ConfigEntryState.LOADED
        result = self.async_update_and_abort(entry, title=title, data_updates={CONF_MODE: Mode.OWN.value})
        if not loaded:
            # The listener that reloads exists only while the entry is loaded.
            self.hass.config_entries.async_schedule_reload(entry.entry_id)
        return result

    def _create(self, mode: Mode, title: str, rules: Mapping[str, Any] | None = None) -> ConfigFlowResult:
        return self.async_create_entry(title=title, data={CONF_MODE: mode.value}, options=rules)

    async def _demo_title(self) -> str:
        """The demo's name in the language of the installation; the owner may change it afterwards."""
        language = self.hass.config.language
        texts = await async_get_translations(self.hass, language, "config", [DOMAIN])
        return texts.get(f"component.{DOMAIN}.config.step.demo.title", TITLE)

    @staticmethod
    @callback
    def async_get_options_flow(config_entry: ConfigEntry) -> OptionsFlow:
        """The owner's rules."""
        return ReelayOptionsFlow()
