"""What all entities of Reelay share: one device, names from translations, states pushed by the coordinator."""

from homeassistant.core import callback
from homeassistant.helpers.device_registry import DeviceEntryType, DeviceInfo
from homeassistant.helpers.entity import EntityDescription
from homeassistant.helpers.update_coordinator import CoordinatorEntity
from homeassistant.loader import async_get_loaded_integration

from .const import DOMAIN
from .coordinator import ReelayCoordinator
from .core.tally import Snapshot


class ReelayEntity(CoordinatorEntity[ReelayCoordinator]):
    """An entity of the entry's own device."""

    _attr_has_entity_name = True

    def __init__(self, coordinator: ReelayCoordinator, description: EntityDescription) -> None:
        super().__init__(coordinator)
        entry_id = coordinator.config_entry.entry_id
        self.entity_description = description
        self._attr_unique_id = f"{entry_id}_{description.key}"
        self._attr_device_info = DeviceInfo(
            identifiers={(DOMAIN, entry_id)},
            entry_type=DeviceEntryType.SERVICE,
            translation_key="reelay",
            manufacturer="Reelay",
            sw_version=str(async_get_loaded_integration(coordinator.hass, DOMAIN).version),
        )

    @property
    def snapshot(self) -> Snapshot:
        """What the core counts now."""
        return self.coordinator.data

    @callback
    def async_entity_id_changed(self, old_entity_id: str) -> None:
        """Nothing depends on the id: Home Assistant 2026.11 then changes it in place. 2026.10 never calls it."""
