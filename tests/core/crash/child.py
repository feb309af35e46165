"""A process that runs Reelay on files and may be killed at any moment; and the warmed process that it is forked from.

The zygote reads one job per line from its standard input, forks a child for it, kills the child when told to, and
answers with one line about how it ended. All state is in the job's folder: database, drive, what phones got and what
sources know as taken. Time is a file, too, so that it goes on where it was cut.
"""

import asyncio
import json
import logging
import mmap
import os
import signal
import struct
import sys
import time
import traceback
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

if __name__ == "__main__":
    from tests.core.light import without_face

    without_face()

from custom_components.reelay.core.app import App, Build
from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_faults import Fault, FaultKind
from custom_components.reelay.core.model.errors import CommandError
from custom_components.reelay.core.model.notice import Notice
from custom_components.reelay.core.model.points import Point
from custom_components.reelay.core.model.task import Actor
from custom_components.reelay.core.plugin_api import Contribution, ExtensionPoint, Plugin
from custom_components.reelay.core.store import marks
from custom_components.reelay.core.store.line import BACKGROUND, INTERACTIVE
from tests.core.invariants import content
from tests.core.invariants.content import Item
from tests.core.invariants.stage import VirtualClock
from tests.fakes.clock import START

PERSON = Actor(id="user:owner", interactive=True)
SETTLING = 30 * 3600.0
TIME = struct.Struct("<d")


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a child is to do.

    `script` names what is posted: `points` or `soak`. `point` and `visit`: die there. `kill_after`: the zygote kills
    after so many real seconds. `finish`: nothing fails any more, everything gets its time, the app is stopped.
    """

    folder: str
    script: str
    seed: int = 1
    point: str | None = None
    visit: int = 1
    kill_after: float | None = None
    finish: bool = False
    limit: float = 30.0


@dataclass(kw_only=True)
class Ending:
    """How a child ended: its exit code, or minus the signal; `said` is what it printed."""

    code: int
    seconds: float
    said: str = ""


# -- the child


class FileClock(VirtualClock):
    """Its time is in a file that outlives the process, and a process's names are its own."""

    def __init__(self, path: Path, *, seed: int) -> None:
        if not path.exists():
            path.write_bytes(TIME.pack(0.0))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), TIME.size)
        super().__init__(START, seed=seed)
        self._seconds = TIME.unpack_from(self._map)[0]
        self.on_time = self._keep
        self._names = f"{os.getpid()}"

    def _keep(self) -> None:
        TIME.pack_into(self._map, 0, self._seconds)

    def token(self) -> str:
        return f"{self._names}-{super().token()}"


@dataclass(kw_only=True)
class Phones:
    """A notifier whose deliveries outlive the process."""

    path: Path
    file: Any = field(init=False)

    def __post_init__(self) -> None:
        self.file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def send(self, target: str, notice: Notice, facts: Mapping[str, Any]) -> str | None:
        line = {"kind": notice.kind.value, "task": notice.task, "round": notice.round, "target": target}
        os.write(self.file, json.dumps(line).encode() + b"\n")
        await asyncio.sleep(0)
        return f"{notice.task}.{notice.round}"


class Child:
    """One life."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.folder = Path(job.folder)
        self.random = Random(job.seed)
        self.clock = FileClock(self.folder / "clock", seed=job.seed)
        self.clock.busy = self._busy
        self.visits: Counter[Point] = Counter()
        self.taken = os.open(self.folder / "taken.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.phones = Phones(path=self.folder / "phones.jsonl")
        self.settings = content.LiveSettings()
        self.drive: MemoryDrive
        self.app: App

    async def run(self) -> None:
        await self._start()
        for source, number, text in self._messages():
            await self._deliver(source, number, text)
        if self.job.script == "soak":
            await self._soak()
        else:
            await self._points()
        if self.job.finish:
            await self.clock.advance(SETTLING)
            await self.app.stop()

    async def _start(self) -> None:
        self.app = await App.start(
            Build(
                folder=self.folder,
                clock=self.clock,
                settings=self.settings,
                notifiers={"phone": self.phones},
                plugins=(self._storage(),),
                probe=self._probe,
            )
        )
        self.app.begin()
        await self._log_in()

    async def _log_in(self) -> None:
        """The owner mends a dead login."""
        await self.drive._ready()
        if not self.drive._state.logged_in:
            await self.drive.log_in()
            self.app.drive_ready("demo")

    def _storage(self) -> Plugin:
        def make(around: Any) -> MemoryDrive:
            # It takes the same files any number of times: nothing but the pipeline keeps it from that.
            self.drive = content.drive(self.clock, self.folder / "drive.jsonl", already=None)
            if not self.job.finish:
                self.drive.faults += self._faults()
            return self.drive

        point = Contribution(point=ExtensionPoint.STORAGE, name="demo", provider=make)
        return Plugin(name="demo_drive", contributions=(point,))

    def _faults(self) -> list[Fault]:
        if self.job.script == "soak":
            return [content.fault(self.random) for _ in range(self.random.randrange(4))]
        return [
            Fault(verb="receive", kind=FaultKind.LATE, share=Item("s", 6).code, seconds=30),
            Fault(verb="receive", kind=FaultKind.LOST_AFTER, share=Item("f", 7).code),
            Fault(verb="receive", kind=FaultKind.BUSY_TASK, share=Item("f", 8).code, seconds=60),
        ]

    async def _probe(self, point: Point) -> None:
        self.visits[point] += 1
        if point.value == self.job.point and self.visits[point] == self.job.visit:
            os.kill(os.getpid(), signal.SIGKILL)

    def _busy(self) -> bool:
        """Whether a thread has something to do that it will tell the loop about."""
        db = self.app._db if hasattr(self, "app") else None
        if db is None:
            return False
        lines = (db._writes, *db._reads.values())
        waiting = any(
            line._places[True]._value < INTERACTIVE or line._places[False]._value < BACKGROUND
            for line in lines
        )
        write = self.drive._last_write
        return waiting or (write is not None and not write.done())

    # -- what is posted

    def _messages(self) -> list[tuple[str, int, str]]:
        """A script's messages; those that were taken in an earlier life come again."""
        if self.job.script == "soak":
            return []
        items = [
            ("keep", Item("f", 1)),
            ("keep", Item("t", 2, 1, 2)),
            ("skip", Item("f", 3)),
            ("better", Item("f", 4, 0)),
            ("better", Item("f", 4, 2)),
            ("better", Item("f", 5, 0)),
            ("better", Item("f", 5, 3)),
            ("keep", Item("s", 6)),
            ("keep", Item("f", 7)),
            ("keep", Item("f", 8)),
            ("skip", Item("f", 9)),
        ]
        return [(source, number, item.text()) for number, (source, item) in enumerate(items, 1)]

    async def _deliver(self, source: str, number: int, text: str, edited: bool = False) -> None:
        now = self.clock.now()
        if self.job.script == "points" and source == "skip":
            # Somebody has that film already, and it isn't seen before it is filed.
            item = Item("f", {3: 3, 11: 9}[number])
            self.drive.faults.append(
                Fault(verb="receive", kind=FaultKind.GUEST, share=item.code, path=content.guest_path(item))
            )
        await self.app.intake.deliver((content.message(source, number, text, now, now if edited else None),))
        os.write(self.taken, json.dumps([source, str(number)]).encode() + b"\n")
        if self.job.script == "points":
            await self.clock.advance(90)

    async def _points(self) -> None:
        """A person wants a better release of what is there: it takes the old one's place."""
        if not (await self._handed_in())["tasks"]:
            await self.app.commands.ingest(PERSON, text=Item("f", 5, 3).text())
        await self.clock.advance(10)
        for view in (await self._handed_in())["tasks"]:
            with suppress(CommandError):
                await self.app.commands.approve(PERSON, view["id"])
        await self.clock.advance(1800)
        print(json.dumps(self.visits))

    async def _handed_in(self) -> dict[str, Any]:
        return await self.app.queries.list_tasks(source="inbox")

    async def _soak(self) -> None:
        """Messages keep coming, questions are answered, the app is reloaded."""
        first = await self._next_number()
        for number in range(first, first + (0 if self.job.finish else 1000)):
            random = Random(self.job.seed * 1000 + number)
            source = random.choice([name for name in content.SOURCES if name != "plugged"])
            kind, episodes = random.choice("fffsstggdmu"), random.choice((2, 3, 5))
            item = Item(kind, random.randrange(60), random.randrange(4), episodes)
            await self._deliver(source, number, item.text())
            if random.random() < 0.2:
                more = f"{item.text()}\n{Item('f', 61).link}"
                edited = random.choice((item.text(item.episodes + 2), item.expired(), more))
                await self._deliver(source, number, edited, edited=True)
            await self.clock.advance(random.choice((0.5, 5, 60, 200, 2000)))
            await self._answer(random)
            await self._log_in()
            if random.random() < 0.1:
                await self.app.stop()
                await self._start()

    async def _next_number(self) -> int:
        """The message after the newest one that a source knows to be durable; that one comes again."""
        kept = [
            await self.app._db.read(lambda tx, name=name: marks.get(tx, f"source:{name}"))  # type: ignore[misc]
            for name in content.SOURCES
        ]
        return max([int(mark) for mark in kept if mark] or [1])

    async def _answer(self, random: Random) -> None:
        page = await self.app.queries.list_tasks(
            states=("pending_approval", "need_manual", "failed"), limit=50
        )
        commands = self.app.commands
        for view in page["tasks"]:
            if random.random() < 0.5:
                continue
            number, allowed = view["id"], view["actions"]
            action = random.choice(allowed)
            try:
                match action:
                    case "approve" | "ignore":
                        await getattr(commands, action)(PERSON, number, round=view["round"])
                    case "verify":
                        await commands.verify(PERSON, number, accept_partial=random.random() < 0.5)
                    case "retry" | "reidentify" | "reorganize":
                        await getattr(commands, action)(PERSON, number)
                    case "abandon" if random.random() < 0.3:
                        await commands.abandon(PERSON, number)
                    case "correct":
                        await commands.correct(PERSON, number, title="Amber Harbor", kind="film", year=2001)
            except CommandError:
                continue


def live(job: Job) -> int:
    """The whole life of a child, in its own process."""
    logging.getLogger("custom_components.reelay").setLevel(logging.ERROR)
    logging.basicConfig(level=logging.ERROR)

    async def bounded() -> None:
        async with asyncio.timeout(job.limit):
            await Child(job).run()

    asyncio.run(bounded())
    return 0


# -- the zygote


def _fork(job: Job) -> Ending:
    began = time.monotonic()
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(read)
            os.dup2(write, 1)
            os.dup2(write, 2)
            code = live(job)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    os.close(write)
    if job.kill_after is not None:
        time.sleep(job.kill_after)
        os.kill(pid, signal.SIGKILL)
    said = b""
    while part := os.read(read, 65536):
        said += part
    os.close(read)
    _, status = os.waitpid(pid, 0)
    return Ending(
        code=os.waitstatus_to_exitcode(status),
        seconds=time.monotonic() - began,
        said=said.decode(errors="replace"),
    )


def main() -> None:
    for line in sys.stdin:
        ending = _fork(Job(**json.loads(line)))
        print(json.dumps(asdict(ending)), flush=True)


if __name__ == "__main__":
    main()
