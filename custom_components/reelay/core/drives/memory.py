"""A drive in memory that behaves like the real one, for the demo, the dry run and tests.

Received files get new ids and appear one after the other; equal names lie side by side; an unknown folder id lists
the root; the account remembers what it received, cools down and loses its login; answers get lost and lie. With a
path its log outlives the process. Everything that happens over time follows from the Clock and the log alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from ..model.decision import Code
from ..model.errors import AlreadyReceived, Busy, Permanent, Scope
from ..model.share import Entry, Listing
from ..ports import Clock
from .base import ROOT, Download, Evidence, Limits, Space
from .memory_account import MemoryAccount
from .memory_faults import Call, Course
from .memory_shares import Share, invent_sha1
from .memory_state import Deed, Job, LogLine, Node, entry

ACCEPTED = "accepted"
FORBIDDEN = frozenset('"<>/')
TEBIBYTE = 1024**4


class MemoryDrive(MemoryAccount):
    """The verbs of `drives.base.Drive`; what else it can do is for tests, demo and dry run only.

    `landing` is the time until the first received file shows and between one and the next, `download` the time
    a cloud download takes, `deletion` the time per thing inside for which the deletion of a folder keeps others
    waiting; all in seconds. `already` says when a second receive is refused: if "all" or "any" of its files were
    received before, or never (None).
    """

    def __init__(
        self,
        clock: Clock,
        path: Path | None = None,
        *,
        name: str = "demo",
        landing: tuple[float, float] = (0.5, 0.05),
        download: float = 5.0,
        deletion: float = 0.02,
        total: int = 60 * TEBIBYTE,
        limits: Limits | None = None,
        already: str | None = "all",
    ) -> None:
        super().__init__(clock, path)
        self.name = name
        self.landing = landing
        self.total = total
        self._download = download
        self._deletion = deletion
        self._deleting_until = 0
        self._limits = limits or Limits()
        self._already = already

    async def list_share(self, code: str, receive_code: str | None) -> Listing:
        """Read a share completely."""
        plan = await self._begin(Call(verb="list_share", share=code))
        share, entries = self._open(code, receive_code)
        await self._end(plan)
        return Listing(code=code, title=share.title, entries=entries, taken=self._clock.now())

    async def list_folder(self, folder: str) -> tuple[Entry, ...]:
        """All rows directly in a folder."""
        plan = await self._begin(Call(verb="list_folder", into=folder))
        # 115 answers an unknown id with the root's rows; only the id in the answer tells.
        answered, rows = self._raw_rows(ROOT if plan.wrong_folder else folder)
        await self._end(plan)
        if answered != folder:
            raise Permanent(Code.DRIVE_ERROR, folder=folder)
        return tuple(entry(node, node.name) for node in rows)

    async def list_tree(self, folder: str) -> tuple[Entry, ...]:
        """All files below a folder."""
        plan = await self._begin(Call(verb="list_tree", into=folder))
        answered, _ = self._raw_rows(ROOT if plan.wrong_folder else folder)
        rows = tuple(self._state.walk(folder, self._clock.now())) if answered == folder else ()
        await self._end(plan)
        if answered != folder:
            raise Permanent(Code.DRIVE_ERROR, folder=folder)
        return tuple(entry(node, path) for path, node in rows if not node.folder)

    async def find_folder(self, parent: str, path: str) -> str | None:
        """The id of a folder below `parent`, None if there is none."""
        plan = await self._begin(Call(verb="find_folder", into=parent))
        found = self._find(parent, path)
        await self._end(plan)
        return found

    async def make_folder(self, parent: str, name: str) -> str:
        """The id of a folder, made if absent."""
        plan = await self._begin(Call(verb="make_folder", into=parent))
        self._check_name(name)
        if not self._is_folder(parent):
            raise Permanent(Code.DRIVE_ERROR, folder=parent)
        id_ = self._subfolder(parent, name)
        if id_ is None and not plan.lie:
            id_ = self._state.new_id()
            now = self._clock.now()
            node = Node(id_, parent, name, folder=True, at=now)
            await self._do(LogLine(deed=Deed.FOLDER, at=now, into=parent, nodes=(node,)))
        await self._end(plan)
        return id_ or self._state.new_id()

    async def receive(self, code: str, receive_code: str | None, ids: tuple[str, ...], into: str) -> str:
        """Put rows of a share into a folder: accepted now, landing later."""
        plan = await self._begin(Call(verb="receive", share=code, ids=ids, into=into))
        _, entries = self._open(code, receive_code)
        rows = _covered(entries, ids)
        files = tuple(row for row in rows if not row.folder)
        if len(files) > self._limits.receive:
            raise Permanent(Code.NOT_SUPPORTED, files=len(files), limit=self._limits.receive)
        seen = self._state.received.get(code, {})
        known = [row.id in seen for row in files]
        if (self._already == "all" and all(known)) or (self._already == "any" and any(known)):
            raise AlreadyReceived(Code.ALREADY_RECEIVED)
        if sum(row.size for row in files) > self.total - self._state.used:
            raise Permanent(Code.NO_SPACE)
        if not plan.lie:
            line = LogLine(
                deed=Deed.RECEIVE,
                at=self._clock.now(),
                share=code,
                ids=ids,
                into=into,
                sources=tuple(row.id for row in files),
                nodes=tuple(self._land(rows, into, plan)),
            )
            await self._do(line)
        await self._end(plan)
        return ACCEPTED

    async def rename(self, names: dict[str, str]) -> None:
        """Give each id its new name. A file keeps its extension, whatever the new name ends in."""
        plan = await self._begin(Call(verb="rename", ids=tuple(names)))
        self._check_batch(names)
        for name in names.values():
            self._check_name(name)
        given = tuple(_kept_extension(self._existing(id_), name) for id_, name in names.items())
        if names and not plan.lie:
            line = LogLine(deed=Deed.RENAME, at=self._clock.now(), ids=tuple(names), names=given)
            await self._do(line)
        await self._end(plan)

    async def move(self, ids: tuple[str, ...], into: str) -> None:
        """Move into a folder. 115 doesn't look whether there is one: things moved to nowhere are in no listing."""
        plan = await self._begin(Call(verb="move", ids=ids, into=into))
        self._check_batch(ids)
        for id_ in ids:
            self._existing(id_)
            if self._is_inside(into, id_):
                raise Permanent(Code.DRIVE_REFUSED, id=id_)
        if ids and not plan.lie:
            await self._do(LogLine(deed=Deed.MOVE, at=self._clock.now(), ids=ids, into=into))
        await self._end(plan)

    async def trash(self, ids: tuple[str, ...]) -> None:
        """Put things into the recycle bin; what is gone already is no error."""
        plan = await self._begin(Call(verb="trash", ids=ids))
        now = self._clock.now()
        if now < self._deleting_until:
            raise Busy(Code.DELETION_RUNNING, until=self._deleting_until, scope=Scope.ACCOUNT)
        there = tuple(id_ for id_ in dict.fromkeys(ids) if self._state.shows(id_, now))
        if there and not plan.lie:
            inside = sum(1 for id_ in there for _ in self._state.walk(id_, now))
            await self._do(LogLine(deed=Deed.TRASH, at=now, ids=there))
            self._deleting_until = now + round(inside * self._deletion * 1000)
        await self._end(plan)

    async def space(self) -> Space:
        """The account's space; the recycle bin counts."""
        await self._end(await self._begin(Call(verb="space")))
        return Space(total=self.total, free=max(0, self.total - self._state.used))

    async def limits(self) -> Limits:
        """What one request may carry."""
        return self._limits

    async def evidence(self, since: int) -> tuple[Evidence, ...]:
        """The receive history, newest first."""
        await self._end(await self._begin(Call(verb="evidence")))
        lines = (line for line in reversed(self._state.lines) if line.deed is Deed.RECEIVE)
        return tuple(self._evidence(line) for line in lines if line.at >= since)

    async def add_downloads(self, urls: tuple[str, ...], into: str) -> tuple[Download, ...]:
        """Start a cloud download per ed2k link; a link whose job is still listed keeps that job."""
        plan = await self._begin(Call(verb="add_downloads", ids=urls, into=into))
        now = self._clock.now()
        done = now + round((self._download + plan.late) * 1000)
        fresh: list[tuple[Job, Node]] = []
        keys = []
        for url in dict.fromkeys(urls):
            name, size, key = _ed2k(url)
            keys.append(key)
            if key not in self._state.jobs and not plan.lie:
                node = Node(self._state.new_id(), into, name, size, invent_sha1(key), at=done)
                # With a part only, the rest of the jobs fails.
                failed = len(fresh) >= plan.keep * len(urls)
                fresh.append((Job(key, name, size, now, done, failed, None if failed else node.id), node))
        if fresh:
            jobs = tuple(job for job, _ in fresh)
            nodes = tuple(node for job, node in fresh if not job.failed)
            await self._do(LogLine(deed=Deed.DOWNLOAD, at=now, into=into, ids=urls, jobs=jobs, nodes=nodes))
        await self._end(plan)
        return tuple(_download(self._state.jobs[key], now) for key in keys if key in self._state.jobs)

    async def downloads(self) -> tuple[Download, ...]:
        """All jobs on the drive's list."""
        await self._end(await self._begin(Call(verb="downloads")))
        return tuple(_download(job, self._clock.now()) for job in self._state.jobs.values())

    async def forget_downloads(self, keys: tuple[str, ...]) -> None:
        """Take jobs off the list."""
        plan = await self._begin(Call(verb="forget_downloads", ids=keys))
        if there := tuple(key for key in keys if key in self._state.jobs):
            await self._do(LogLine(deed=Deed.FORGET, at=self._clock.now(), ids=there))
        await self._end(plan)

    def first_look(self, files: int) -> float:
        """Seconds until `files` received files are usually there."""
        first, each = self.landing
        return first + each * files

    def _open(self, code: str, receive_code: str | None) -> tuple[Share, tuple[Entry, ...]]:
        share = self.shares.find(code)
        share.check(receive_code)
        first = min(self._state.received.get(code, {}).values(), default=None)
        return share, share.entries(self._clock.now(), first)

    def _land(self, rows: Iterable[Entry], into: str, plan: Course) -> Iterator[Node]:
        """New nodes for a share's rows: folders at once, files one after the other."""
        rows = tuple(rows)
        first, each = self.landing
        start = self._clock.now() + round((first + plan.late) * 1000)
        kept = round(sum(not row.folder for row in rows) * plan.keep)
        places: dict[str, str] = {}
        landed = 0
        for row in rows:
            if not row.folder and landed >= kept:
                continue
            at = start if row.folder else start + round(landed * each * 1000)
            landed += not row.folder
            places[row.id] = id_ = self._state.new_id()
            yield Node(id_, places.get(row.parent, into), row.name, row.size, row.sha1, row.folder, at)

    def _raw_rows(self, folder: str) -> tuple[str, tuple[Node, ...]]:
        answered = folder if self._is_folder(folder) else ROOT
        return answered, tuple(self._state.children(answered, self._clock.now()))

    def _is_folder(self, id_: str) -> bool:
        if id_ == ROOT:
            return True
        node = self._state.shows(id_, self._clock.now())
        return node is not None and node.folder

    def _is_inside(self, folder: str, outer: str) -> bool:
        while folder != ROOT and folder in self._state.nodes:
            if folder == outer:
                return True
            folder = self._state.nodes[folder].parent
        return False

    def _existing(self, id_: str) -> Node:
        node = self._state.shows(id_, self._clock.now())
        if node is None:
            raise Permanent(Code.DRIVE_ERROR, id=id_)
        return node

    def _find(self, parent: str, path: str) -> str | None:
        folder: str | None = parent if self._is_folder(parent) else None
        for name in filter(None, path.split("/")):
            folder = self._subfolder(folder, name) if folder else None
        return folder

    def _evidence(self, line: LogLine) -> Evidence:
        into = self._state.nodes.get(line.into)
        name = line.nodes[0].name if line.nodes else line.share
        size = sum(node.size for node in line.nodes)
        return Evidence(name=name, size=size, at=line.at, folder=into.name if into else "")

    def _check_name(self, name: str) -> None:
        if not name or len(name) > self._limits.name or FORBIDDEN & set(name):
            raise Permanent(Code.DRIVE_REFUSED, name=name)

    def _check_batch(self, ids: Iterable[str]) -> None:
        if (count := len(tuple(ids))) > self._limits.batch:
            raise Permanent(Code.NOT_SUPPORTED, files=count, limit=self._limits.batch)


def _covered(entries: tuple[Entry, ...], ids: tuple[str, ...]) -> tuple[Entry, ...]:
    """The rows that `ids` stand for, folders with all below them; 115 refuses unknown ids, none and empty folders."""
    asked = set(ids)
    covered: dict[str, Entry] = {}
    for row in entries:
        if row.id in asked:
            # Its own parent folder doesn't come along.
            covered[row.id] = row if row.parent in covered else replace(row, parent="")
        elif row.parent in covered:
            covered[row.id] = row
    if not ids or not asked <= covered.keys() or all(row.folder for row in covered.values()):
        raise Permanent(Code.DRIVE_REFUSED, ids=len(ids))
    return tuple(covered.values())


def _kept_extension(node: Node, name: str) -> str:
    """115 drops what follows the last dot of a file's new name and keeps the extension it had."""
    if node.folder or "." not in node.name:
        return name
    stem = name.rpartition(".")[0] or name
    return f"{stem}.{node.name.rpartition('.')[2]}"


def _ed2k(url: str) -> tuple[str, int, str]:
    try:
        _, _, name, size, digest, *_ = url.split("|")
        return unquote(name), int(size), invent_sha1(size, digest.lower()).lower()
    except ValueError as err:
        raise Permanent(Code.DRIVE_REFUSED, url=url) from err


def _download(job: Job, now: int) -> Download:
    over = now >= job.done
    percent = 100.0 if over else 100 * (now - job.begun) / max(1, job.done - job.begun)
    return Download(
        key=job.key,
        name=job.name,
        size=job.size,
        status=("failed" if job.failed else "done") if over else ("running" if percent else "waiting"),
        percent=percent,
        file_id=job.file_id if over else None,
    )
