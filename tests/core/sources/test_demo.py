"""The demo posts its samples once each, then something new now and then, whatever restarts."""

import asyncio

from custom_components.reelay.core.model.errors import StoreError
from custom_components.reelay.core.model.message import Message
from custom_components.reelay.core.ports import Sink
from custom_components.reelay.core.sources.base import Source
from custom_components.reelay.core.sources.demo import EVERY, DemoSource, sample_messages
from custom_components.reelay.core.sources.samples import SAMPLES
from tests.fakes.clock import FakeClock


class Box:
    """A sink that knows what it has had."""

    def __init__(self) -> None:
        self.messages: dict[str, Message] = {}
        self.deliveries = 0
        self.broken = False

    async def deliver(self, messages: tuple[Message, ...]) -> None:
        if self.broken:
            raise StoreError("database_full")
        for message in messages:
            assert message.source == "demo"
            self.deliveries += 1
            self.messages.setdefault(message.message_id, message)


async def test_the_first_samples_come_at_once_and_all_within_two_minutes() -> None:
    clock, box = FakeClock(), Box()
    sink: Sink = box
    source: Source = DemoSource(every=None)
    await source.start(sink, clock)
    await clock.advance(3)
    assert list(box.messages) == ["film", "series"]
    await clock.advance(117)
    assert list(box.messages) == [sample.name for sample in SAMPLES]
    assert clock.sleepers == 0
    await source.stop()


async def test_a_restart_posts_nothing_twice_and_leaves_nothing_out() -> None:
    clock, box = FakeClock(), Box()
    for _ in range(3):
        source = DemoSource()
        await source.start(box, clock)
        await source.start(box, clock)
        await clock.advance(30)
        await source.stop()
        assert clock.next_wake is None
    source = DemoSource()
    await source.start(box, clock)
    await clock.advance(120)
    assert [name for name in box.messages if "later" not in name] == [sample.name for sample in SAMPLES]
    await source.stop()


async def test_later_there_is_one_message_per_slot_forever() -> None:
    clock, box = FakeClock(), Box()
    source = DemoSource()
    await source.start(box, clock)
    await clock.advance(24 * 3600)
    later = [name for name in box.messages if name.startswith("later-")]
    assert 143 <= len(later) <= 144
    before = box.deliveries
    await source.stop()
    source = DemoSource(samples=())
    await source.start(box, clock)
    await clock.advance(EVERY + 1)
    assert box.deliveries == before + 1 == len(box.messages)
    await source.stop()


async def test_it_only_wakes_to_post() -> None:
    clock, box = FakeClock(), Box()
    source = DemoSource(samples=())
    await source.start(box, clock)
    await clock.advance(0)
    assert clock.sleepers == 1
    assert clock.next_wake is not None
    assert clock.next_wake > 0
    await source.stop()


async def test_stopping_ends_it_wherever_it_is() -> None:
    clock, box = FakeClock(), Box()
    source = DemoSource()
    await source.stop()
    await source.start(box, clock)
    await source.stop()
    await clock.advance(600)
    assert box.deliveries == 0
    assert not [task for task in asyncio.all_tasks() if "demo" in task.get_name()]


async def test_a_store_that_is_full_gets_the_message_later() -> None:
    clock, box = FakeClock(), Box()
    box.broken = True
    source = DemoSource(every=None)
    await source.start(box, clock)
    await clock.advance(100)
    box.broken = False
    await clock.advance(30)
    assert list(box.messages) == [sample.name for sample in SAMPLES]
    await source.stop()


def test_a_sample_is_the_same_message_on_every_run() -> None:
    assert [m.message_id for m in sample_messages(1)] == [m.message_id for m in sample_messages(2)]
    assert len({message.message_id for message in sample_messages(1)}) == len(SAMPLES)
