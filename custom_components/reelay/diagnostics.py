"""What an owner can attach to a bug report: numbers and states, no link, code, title, word or name."""

from collections.abc import Mapping
from typing import Any

from homeassistant.core import HomeAssistant

from .const import (
    CONF_BLOCK_WORDS,
    CONF_DEVICES,
    CONF_MUST_HAVE,
    CONF_PLUGINS,
    DATA_PLUGINS,
)
from .core.policy import snapshot as policy_snapshot
from .runtime import ReelayConfigEntry

#: Told by their number only: what somebody watches or owns is nobody's business.
COUNTED = frozenset({CONF_BLOCK_WORDS, CONF_DEVICES, CONF_MUST_HAVE})


async def async_get_config_entry_diagnostics(hass: HomeAssistant, entry: ReelayConfigEntry) -> dict[str, Any]:
    """Describe a loaded entry. Values are picked one by one, so that nothing new slips in by itself."""
    runtime = entry.runtime_data
    snapshot = runtime.app.snapshot
    return {
        "mode": runtime.mode,
        "options": _options(entry.options),
        "policy": policy_snapshot.key(runtime.settings.policy),
        "targets": [target.partition(":")[0] for target in runtime.settings.targets()],
        "counts": {str(state): count for state, count in snapshot.counts.items()},
        "queue": {
            "depth": snapshot.queue_depth,
            "needs_attention": snapshot.needs_attention,
            "oldest_waiting": snapshot.oldest_waiting,
            "outbox_backlog": snapshot.outbox_backlog,
            "paused": snapshot.paused,
            "retrying": snapshot.retrying,
            "stored_today": snapshot.stored_today,
            "waiting_approval": snapshot.waiting_approval,
        },
        "drive": {"login": runtime.drive_login, "cooldown_until": snapshot.cooldown_until},
        "health": [
            {
                "component": state.component,
                "state": state.state,
                "since": state.since,
                "until": state.until,
                "reason": state.reason,
            }
            for state in runtime.app.health
        ],
        "plugins": sorted(runtime.app.plugins.names()),
        "failed_plugins": sorted(hass.data[DATA_PLUGINS].failures),
    }


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name, value in options.items():
        if name in COUNTED:
            told[name] = len(value)
        elif name == CONF_PLUGINS:
            told[name] = {plugin: bool(rules.get("enabled", True)) for plugin, rules in value.items()}
        else:
            told[name] = value
    return told
