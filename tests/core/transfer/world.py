"""A small world for transfer tests: the real store, mover and lane rules, the in-memory drive, a clock that jumps.

`work` plays the lanes by hand, so that a test sees each pick-up. A crash is a BaseException out of the probe; then
`restart` builds everything anew over the same files.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from custom_components.reelay.core.drives.base import Limits
from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_faults import Fault
from custom_components.reelay.core.drives.memory_shares import Share, make_share
from custom_components.reelay.core.drives.memory_state import Deed
from custom_components.reelay.core.model.context import PipelineContext
from custom_components.reelay.core.model.decision import Code, Decision, Reason, Verdict
from custom_components.reelay.core.model.message import Message
from custom_components.reelay.core.model.notice import NoticeKind
from custom_components.reelay.core.model.offer import Kind, Offer, Parsed, ShareRef, Work
from custom_components.reelay.core.model.points import Point
from custom_components.reelay.core.model.share import CLAIMING, Batch, Phase
from custom_components.reelay.core.model.states import Lane, State
from custom_components.reelay.core.model.task import Task, TraceLine
from custom_components.reelay.core.pipeline.gates import Gates
from custom_components.reelay.core.pipeline.lanes import LanePlan, Lanes
from custom_components.reelay.core.pipeline.mover import Mover
from custom_components.reelay.core.pipeline.organize import organize
from custom_components.reelay.core.pipeline.plugins import Plugins
from custom_components.reelay.core.pipeline.recheck import recheck
from custom_components.reelay.core.pipeline.stage import Stage
from custom_components.reelay.core.pipeline.transfer import transfer
from custom_components.reelay.core.pipeline.transition import Moved
from custom_components.reelay.core.policy.schema import Policy
from custom_components.reelay.core.store import (
    batches,
    claims,
    library,
    messages,
    outbox,
    policies,
    tasks,
    trace,
)
from custom_components.reelay.core.store.database import Database
from custom_components.reelay.core.transfer.inspect import Inspector
from custom_components.reelay.core.transfer.prepare import drop_preparation
from tests.fakes.clock import FakeClock

GIB = 1024**3
FILM = Work(kind=Kind.FILM, title="Silver Harbor", year=2021)
SERIES = Work(kind=Kind.SERIES, title="The Paper Comet", year=2019)
LANES = (Lane.TRANSFER, Lane.ORGANIZE, Lane.RECHECK)


class Crash(BaseException):
    """The process ends here."""


class NoHealth:
    def report(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(slots=True)
class Probe:
    """Counts points and crashes at the chosen visit of one."""

    at: Point | None = None
    visit: int = 1
    seen: Counter[Point] = field(default_factory=Counter)

    async def __call__(self, point: Point) -> None:
        self.seen[point] += 1
        if point is self.at and self.seen[point] == self.visit:
            raise Crash


class Clock(FakeClock):
    """Sleeping passes the time at once: nothing here runs beside the test."""

    async def sleep(self, seconds: float) -> None:
        self.jump(max(0.0, seconds))


class World:
    """Everything a transfer needs. Files of database and drive outlive a restart."""

    def __init__(self, path: Path, *, limits: Limits | None = None, **drive: Any) -> None:
        self.path = path
        self.clock = Clock()
        self.policy = Policy()
        self.shares: list[Share] = []
        self.probe = Probe()
        self._limits = limits
        self._drive = {"landing": (0.0, 0.0)} | drive
        self._messages = 0

    async def start(self) -> World:
        self.db = await Database.open(self.path / "reelay.db", clock=self.clock)
        self.drive = MemoryDrive(self.clock, self.path / "drive.jsonl", limits=self._limits, **self._drive)
        self.drive.shares.add(*self.shares)
        self.mover = Mover(self.db, self.clock, lambda: ("phone",))
        self.gates = Gates(self.clock)
        self.gates.register("demo")
        self.probe = Probe()
        self.lanes = Lanes(
            db=self.db,
            clock=self.clock,
            gates=self.gates,
            mover=self.mover,
            health=NoHealth(),
            prepare=self._prepare,
            forget=lambda tx, task: drop_preparation(tx, task.id),
            plans=tuple(
                LanePlan(lane=lane, handler=handler, width=1)
                for lane, handler in zip(LANES, (transfer, organize, recheck), strict=True)
            ),
        )
        return self

    async def stop(self) -> None:
        await self.db.close()
        await self.drive.close()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def _prepare(self, task: Task) -> Stage | str:
        return await self.stage(task)

    async def stage(self, task: Task) -> Stage:
        policy = await self.db.read(lambda tx: policies.get(tx, task.policy))
        return Stage(
            db=self.db,
            clock=self.clock,
            drive=self.drive,
            policy=policy,
            gates=self.gates,
            inspector=Inspector(self.clock),
            plugins=Plugins(),
            probe=self.probe,
            mover=self.mover,
        )

    def share(self, code: str, files: dict[str, int], **more: Any) -> None:
        share = make_share(code, files, **more)
        self.shares.append(share)
        self.drive.shares.add(share)

    def fail(self, verb: str, kind: str, **more: Any) -> None:
        self.drive.faults.append(Fault(verb=verb, kind=kind, **more))

    async def task(
        self, code: str, work: Work = FILM, parsed: Parsed | None = None, text: str = "", **context: Any
    ) -> int:
        """A task that has been decided and waits in the queue."""
        self._messages += 1
        message = Message(source="demo", message_id=f"{self._messages}", text=text or code, posted=1)
        share = None if text else ShareRef(code=code)
        offer = Offer(key=f"ed2k:{code}" if text else f"share:{code}", share=share)
        said = parsed or Parsed(is_media=True, kind=work.kind, title=work.title, year=work.year)
        whole = PipelineContext(offer=offer, parsed=said, work=work, **context)

        def insert(tx: Any) -> int:
            row = messages.put(tx, message, revision=0, facts_hash="x", received=1)
            return tasks.insert(
                tx,
                message=row,
                source="demo",
                offer=offer.key,
                state=State.QUEUED,
                lane=Lane.TRANSFER,
                interactive=False,
                due_at=None,
                wanted_by=None,
                follows=None,
                policy=policies.put(tx, self.policy),
                title=work.title,
                context=whole,
                now=self.clock.now(),
            )

        return await self.db.run(insert)

    async def start_conflict(self, **context: Any) -> int:
        """A film is filed; a better release of it, wanted by a person, waits in the queue."""
        self.share("old", {"Silver.Harbor.2021.720p.mkv": 2 * GIB})
        await self.task("old")
        await self.work()
        self.share("new", {"Silver.Harbor.2021.2160p.mkv": 8 * GIB})
        reasons = (Reason(code=Code.ALL_STORED),)
        decision = Decision(verdict=Verdict.ASK, reasons=reasons)
        number = await self.task("new", approved=True, decision=decision, **context)
        self.probe.seen.clear()
        return number

    async def get(self, number: int) -> Task:
        task = await self.db.read(lambda tx: tasks.get(tx, number))
        assert task is not None
        return task

    async def batches(self, number: int, *, ended: bool = False) -> list[Batch]:
        return await self.db.read(lambda tx: batches.of_task(tx, number, ended=ended))

    async def trace(self, number: int) -> list[TraceLine]:
        return await self.db.read(lambda tx: trace.of_task(tx, number))

    async def way(self, number: int) -> list[str]:
        return [str(line.to_state) for line in await self.trace(number)]

    async def claims(self) -> list[claims.Claim]:
        return await self.db.read(claims.all)

    async def notices(self, number: int) -> list[NoticeKind]:
        rows = await self.db.read(lambda tx: outbox.due(tx, 1 << 62, 500))
        return [row.notice.kind for row in rows if row.notice.task == number]

    async def step(self) -> bool:
        """Run one task that is due; False where none is."""
        for lane in LANES:
            now = self.clock.now()
            ready = await self.db.read(lambda tx, lane=lane, now=now: tasks.ready(tx, lane, now, 1))
            if ready and self.gates.closed("demo") is None:
                with suppress(Moved):
                    await self.lanes._run(lane, ready[0], await self.stage(ready[0]))
                return True
        return False

    async def work(
        self, *, until: Callable[[], bool] = lambda: False, hours: float = 30.0, steps: int = 400
    ) -> None:
        """Run everything that is or becomes due, jumping from due time to due time."""
        end = self.clock.now() + int(hours * 3_600_000)
        for _ in range(steps):
            if until():
                return
            if await self.step():
                continue
            due = await self.next_due()
            if due is None or due > end:
                return
            self.clock.jump(max(0, due - self.clock.now()) / 1000)
        raise AssertionError("the lanes never come to rest")

    async def next_due(self) -> int | None:
        now = self.clock.now()
        gate = self.gates.closed("demo")
        if gate is not None:
            return gate.until
        due = [await self.db.read(lambda tx, lane=lane: tasks.next_due(tx, lane, now)) for lane in LANES]
        return min((one for one in due if one is not None), default=None)

    # What the oracle sees

    def receives(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(line.into, line.sources) for line in self.drive.log() if line.deed is Deed.RECEIVE]

    def files(self) -> dict[str, int]:
        """All files below the library root, by path."""
        return {
            row.path.removeprefix("Reelay/"): row.size
            for row in self.drive.tree()
            if not row.folder and row.path.startswith("Reelay/")
        }

    async def check(self) -> None:
        """The invariants that hold at any time."""
        folders = Counter(into for into, _ in self.receives())
        assert not folders or max(folders.values()) <= 1, "a batch was received twice"
        open_ = {one.id: one for one in await self.db.read(batches.in_flight)}
        held = Counter(claim.batch for claim in await self.claims())
        for batch in held:
            assert open_[batch].phase in CLAIMING, "a claim without a batch in flight"
        for batch in open_.values():
            if batch.phase in CLAIMING:
                assert held[batch.id], "a batch in flight without a claim"
        assert not self.drive.dangling(), "files were moved to nowhere"

    async def check_library(self) -> None:
        """Every stored row is a file that is there, and every received file is somewhere."""
        ids = {row.id for row in self.drive.tree()}
        bin_ = {row.id for row in self.drive.bin()}
        landed = {node.id for line in self.drive.log() if line.deed is Deed.RECEIVE for node in line.nodes}
        assert landed <= ids | bin_
        for number in range(1, 50):
            for row in await self.db.read(lambda tx, number=number: library.of_task(tx, number)):
                assert row.gone or row.file_id in ids, "the library knows a file that isn't there"


def phases(found: list[Batch]) -> list[Phase]:
    return [batch.phase for batch in found]
