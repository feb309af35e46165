"""Names shared by the files of the face. Standard library and Home Assistant only: this is imported very early."""

from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from homeassistant.const import Platform
from homeassistant.util.hass_dict import HassKey

if TYPE_CHECKING:
    from .plugins import PluginFinder

DOMAIN: Final = "reelay"

PLATFORMS: Final = [Platform.BINARY_SENSOR, Platform.EVENT, Platform.SENSOR, Platform.SWITCH]

DATA_PLUGINS: HassKey[PluginFinder] = HassKey(f"{DOMAIN}_plugins")


class Mode(StrEnum):
    """How an entry runs: on samples and a drive in memory, or on the owner's own accounts."""

    DEMO = "demo"
    OWN = "own"


#: In entry.data: the mode. Everything the owner can change lives in entry.options.
CONF_MODE: Final = "mode"

#: In entry.options, live: they act at once and on tasks that exist already.
CONF_PAUSED: Final = "paused"
CONF_DEVICES: Final = "notify_devices"
CONF_PERSISTENT: Final = "persistent"

#: In entry.options, part of the policy: they act on what arrives from then on. Named as in core.policy.schema.
CONF_APPROVAL: Final = "approval"
CONF_APPROVAL_DAYS: Final = "approval_days"
CONF_BLOCK_WORDS: Final = "block_words"
CONF_CONFIDENCE: Final = "confidence"
CONF_CONFLICT: Final = "conflict"
CONF_KEEP_SKIPPED_DAYS: Final = "keep_skipped_days"
CONF_KINDS: Final = "kinds"
CONF_MAX_SIZE: Final = "max_size"
CONF_MUST_HAVE: Final = "must_have"
CONF_NOTIFY_DONE: Final = "notify_done"
CONF_NOTIFY_SKIPPED: Final = "notify_skipped"
CONF_PLUGINS: Final = "plugins"
CONF_RESOLUTIONS: Final = "resolutions"

#: The bus event: one for each resting state and question of a task.
EVENT_TASK: Final = "reelay_task_event"

#: Events older than this are not told any more after a start.
REPLAY: Final = timedelta(hours=24)
