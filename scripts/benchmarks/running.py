"""An app as the integration builds it, on the drive of invented films, and a feeder that keeps tasks in flight."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from custom_components.reelay.core.app import App, Build, Surroundings
from custom_components.reelay.core.clock import SystemClock
from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.model.notice import Notice
from custom_components.reelay.core.model.states import State
from custom_components.reelay.core.plugin_api import Contribution, ExtensionPoint, Plugin
from custom_components.reelay.core.policy.schema import Policy
from custom_components.reelay.core.ports import Notifier, SourceRules
from custom_components.reelay.core.tally import TraceEvent

from . import films


class Rules:
    """One policy for all sources and one target; `still` is the owner's pause."""

    def __init__(self, *, still: bool = False) -> None:
        self._still = still
        self._policy = Policy(provider="demo")

    def source(self, key: str) -> SourceRules:
        return SourceRules(key=key, name=key, policy=self._policy)

    def targets(self) -> tuple[str, ...]:
        return ("bench:one",)

    def paused(self) -> bool:
        return self._still


class Counting:
    """A notifier that counts."""

    def __init__(self) -> None:
        self.sent = 0

    async def send(self, target: str, notice: Notice, facts: Mapping[str, Any]) -> str | None:
        self.sent += 1
        return None


class Running:
    """An app, what it told, and how many of its tasks are done."""

    def __init__(self, app: App, notifier: Counting) -> None:
        self.app = app
        self.notifier = notifier
        self.done = 0
        self.others: list[TraceEvent] = []
        self._free = asyncio.Semaphore(0)
        app.on_event(self._on_event)

    def _on_event(self, event: TraceEvent) -> None:
        if event.to_state is State.DONE:
            self.done += 1
        else:
            self.others.append(event)
        self._free.release()

    async def feed(self, numbers: range, in_flight: int) -> None:
        """Deliver one post after the other, with so many tasks in flight, until all have come to rest."""
        for _ in range(min(in_flight, len(numbers))):
            self._free.release()
        for number in numbers:
            await self._free.acquire()
            await self.app.intake.deliver((films.post(number),))
        for _ in range(min(in_flight, len(numbers))):
            await self._free.acquire()

    async def rest(self, number: int) -> None:
        """Wait until so many tasks have come to rest."""
        for _ in range(number):
            await self._free.acquire()

    async def told(self, number: int) -> None:
        """Wait until so many notices have gone out and been recorded as delivered."""
        delivered = asyncio.Event()
        unsubscribe = self.app.on_snapshot(
            lambda now: delivered.set() if self.notifier.sent >= number and not now.outbox_backlog else None
        )
        self.app.refresh()
        await delivered.wait()
        unsubscribe()


@asynccontextmanager
async def running(folder: Path, numbers: range) -> AsyncIterator[Running]:
    """An app with its store in `folder` whose drive has the shares of `numbers`, and what it does."""
    notifier = Counting()
    async with started(folder, numbers, notifier=notifier) as app:
        yield Running(app, notifier)


@asynccontextmanager
async def started(
    folder: Path, numbers: range, *, still: bool = False, notifier: Notifier | None = None
) -> AsyncIterator[App]:
    """An app with its store in `folder` whose drive has the shares of `numbers`; `still` pauses it."""
    clock = SystemClock()
    drive = films.drive(clock, numbers)

    def storage(around: Surroundings) -> MemoryDrive:
        return drive

    point = Contribution(point=ExtensionPoint.STORAGE, name="demo", provider=storage)
    build = Build(
        folder=folder,
        clock=clock,
        settings=Rules(still=still),
        notifiers={"bench": notifier or Counting()},
        plugins=(Plugin(name="bench_drive", contributions=(point,)),),
    )
    app = await App.start(build)
    try:
        app.begin()
        yield app
    finally:
        await app.stop()
