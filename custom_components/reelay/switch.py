"""The owner's pause: while it's on, nothing new is asked of the drive."""

from typing import Any

from homeassistant.components.switch import SwitchEntity, SwitchEntityDescription
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .adapters import EntrySettings
from .coordinator import ReelayCoordinator
from .entity import ReelayEntity
from .runtime import ReelayConfigEntry

PARALLEL_UPDATES = 1

PAUSE = SwitchEntityDescription(key="pause", translation_key="pause", entity_category=EntityCategory.CONFIG)


async def async_setup_entry(
    hass: HomeAssistant, entry: ReelayConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the switch."""
    runtime = entry.runtime_data
    async_add_entities([ReelayPauseSwitch(runtime.coordinator, runtime.settings)])


class ReelayPauseSwitch(ReelayEntity, SwitchEntity):
    """On = paused. The pause is a rule of the owner's and lives in the entry's options."""

    def __init__(self, coordinator: ReelayCoordinator, settings: EntrySettings) -> None:
        super().__init__(coordinator, PAUSE)
        self._settings = settings

    @property
    def is_on(self) -> bool:
        """Whether the owner has paused."""
        return self._settings.paused()

    async def async_turn_on(self, **kwargs: Any) -> None:
        """Pause."""
        self._settings.async_pause(True)

    async def async_turn_off(self, **kwargs: Any) -> None:
        """Go on."""
        self._settings.async_pause(False)
