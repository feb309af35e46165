"""The dry run: messages through the whole pipeline on the in-memory drive, in minutes of pretended time.

No configuration, no secret, no network and no Home Assistant. Time runs faster than the wall clock, so that
waiting for slow files takes seconds; everything else is the production code.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .app import App, Build
from .clock import SystemClock
from .drives.memory import MemoryDrive
from .drives.memory_state import Deed
from .model.message import Message
from .model.notice import Notice
from .model.states import ACTIVE
from .plugged import Surroundings
from .plugin_api import Contribution, ExtensionPoint, Plugin
from .policy.schema import Conflict, Policy
from .ports import SourceRules
from .sources.demo import sample_messages
from .sources.samples import demo_drive
from .transfer.naming import STAGING
from .understand import links, rules

SPEED = 300.0
#: Real seconds of rest after which the run has ended: long enough for the first re-check of an unclear send.
QUIET = 1.3
LIMIT = 60.0
POLICY = Policy(provider="demo", conflict=Conflict.ASK)


class FastClock(SystemClock):
    """Time that passes `speed` times faster than on the wall."""

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._began = time.monotonic()
        self._at = time.time()

    def now(self) -> int:
        """Pretended wall-clock time in ms."""
        return int((self._at + self.monotonic()) * 1000)

    def monotonic(self) -> float:
        """Pretended seconds since the clock was made."""
        return (time.monotonic() - self._began) * self._speed

    async def sleep(self, seconds: float) -> None:
        """Wait in pretended seconds."""
        await asyncio.sleep(seconds / self._speed)


@dataclass(frozen=True, kw_only=True)
class FixedSettings:
    """One policy for all sources and one target that collects."""

    policy: Policy = POLICY
    addressees: tuple[str, ...] = ("collect",)

    def source(self, key: str) -> SourceRules:
        """The same rules for every source."""
        return SourceRules(key=key, name=key, policy=self.policy)

    def targets(self) -> tuple[str, ...]:
        """Whom notices go to."""
        return self.addressees

    def paused(self) -> bool:
        """Never."""
        return False


@dataclass(kw_only=True)
class Collector:
    """A notifier that keeps what it is given."""

    sent: list[Notice] = field(default_factory=list)

    async def send(self, target: str, notice: Notice, facts: Mapping[str, Any]) -> str | None:
        """Keep the notice."""
        self.sent.append(notice)
        return str(len(self.sent))


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a dry run showed: each task with its way, the library, and sums that must add up."""

    tasks: list[dict[str, Any]]
    library: dict[str, list[str]]
    notices: dict[str, int]
    states: dict[str, int]
    messages: int
    receives: int
    files: dict[str, int]

    @property
    def adds_up(self) -> bool:
        """Whether every landed file is accounted for and every message has a task."""
        files = self.files
        here = files["library"] + files["staging"] + files["bin"]
        return files["landed"] == here and len(self.tasks) >= self.messages

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "tasks": self.tasks,
            "library": self.library,
            "notices": self.notices,
            "states": self.states,
            "messages": self.messages,
            "receives": self.receives,
            "files": self.files,
            "adds_up": self.adds_up,
        }


async def run(messages: Sequence[Message] | None = None) -> Report:
    """Put `messages` (None: the built-in samples) through everything and report."""
    clock = FastClock(SPEED)
    posts = sample_messages(clock.now()) if messages is None else tuple(messages)
    with TemporaryDirectory(prefix="reelay-") as folder:
        drive = demo_drive(clock, root=POLICY.root)
        for post in posts if messages is not None else ():
            _hint(drive, post)
        collector = Collector()
        app = await App.start(
            Build(
                folder=Path(folder),
                clock=clock,
                settings=FixedSettings(),
                notifiers={"collect": collector},
                plugins=(_storage(drive),),
            )
        )
        try:
            app.begin()
            await _feed(app, posts)
            await _settled(app, clock)
            return await _report(app, drive, clock, collector, posts)
        finally:
            await app.stop()


def _storage(drive: MemoryDrive) -> Plugin:
    def factory(around: Surroundings) -> MemoryDrive:
        return drive

    point = Contribution(point=ExtensionPoint.STORAGE, name=drive.name, provider=factory)
    return Plugin(name="demo_drive", contributions=(point,))


def _hint(drive: MemoryDrive, post: Message) -> None:
    """Let shares that exist nowhere hold what their message promises."""
    for offer in links.offers(post):
        if offer.share is not None:
            parsed = rules.parse(post, offer)
            drive.hint(offer.share.code, offer.share.receive_code, parsed, parsed.is_media)


async def _feed(app: App, posts: Sequence[Message]) -> None:
    """One message after the other, as they come in a channel; later ones may depend on earlier ones."""
    for post in posts:
        await app.intake.deliver((post,))
        if len(posts) <= 100:
            await _settled(app, None, quiet=0.05)


async def _settled(app: App, clock: FastClock | None, quiet: float = QUIET) -> None:
    """Wait until nothing goes on by itself any more: no active task, no retry that is due."""
    began = since = time.monotonic()
    while time.monotonic() - began < LIMIT:
        await asyncio.sleep(0.02)
        counts = app.snapshot.counts
        busy = any(counts.get(state) for state in ACTIVE) or app.snapshot.retrying or not app.idle()
        if busy or app.dirty():
            since = time.monotonic()
        elif time.monotonic() - since >= quiet:
            return


async def _report(
    app: App, drive: MemoryDrive, clock: FastClock, collector: Collector, posts: Sequence[Message]
) -> Report:
    found: list[dict[str, Any]] = []
    before: int | None = None
    while True:
        page = await app.queries.list_tasks(limit=200, before=before)
        for view in page["tasks"]:
            detail = await app.queries.get_task(view["id"])
            trace = [
                {"to": line["to_state"], "code": line["code"], "detail": line["detail"]}
                for line in detail["trace"]
            ]
            found.append(view | {"trace": trace, "problems": detail["problems"]})
        before = page["next"]
        if before is None:
            break
    found.reverse()
    kinds: dict[str, int] = {}
    for notice in collector.sent:
        kinds[notice.kind.value] = kinds.get(notice.kind.value, 0) + 1
    states: dict[str, int] = {}
    for view in found:
        states[view["state"]] = states.get(view["state"], 0) + 1
    return Report(
        tasks=found,
        library=library_tree(drive),
        notices=dict(sorted(kinds.items())),
        states=states,
        messages=len(posts),
        receives=sum(line.deed is Deed.RECEIVE for line in drive.log()),
        files=sums(drive, clock.now()),
    )


def sums(drive: MemoryDrive, now: int) -> dict[str, int]:
    """Where the files are: what landed must be what lies in library, staging and recycle bin."""
    brought = {
        node.id
        for line in drive.log()
        if line.deed is Deed.RECEIVE
        for node in line.nodes
        if not node.folder and node.at <= now
    }
    here = [entry for entry in drive.tree() if not entry.folder and entry.id in brought]
    staging = sum(f"/{STAGING}/" in f"/{entry.path}" for entry in here)
    binned = sum(entry.id in brought for entry in drive.bin())
    return {
        "landed": len(brought),
        "library": len(here) - staging,
        "staging": staging,
        "bin": binned,
    }


def library_tree(drive: MemoryDrive) -> dict[str, list[str]]:
    """Folder → names of all files on the drive."""
    folders: dict[str, list[str]] = {}
    for entry in drive.tree():
        if entry.folder:
            continue
        path = entry.path
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder, []).append(name)
    return {folder: sorted(names) for folder, names in sorted(folders.items())}


def lines(report: Report) -> list[str]:
    """The report for people."""
    text: list[str] = []
    for task in report.tasks:
        way = " → ".join(line["to"] for line in task["trace"])
        last = task["trace"][-1]["code"] if task["trace"] else ""
        text.append(f"#{task['id']:<3} {task['title'][:48]:<48} {way} ({last})")
    text.append("")
    for folder, names in report.library.items():
        text.append(folder)
        text.extend(f"    {name}" for name in names)
    states = ", ".join(f"{count} {state}" for state, count in sorted(report.states.items()))
    text += ["", f"{report.messages} messages, {len(report.tasks)} tasks: {states}"]
    files = report.files
    text.append(
        f"{report.receives} transfers executed; {files['landed']} files landed = {files['library']} in the library"
        f" + {files['staging']} in staging + {files['bin']} in the recycle bin"
    )
    return text
