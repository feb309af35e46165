"""The line in Settings → System → Repairs → System information."""

from typing import Any

from homeassistant.components.system_health import SystemHealthRegistration
from homeassistant.core import HomeAssistant, callback

from .const import DATA_PLUGINS, DOMAIN


@callback
def async_register(hass: HomeAssistant, register: SystemHealthRegistration) -> None:
    """Register with the page to manage it on."""
    register.async_register_info(_info, f"/config/integrations/integration/{DOMAIN}")


async def _info(hass: HomeAssistant) -> dict[str, Any]:
    entries = hass.config_entries.async_loaded_entries(DOMAIN)
    if not entries:
        return {"running": False}
    runtime = entries[0].runtime_data
    snapshot = runtime.app.snapshot
    return {
        "running": True,
        "mode": str(runtime.mode),
        "paused": runtime.settings.paused(),
        "queue_depth": snapshot.queue_depth,
        "waiting_approval": snapshot.waiting_approval,
        "needs_attention": snapshot.needs_attention,
        "outbox_backlog": snapshot.outbox_backlog,
        "drive_login": runtime.drive_login,
        "failed_plugins": ", ".join(sorted(hass.data[DATA_PLUGINS].failures)) or None,
    }
