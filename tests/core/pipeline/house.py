"""A whole Reelay on a clock that a test moves: the real app, store and lanes, one drive and one phone.

Time stands still while anybody has something to do, threads included. So `settle` means: everything that can happen
now has happened; `wait` lets time pass from sleeper to sleeper.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from custom_components.reelay.core.app import App, Build
from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_faults import Fault
from custom_components.reelay.core.drives.memory_shares import make_share
from custom_components.reelay.core.drives.memory_state import Deed
from custom_components.reelay.core.model.message import Message
from custom_components.reelay.core.model.notice import Notice, NoticeKind
from custom_components.reelay.core.model.states import State
from custom_components.reelay.core.model.task import Actor, Task, TraceLine
from custom_components.reelay.core.plugged import Surroundings
from custom_components.reelay.core.plugin_api import Contribution, ExtensionPoint, Hook, Plugin
from custom_components.reelay.core.policy.schema import Policy
from custom_components.reelay.core.ports import SourceRules
from custom_components.reelay.core.store import outbox, tasks, trace
from custom_components.reelay.core.store.line import BACKGROUND, INTERACTIVE
from tests.fakes.clock import FakeClock

GIB = 1024**3
#: Of all shares.
ACCESS = "ab12"
OWNER = Actor(id="user:owner", interactive=True)
GUEST = Actor(id="phone:guest", interactive=True)

FILM = "🎬 电影：Silver Harbor (2021)\n🎞️ 质量: 1080p WEB-DL H.265\n\n🔗 链接: {link}"
SERIES = "📺 电视剧：The Paper Comet (2019) S01E01-E{last:02d}\n🎞️ 质量: 1080p WEB-DL\n\n🔗 链接: {link}"
#: Neither kind nor year: a person is asked.
UNSURE = "夜航\n链接：{link}"
ADVERT = (
    "🔥【限时】年费VIP 99元，全站4K原盘随便存！\n✅ 10PB影视库 ✅ 永久售后\n👉 {link}\n💰 购买联系 @example_seller"
    "\n#推广"
)


def link(code: str, access: str | None = ACCESS) -> str:
    return f"https://115cdn.com/s/{code}" + (f"?password={access}" if access else "")


def film(code: str, access: str | None = ACCESS) -> str:
    return FILM.format(link=link(code, access))


def series(code: str, last: int = 2) -> str:
    return SERIES.format(link=link(code), last=last)


class HouseClock(FakeClock):
    """Waits for threads as well before time goes on."""

    busy: Callable[[], bool] = staticmethod(lambda: False)

    async def _settle(self) -> None:
        ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
        began, calm = time.monotonic(), 0
        while calm < 3:
            await asyncio.sleep(0)
            if self.busy():
                await asyncio.sleep(0.0002)
            calm = 0 if ready or self.busy() else calm + 1
            if time.monotonic() - began > 20:
                raise TimeoutError("somebody is busy forever without time passing")


@dataclass(kw_only=True)
class Owner:
    """The owner's settings, changed at will."""

    policy: Policy = field(default_factory=Policy)
    sources: dict[str, Policy] = field(default_factory=dict)
    phones: tuple[str, ...] = ("phone:a",)
    pausing: bool = False

    def source(self, key: str) -> SourceRules:
        return SourceRules(key=key, name=key, policy=self.sources.get(key, self.policy))

    def targets(self) -> tuple[str, ...]:
        return self.phones

    def paused(self) -> bool:
        return self.pausing


@dataclass(kw_only=True)
class Phones:
    """A notifier that keeps what it is given; `answer` may raise or take its time."""

    sent: list[tuple[str, Notice, Mapping[str, Any]]] = field(default_factory=list)
    answer: Callable[[str, Notice], Any] | None = None

    async def send(self, target: str, notice: Notice, facts: Mapping[str, Any]) -> str | None:
        if self.answer is not None:
            made = self.answer(target, notice)
            if asyncio.iscoroutine(made):
                await made
        self.sent.append((target, notice, facts))
        return f"receipt-{len(self.sent)}"

    def kinds(self, target: str | None = None) -> list[str]:
        return [notice.kind.value for to, notice, _ in self.sent if target in (None, to)]

    def of(self, kind: NoticeKind) -> list[tuple[str, Notice, Mapping[str, Any]]]:
        return [row for row in self.sent if row[1].kind is kind]


class Account(MemoryDrive):
    """The drive of the account; it outlives the app, which closes it."""

    async def close(self) -> None:
        return None


class HouseApp(App):
    """Counts what runs on the thread for long rules."""

    away = 0

    async def _off_the_loop[T](self, fn: Callable[[], T]) -> T:
        self.away += 1
        try:
            return await super()._off_the_loop(fn)
        finally:
            self.away -= 1


class House:
    """The app with all that surrounds it. `start` it, `stop` it, `restart` it over the same files."""

    def __init__(self, path: Path, **owner: Any) -> None:
        self.path = path
        self.clock = HouseClock()
        self.owner = Owner(**owner)
        self.phones = Phones()
        self.drive = Account(self.clock, landing=(0.0, 0.0))
        self.plugins: list[Plugin] = [self.storage()]
        self.begins = True
        self.app: HouseApp
        self._posts = 0
        self._running = False

    def storage(self) -> Plugin:
        def factory(around: Surroundings) -> MemoryDrive:
            return self.drive

        point = Contribution(point=ExtensionPoint.STORAGE, name="demo", provider=factory)
        return Plugin(name="storage", contributions=(point,))

    async def start(self, **build: Any) -> House:
        self.app = await HouseApp.start(
            Build(
                folder=self.path / "reelay",
                clock=self.clock,
                settings=self.owner,
                notifiers={"phone": self.phones},
                plugins=tuple(self.plugins),
                **build,
            )
        )
        self._running = True
        self.clock.busy = self._busy
        if self.begins:
            self.app.begin()
        await self.settle()
        return self

    async def stop(self) -> None:
        if self._running:
            self._running = False
            await self.app.stop()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    def _busy(self) -> bool:
        if not self._running:
            return False
        db = self.app._db
        lines = (db._writes, *db._reads.values())
        waiting = any(
            line._places[True]._value < INTERACTIVE or line._places[False]._value < BACKGROUND
            for line in lines
        )
        return waiting or self.app.away > 0

    # -- time

    async def settle(self) -> None:
        """Everything that can happen without time passing has happened."""
        await self.clock._settle()

    async def wait(self, seconds: float = 0.0, *, minutes: float = 0.0, hours: float = 0.0) -> None:
        await self.clock.advance(seconds + minutes * 60 + hours * 3600)

    async def until(self, condition: Callable[[], bool], *, hours: float = 1.0) -> None:
        """Time passes until `condition` holds."""
        end = self.clock.monotonic() + hours * 3600
        await self.settle()
        while not condition():
            wait = self.clock.next_wake
            assert wait is not None, "nobody sleeps: nothing will happen any more"
            assert self.clock.monotonic() + wait <= end, f"not within {hours} hours"
            await self.clock.advance(wait)

    # -- what people and channels do

    def share(
        self, code: str, files: Mapping[str, int] | Iterable[str], *, access: str | None = ACCESS, **more: Any
    ) -> None:
        sizes = files if isinstance(files, Mapping) else {path: GIB + n for n, path in enumerate(files)}
        self.drive.shares.add(make_share(code, dict(sizes), receive_code=access, **more))

    def film_share(self, code: str, name: str = "Silver.Harbor.2021.1080p.WEB-DL.mkv", **more: Any) -> None:
        self.share(code, {name: 4 * GIB + len(code)}, **more)

    def series_share(self, code: str, last: int = 2, **more: Any) -> None:
        names = [f"The.Paper.Comet.S01E{number:02d}.1080p.WEB-DL.mkv" for number in range(1, last + 1)]
        self.share(code, names, **more)

    def fail(self, verb: str, kind: str, **more: Any) -> Fault:
        fault = Fault(verb=verb, kind=kind, **more)
        self.drive.faults.append(fault)
        return fault

    def message(self, text: str, id: str | None = None, *, source: str = "channel", **more: Any) -> Message:
        self._posts += 1
        return Message(
            source=source, message_id=id or f"m{self._posts}", text=text, posted=self.clock.now(), **more
        )

    async def post(self, text: str, id: str | None = None, **more: Any) -> list[int]:
        """A channel posts; the tasks that this made or restarted, after everything that follows at once."""
        made = await self.app.intake.take((self.message(text, id, **more),))
        await self.settle()
        return list(made)

    async def one(self, text: str, id: str | None = None, **more: Any) -> int:
        (task,) = await self.post(text, id, **more)
        return task

    # -- what can be seen

    async def task(self, number: int) -> Task:
        found = await self.app._db.read(lambda tx: tasks.get(tx, number))
        assert found is not None
        return found

    async def state(self, number: int) -> State:
        return (await self.task(number)).state

    async def trace(self, number: int) -> list[TraceLine]:
        return await self.app._db.read(lambda tx: trace.of_task(tx, number))

    async def way(self, number: int) -> list[str]:
        """The states of a task and why it came there."""
        return [f"{line.to_state} {line.code}" for line in await self.trace(number)]

    async def last(self, number: int) -> str:
        return (await self.way(number))[-1]

    async def count(self, table: str) -> int:
        rows = await self.app._db.read(lambda tx: tx.execute(f"SELECT count(*) FROM {table}").fetchone())
        return int(rows[0])

    async def backlog(self) -> int:
        return await self.app._db.read(outbox.backlog)

    def receives(self) -> int:
        return sum(line.deed is Deed.RECEIVE for line in self.drive.log())

    def files(self) -> list[str]:
        return sorted(entry.path for entry in self.drive.tree() if not entry.folder)


def plugin(
    name: str, hook: Hook, point: ExtensionPoint = ExtensionPoint.DECIDER, *, priority: int = 100, **more: Any
) -> Plugin:
    one = Contribution(point=point, name=name, provider=hook, priority=priority, **more)
    return Plugin(name=name, contributions=(one,))
