"""The owner's rules, one page per subject. Each page is saved by itself and acts within a second, without a reload.

Pages speak the owner's units (percent, GB); options keep the policy's (a fraction, bytes).
"""

from collections.abc import Mapping
from typing import Any

import voluptuous as vol
from homeassistant.config_entries import ConfigFlowResult, OptionsFlow
from homeassistant.helpers import selector

from ..const import (
    CONF_APPROVAL,
    CONF_APPROVAL_DAYS,
    CONF_BLOCK_WORDS,
    CONF_CONFIDENCE,
    CONF_CONFLICT,
    CONF_DEVICES,
    CONF_KEEP_SKIPPED_DAYS,
    CONF_KINDS,
    CONF_MAX_SIZE,
    CONF_MUST_HAVE,
    CONF_NOTIFY_DONE,
    CONF_NOTIFY_SKIPPED,
    CONF_PERSISTENT,
    CONF_PLUGINS,
    CONF_RESOLUTIONS,
    DATA_PLUGINS,
)

#: The words of core.policy.schema, which isn't imported before its requirements exist; a test compares them.
APPROVALS = ["automatic", "subscribed", "always"]
CONFLICTS = ["keep_both", "skip", "replace_if_better", "ask"]
KINDS = ["film", "series"]
RESOLUTIONS = ["2160p", "1080p", "720p", "480p"]

GB = 1024**3
FIELD_PERCENT = "confidence_percent"
FIELD_GB = "max_size_gb"
FIELD_PLUGINS = "enabled_plugins"

DEFAULTS: Mapping[str, Any] = {
    CONF_APPROVAL: "automatic",
    CONF_APPROVAL_DAYS: 7,
    CONF_BLOCK_WORDS: [],
    CONF_CONFIDENCE: 0.75,
    CONF_CONFLICT: "keep_both",
    CONF_DEVICES: [],
    CONF_KEEP_SKIPPED_DAYS: 90,
    CONF_KINDS: KINDS,
    CONF_MAX_SIZE: None,
    CONF_MUST_HAVE: [],
    CONF_NOTIFY_DONE: True,
    CONF_NOTIFY_SKIPPED: False,
    CONF_PERSISTENT: True,
    CONF_RESOLUTIONS: [],
}


def _number(first: float, last: float, step: float, unit: str | None = None) -> selector.NumberSelector:
    config = selector.NumberSelectorConfig(
        min=first, max=last, step=step, mode=selector.NumberSelectorMode.BOX
    )
    if unit:
        config["unit_of_measurement"] = unit
    return selector.NumberSelector(config)


def _choice(options: list[str], key: str, *, several: bool = False) -> selector.SelectSelector:
    return selector.SelectSelector(
        selector.SelectSelectorConfig(options=options, translation_key=key, multiple=several)
    )


WORDS = selector.TextSelector(selector.TextSelectorConfig(multiple=True))
PHONES = selector.DeviceSelector(selector.DeviceSelectorConfig(integration="mobile_app", multiple=True))

NOTIFICATIONS = vol.Schema(
    {
        vol.Optional(CONF_DEVICES): PHONES,
        vol.Required(CONF_PERSISTENT): selector.BooleanSelector(),
        vol.Required(CONF_NOTIFY_DONE): selector.BooleanSelector(),
        vol.Required(CONF_NOTIFY_SKIPPED): selector.BooleanSelector(),
    }
)
APPROVAL = vol.Schema(
    {
        vol.Required(CONF_APPROVAL): _choice(APPROVALS, "approval"),
        vol.Required(FIELD_PERCENT): selector.NumberSelector(
            selector.NumberSelectorConfig(
                min=0, max=100, step=5, unit_of_measurement="%", mode=selector.NumberSelectorMode.SLIDER
            )
        ),
        vol.Required(CONF_APPROVAL_DAYS): _number(0, 365, 1),
    }
)
FILTERS = vol.Schema(
    {
        vol.Optional(CONF_MUST_HAVE): WORDS,
        vol.Optional(CONF_BLOCK_WORDS): WORDS,
        vol.Required(CONF_KINDS): _choice(KINDS, "kind", several=True),
        vol.Optional(CONF_RESOLUTIONS): _choice(RESOLUTIONS, "resolution", several=True),
        vol.Optional(FIELD_GB): _number(0.1, 10_000, 0.1, "GB"),
    }
)
LIBRARY = vol.Schema(
    {
        vol.Required(CONF_CONFLICT): _choice(CONFLICTS, "conflict"),
        vol.Required(CONF_KEEP_SKIPPED_DAYS): _number(0, 3650, 1),
    }
)


class ReelayOptionsFlow(OptionsFlow):
    """No reloading here: the entry's one update listener finds out what changed."""

    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask which subject."""
        pages = ["notifications", "approval", "filters", "library"]
        if self._plugins():
            pages.append("plugins")
        return self.async_show_menu(step_id="init", menu_options=pages, sort=False)

    async def async_step_notifications(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Who is told, and of what."""
        if user_input is not None:
            return self._save({CONF_DEVICES: [], **user_input})
        return self._show("notifications", NOTIFICATIONS)

    async def async_step_approval(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """When a person is asked."""
        if user_input is not None:
            changed = {**user_input, CONF_CONFIDENCE: user_input[FIELD_PERCENT] / 100}
            del changed[FIELD_PERCENT]
            return self._save(changed)
        shown = {FIELD_PERCENT: round(self._now(CONF_CONFIDENCE) * 100)}
        return self._show("approval", APPROVAL, shown)

    async def async_step_filters(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """What is wanted at all."""
        errors = {}
        if user_input is not None:
            if user_input[CONF_KINDS]:
                return self._save(_filters(user_input))
            errors[CONF_KINDS] = "nothing_wanted"
        size = self._now(CONF_MAX_SIZE)
        shown = {FIELD_GB: round(size / GB, 1)} if size else {}
        return self._show("filters", FILTERS, shown | (user_input or {}), errors)

    async def async_step_library(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """What happens to files whose name is taken, and how long refused offers are kept."""
        if user_input is not None:
            days = int(user_input[CONF_KEEP_SKIPPED_DAYS])
            return self._save({**user_input, CONF_KEEP_SKIPPED_DAYS: days})
        return self._show("library", LIBRARY)

    async def async_step_plugins(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Which plugins take part. One that is switched on and missing holds tasks back, so each can be dropped."""
        known, loaded = self._plugins(), self._loaded()
        if user_input is not None:
            chosen = user_input.get(FIELD_PLUGINS, [])
            rules = self._now(CONF_PLUGINS) or {}
            kept = [name for name in known if name in chosen or name in loaded]
            return self._save(
                {CONF_PLUGINS: {name: {**rules.get(name, {}), "enabled": name in chosen} for name in kept}}
            )
        schema = vol.Schema(
            {
                vol.Optional(FIELD_PLUGINS): selector.SelectSelector(
                    selector.SelectSelectorConfig(options=known, multiple=True)
                )
            }
        )
        enabled = [name for name in known if known_enabled(self._now(CONF_PLUGINS), name)]
        return self._show("plugins", schema, {FIELD_PLUGINS: enabled})

    def _now(self, name: str) -> Any:
        return self.config_entry.options.get(name, DEFAULTS.get(name))

    def _loaded(self) -> set[str]:
        finder = self.hass.data.get(DATA_PLUGINS)
        return set(finder.names) if finder else set()

    def _plugins(self) -> list[str]:
        return sorted(self._loaded() | set(self._now(CONF_PLUGINS) or ()))

    def _show(
        self,
        page: str,
        schema: vol.Schema,
        shown: Mapping[str, Any] | None = None,
        errors: dict[str, str] | None = None,
    ) -> ConfigFlowResult:
        values = {**DEFAULTS, **self.config_entry.options, **(shown or {})}
        return self.async_show_form(
            step_id=page,
            data_schema=self.add_suggested_values_to_schema(schema, values),
            errors=errors or {},
        )

    def _save(self, changed: Mapping[str, Any]) -> ConfigFlowResult:
        return self.async_create_entry(data={**self.config_entry.options, **changed})


def known_enabled(rules: Mapping[str, Any] | None, name: str) -> bool:
    """A plugin takes part until it is switched off."""
    return bool((rules or {}).get(name, {}).get("enabled", True))


def _filters(user_input: dict[str, Any]) -> dict[str, Any]:
    """A page's filters as options: words trimmed, each once; a size in bytes, None without a limit."""
    changed = {**user_input}
    for name in (CONF_MUST_HAVE, CONF_BLOCK_WORDS):
        words = (word.strip() for word in user_input.get(name, []))
        changed[name] = list(dict.fromkeys(word for word in words if word))
    limit = changed.pop(FIELD_GB, None)
    changed[CONF_MAX_SIZE] = int(limit * GB) if limit else None
    changed.setdefault(CONF_RESOLUTIONS, [])
    return changed
