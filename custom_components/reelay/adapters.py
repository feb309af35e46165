"""The core's ports on Home Assistant: the owner's rules are the entry's options."""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr
from pydantic import ValidationError

from .const import CONF_APPROVAL, CONF_DEVICES, CONF_MODE, CONF_PAUSED, CONF_PERSISTENT, Mode
from .core.policy.resolve import effective
from .core.policy.schema import Approval, Policy
from .core.ports import SourceRules

if TYPE_CHECKING:
    from .runtime import ReelayConfigEntry

_LOGGER = logging.getLogger(__name__)

#: The storage that tasks of each mode go to.
PROVIDERS = {Mode.DEMO: "demo", Mode.OWN: "115"}


class EntrySettings:
    """The `Settings` port: reads the options anew at each call, so that a change acts at once."""

    def __init__(self, hass: HomeAssistant, entry: ReelayConfigEntry) -> None:
        self._hass = hass
        self._entry = entry
        self._options: Mapping[str, Any] | None = None
        self._policy = Policy()

    def source(self, key: str) -> SourceRules:
        """The rules of a source: the global ones, as long as sources have none of their own."""
        return SourceRules(key=key, name=key, policy=self.policy)

    @property
    def policy(self) -> Policy:
        """The effective global policy."""
        if self._options is not self._entry.options:
            self._options = self._entry.options
            self._policy = _policy(self._options, PROVIDERS[Mode(self._entry.data[CONF_MODE])])
        return self._policy

    def targets(self) -> tuple[str, ...]:
        """The chosen phones that still exist; without any, Home Assistant's own notifications if allowed."""
        devices = dr.async_get(self._hass)
        chosen = self._entry.options.get(CONF_DEVICES, ())
        phones = tuple(f"mobile_app:{device}" for device in chosen if devices.async_get(device))
        if not phones and self._entry.options.get(CONF_PERSISTENT, True):
            return ("persistent",)
        return phones

    def paused(self) -> bool:
        """Whether the owner has paused new drive traffic."""
        return bool(self._entry.options.get(CONF_PAUSED, False))

    @callback
    def async_pause(self, paused: bool) -> None:
        """The owner's switch; the update listener lets it act."""
        options = {**self._entry.options, CONF_PAUSED: paused}
        self._hass.config_entries.async_update_entry(self._entry, options=options)


def _policy(options: Mapping[str, Any], provider: str) -> Policy:
    """Options as a policy. What a hand or an older version has spoilt is left out, and then everything asks."""
    overall = {**options, "provider": provider}
    try:
        return effective(overall)
    except ValidationError as err:
        spoilt = {str(error["loc"][0]) for error in err.errors()}
        _LOGGER.error("Options that can't be used are left out: %s", ", ".join(sorted(spoilt)))
    sound = {name: value for name, value in overall.items() if name not in spoilt}
    return effective({**sound, CONF_APPROVAL: Approval.ALWAYS})
