"""Sensors: how much waits where. Adding one is a row here, a name in the translations and an icon."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .core.model.states import State
from .core.tally import Snapshot
from .entity import ReelayEntity
from .runtime import ReelayConfigEntry

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class ReelaySensorDescription(SensorEntityDescription):
    """A sensor and where its value stands in a snapshot."""

    value: Callable[[Snapshot], int | datetime | None]


def _time(at: int | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at / 1000, UTC)


def _count(
    key: str,
    value: Callable[[Snapshot], int],
    category: EntityCategory | None = None,
    *,
    enabled: bool = True,
) -> ReelaySensorDescription:
    return ReelaySensorDescription(
        key=key,
        translation_key=key,
        value=value,
        entity_category=category,
        entity_registry_enabled_default=enabled,
        state_class=SensorStateClass.MEASUREMENT,
    )


def _in_state(state: State) -> ReelaySensorDescription:
    return _count(
        f"state_{state}",
        lambda snapshot: snapshot.counts.get(state, 0),
        EntityCategory.DIAGNOSTIC,
        enabled=state in SHOWN_STATES,
    )


#: The others are passed through in seconds, rare, or counted by a sensor of their own.
SHOWN_STATES = frozenset({State.QUEUED, State.SAVING, State.DONE, State.FAILED, State.SKIPPED})

SENSORS = (
    _count("queue_depth", lambda snapshot: snapshot.queue_depth),
    _count("waiting_approval", lambda snapshot: snapshot.waiting_approval),
    _count("needs_attention", lambda snapshot: snapshot.needs_attention),
    _count("retrying", lambda snapshot: snapshot.retrying),
    ReelaySensorDescription(
        key="stored_today",
        translation_key="stored_today",
        value=lambda snapshot: snapshot.stored_today,
        state_class=SensorStateClass.TOTAL_INCREASING,
    ),
    ReelaySensorDescription(
        key="oldest_waiting",
        translation_key="oldest_waiting",
        value=lambda snapshot: _time(snapshot.oldest_waiting),
        device_class=SensorDeviceClass.TIMESTAMP,
    ),
    ReelaySensorDescription(
        key="cooldown_until",
        translation_key="cooldown_until",
        value=lambda snapshot: _time(snapshot.cooldown_until),
        device_class=SensorDeviceClass.TIMESTAMP,
        entity_category=EntityCategory.DIAGNOSTIC,
    ),
    _count("outbox_backlog", lambda snapshot: snapshot.outbox_backlog, EntityCategory.DIAGNOSTIC),
    *(_in_state(state) for state in State),
)


async def async_setup_entry(
    hass: HomeAssistant, entry: ReelayConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the sensors."""
    coordinator = entry.runtime_data.coordinator
    async_add_entities(ReelaySensor(coordinator, description) for description in SENSORS)


class ReelaySensor(ReelayEntity, SensorEntity):
    """One number or time of the snapshot."""

    entity_description: ReelaySensorDescription

    @property
    def native_value(self) -> int | datetime | None:
        """The value."""
        return self.entity_description.value(self.snapshot)
