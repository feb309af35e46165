"""Binary sensors: the drive's login, and whether the drive refuses everything for a while."""

from collections.abc import Callable
from dataclasses import dataclass

from homeassistant.components.binary_sensor import (
    BinarySensorDeviceClass,
    BinarySensorEntity,
    BinarySensorEntityDescription,
)
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import ReelayEntity
from .runtime import ReelayConfigEntry, Runtime

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class ReelayBinarySensorDescription(BinarySensorEntityDescription):
    """A binary sensor and where its value comes from."""

    value: Callable[[Runtime], bool]


BINARY_SENSORS = (
    ReelayBinarySensorDescription(
        key="drive_login",
        translation_key="drive_login",
        value=lambda runtime: runtime.drive_login,
        device_class=BinarySensorDeviceClass.CONNECTIVITY,
        entity_category=EntityCategory.DIAGNOSTIC,
    ),
    ReelayBinarySensorDescription(
        key="cooldown",
        translation_key="cooldown",
        value=lambda runtime: runtime.coordinator.data.cooldown_until is not None,
        device_class=BinarySensorDeviceClass.PROBLEM,
        entity_category=EntityCategory.DIAGNOSTIC,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant, entry: ReelayConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the binary sensors."""
    runtime = entry.runtime_data
    async_add_entities(ReelayBinarySensor(runtime, description) for description in BINARY_SENSORS)


class ReelayBinarySensor(ReelayEntity, BinarySensorEntity):
    """One yes or no."""

    entity_description: ReelayBinarySensorDescription

    def __init__(self, runtime: Runtime, description: ReelayBinarySensorDescription) -> None:
        super().__init__(runtime.coordinator, description)
        self._runtime = runtime

    @property
    def is_on(self) -> bool:
        """The value."""
        return self.entity_description.value(self._runtime)
