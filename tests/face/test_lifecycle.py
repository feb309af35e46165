"""The bus event: each thing worth telling reaches automations, once or more, in order, across restarts."""

from typing import Any
from unittest.mock import patch

import pytest
from homeassistant.core import CoreState, Event, HomeAssistant
from homeassistant.util import dt as dt_util
from pytest_homeassistant_custom_component.common import MockConfigEntry, async_capture_events

from custom_components.reelay import bus
from custom_components.reelay.const import EVENT_TASK
from custom_components.reelay.core.model.errors import StoreError
from custom_components.reelay.core.model.message import Message
from custom_components.reelay.core.tally import TraceEvent

from .support import FILM, set_up, until
from .test_entities import event

DAY = 24 * 3600 * 1000


class Trace:
    """The trace of an app, as far as the bus sees it."""

    def __init__(self, entry: MockConfigEntry, *events: TraceEvent) -> None:
        self.events = list(events)
        self.app = entry.runtime_data.app
        self.failures = 0
        self.app.events_after = self.events_after

    async def events_after(self, number: int, limit: int = 200) -> list[TraceEvent]:
        if self.failures:
            self.failures -= 1
            raise StoreError("database_full")
        return [each for each in self.events if each.id > number][:limit]

    def add(self, *events: TraceEvent) -> None:
        self.events += events
        for each in events:
            for listener in tuple(self.app._tally.event_listeners):
                listener(each)


def ids(events: list[Event[dict[str, Any]]]) -> list[int]:
    return [each.data["event_id"] for each in events]


async def test_each_event_of_a_burst_is_told_in_order(hass: HomeAssistant) -> None:
    told = async_capture_events(hass, EVENT_TASK)
    entry = await set_up(hass)
    Trace(entry).add(*(event(number) for number in range(1, 501)))
    await until(lambda: len(told) == 500)
    assert ids(told) == list(range(1, 501))


async def test_an_event_says_what_automations_need_and_nothing_secret(hass: HomeAssistant) -> None:
    told = async_capture_events(hass, EVENT_TASK)
    entry = await set_up(hass)
    Trace(entry).add(event(3, actor="user:abc", detail={"receive_code": "ab12"}, title="M" * 400))
    await until(lambda: told)
    assert told[0].data == {
        "entry_id": entry.entry_id,
        "event_id": 3,
        "task_id": 7,
        "state": "done",
        "from_state": "organizing",
        "code": "filed",
        "title": "M" * 255,
        "source": "demo",
        "round": 2,
        "actor": "user:abc",
        "at": told[0].data["at"],
    }
    assert dt_util.parse_datetime(told[0].data["at"]) is not None
    assert told[0].context.user_id == "abc"


async def test_a_restart_tells_what_was_missed_and_nothing_twice(hass: HomeAssistant) -> None:
    told = async_capture_events(hass, EVENT_TASK)
    entry = await set_up(hass)
    Trace(entry).add(event(1), event(2))
    await until(lambda: len(told) == 2)
    await hass.config_entries.async_unload(entry.entry_id)

    connect = bus.BusPublisher.async_start

    def missed(publisher: bus.BusPublisher) -> None:
        Trace(entry, event(1), event(2), event(3))
        connect(publisher)

    with patch.object(bus.BusPublisher, "async_start", missed):
        await hass.config_entries.async_setup(entry.entry_id)
        await until(lambda: len(told) == 3)
    assert ids(told) == [1, 2, 3]


async def test_what_is_older_than_a_day_is_not_told_after_a_start(hass: HomeAssistant) -> None:
    told = async_capture_events(hass, EVENT_TASK)
    entry = await set_up(hass)
    now = round(dt_util.utcnow().timestamp() * 1000)
    Trace(entry).add(event(1, at=now - DAY - 1000), event(2, at=now - DAY + 60_000))
    await until(lambda: told)
    assert ids(told) == [2]


async def test_nothing_is_told_before_automations_are_there(hass: HomeAssistant) -> None:
    hass.set_state(CoreState.not_running)
    told = async_capture_events(hass, EVENT_TASK)
    entry = await set_up(hass)
    Trace(entry).add(event(1))
    await hass.async_block_till_done()
    assert not told
    hass.set_state(CoreState.starting)
    await hass.async_start()
    await until(lambda: told)
    assert ids(told) == [1]


async def test_the_cursor_is_kept_after_a_quiet_moment(hass: HomeAssistant) -> None:
    told = async_capture_events(hass, EVENT_TASK)
    with patch.object(bus, "SAVE_AFTER", 0.05):
        entry = await set_up(hass)
        app = entry.runtime_data.app
        with patch.object(app, "set_mark", wraps=app.set_mark) as kept:
            Trace(entry).add(*(event(number) for number in range(1, 101)))
            await until(lambda: entry.runtime_data.bus._saved == 100)
            assert await app.mark(bus.CURSOR) == "100"
            assert kept.call_count == 1
    assert len(told) == 100


async def test_a_failing_database_delays_events_and_is_named_once(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    told = async_capture_events(hass, EVENT_TASK)
    entry = await set_up(hass)
    trace = Trace(entry)
    trace.failures = 2
    with patch.object(bus, "MAX_BACKOFF", 0.01):
        trace.add(event(1))
        await until(lambda: told)
    assert caplog.text.count("Task events are late") == 1


async def test_a_database_that_fails_at_the_end_does_not_keep_it_from_stopping(hass: HomeAssistant) -> None:
    told = async_capture_events(hass, EVENT_TASK)
    entry = await set_up(hass)
    Trace(entry).add(event(1))
    await until(lambda: told)
    with patch.object(entry.runtime_data.app, "set_mark", side_effect=StoreError("database_full")):
        assert await hass.config_entries.async_unload(entry.entry_id)


async def test_an_event_behind_much_that_is_not_worth_telling_is_told(hass: HomeAssistant) -> None:
    told = async_capture_events(hass, EVENT_TASK)
    entry = await set_up(hass)  # without a drive, tasks wait at their beginning
    texts = [FILM.format(number) for number in range(20)] + ["Good morning"]
    with patch.object(bus, "BATCH", 5):
        await entry.runtime_data.app.intake.deliver(
            tuple(
                Message(source="channel", message_id=str(number), text=text, posted=number)
                for number, text in enumerate(texts)
            )
        )
        await until(lambda: told)
    assert told[0].data["state"] == "skipped"


async def test_tasks_of_the_demo_are_told(hass: HomeAssistant) -> None:
    told = async_capture_events(hass, EVENT_TASK)
    entry = await set_up(hass, "demo")
    await until(lambda: told)
    assert told[0].data["source"] == "demo"
    assert told[0].data["entry_id"] == entry.entry_id
