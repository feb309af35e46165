"""What authors of plugins import; everything else of Reelay may change without notice.

A plugin lives in another integration, in a file `reelay.py` with `async def async_get_plugin(hass) -> Plugin`.
Reelay calls it when it starts, or when that integration is loaded later.
"""

from .core.plugin_api import (
    API_VERSION,
    Answer,
    Contribution,
    ExtensionPoint,
    Hook,
    ListingView,
    MessageView,
    OfferView,
    Plugin,
    PluginFactory,
    TaskView,
)

__all__ = [
    "API_VERSION",
    "Answer",
    "Contribution",
    "ExtensionPoint",
    "Hook",
    "ListingView",
    "MessageView",
    "OfferView",
    "Plugin",
    "PluginFactory",
    "TaskView",
]
