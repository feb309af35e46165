"""The demo's source: posts the sample messages over about two minutes, then a new one now and then, forever."""

import asyncio
import logging
from collections.abc import Sequence

from ..model.errors import StoreError
from ..model.message import Message
from ..ports import Clock, Sink
from .later import later_sample
from .sample import KEY, Sample
from .samples import SAMPLES

#: Seconds between the later messages; each stands for a slot of wall-clock time.
EVERY = 600.0
#: Seconds after which a message is delivered anew where the store couldn't take it.
AGAIN = 15.0

_LOGGER = logging.getLogger(__name__)


class DemoSource:
    """Posts `samples` as their times say, `pace` times as slowly, then one later sample per slot of `every` seconds.

    Message ids follow from the samples and the slots alone: after a restart the same ones come again and the sink
    knows them, so that nothing needs to be remembered.
    """

    def __init__(
        self, samples: Sequence[Sample] = SAMPLES, *, pace: float = 1.0, every: float | None = EVERY
    ) -> None:
        self.key = KEY
        self._samples = samples
        self._pace = pace
        self._every = every
        self._task: asyncio.Task[None] | None = None

    async def start(self, sink: Sink, clock: Clock) -> None:
        """Begin posting; returns at once."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._post(sink, clock), name="reelay demo source")

    async def stop(self) -> None:
        """Stop posting."""
        task, self._task = self._task, None
        if task:
            task.cancel()
            await asyncio.wait((task,))
            if not task.cancelled() and (error := task.exception()):
                _LOGGER.error("The demo source had ended early", exc_info=error)

    async def _post(self, sink: Sink, clock: Clock) -> None:
        begun = clock.monotonic()
        for sample in self._samples:
            await clock.sleep(max(0.0, begun + sample.at * self._pace - clock.monotonic()))
            await self._deliver(sample, sink, clock)
        while self._every:
            slot, passed = divmod(clock.now() / 1000, self._every)
            # A little late, so that a clock that wakes early doesn't find the slot before.
            await clock.sleep(self._every - passed + 0.01)
            await self._deliver(later_sample(int(slot) + 1), sink, clock)

    async def _deliver(self, sample: Sample, sink: Sink, clock: Clock) -> None:
        while True:
            try:
                await sink.deliver((sample.message(clock.now()),))
            except StoreError:
                await clock.sleep(AGAIN)
            else:
                return


def sample_messages(posted: int) -> tuple[Message, ...]:
    """All sample messages at once, in order: for the dry run."""
    return tuple(sample.message(posted + number) for number, sample in enumerate(SAMPLES))
