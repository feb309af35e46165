"""The event entity shows the newest thing that happened to a task.

Automations that must see each one use the bus event: in a burst this entity is written once a second.
"""

from datetime import datetime

from homeassistant.components.event import EventEntity, EventEntityDescription
from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.event import async_call_later

from .bus import BusPublisher, event_data
from .coordinator import PACE, ReelayCoordinator
from .core.model.states import RESTING, State
from .core.tally import TraceEvent
from .entity import ReelayEntity
from .runtime import ReelayConfigEntry

PARALLEL_UPDATES = 0

TASK = EventEntityDescription(
    key="task", translation_key="task", event_types=[state.value for state in State if state in RESTING]
)


async def async_setup_entry(
    hass: HomeAssistant, entry: ReelayConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the event entity."""
    runtime = entry.runtime_data
    async_add_entities([ReelayTaskEvent(runtime.coordinator, runtime.bus)])


class ReelayTaskEvent(ReelayEntity, EventEntity):
    """The newest resting state or question."""

    _unrecorded_attributes = frozenset({"title"})

    def __init__(self, coordinator: ReelayCoordinator, bus: BusPublisher) -> None:
        super().__init__(coordinator, TASK)
        self._bus = bus
        self._newest: TraceEvent | None = None
        self._pause: CALLBACK_TYPE | None = None

    async def async_added_to_hass(self) -> None:
        """Follow what the bus tells."""
        await super().async_added_to_hass()
        self.async_on_remove(self._bus.async_listen(self._happened))
        self.async_on_remove(self._stop)

    @callback
    def _happened(self, event: TraceEvent) -> None:
        if event.to_state in RESTING:
            self._newest = event
            if self._pause is None:
                self._show()

    @callback
    def _show(self, _now: datetime | None = None) -> None:
        self._pause = None
        if (event := self._newest) is None:
            return
        self._newest = None
        job = HassJob(self._show, "reelay: pace of events", cancel_on_shutdown=True)
        self._pause = async_call_later(self.hass, PACE, job)
        data = event_data(event)
        self._trigger_event(State(event.to_state).value, data)
        self.async_write_ha_state()

    @callback
    def _stop(self) -> None:
        if self._pause is not None:
            self._pause()
            self._pause = None

    @callback
    def _handle_coordinator_update(self) -> None:
        """Counts don't concern an event."""
