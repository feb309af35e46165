"""The in-memory drive without its verbs: its state and file, what its account refuses, its faults, and what a
person sees and does there by other means than Reelay.
"""

import asyncio
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..model.decision import Code
from ..model.errors import Busy, Scope, Transient, Unknown
from ..model.offer import Parsed
from ..model.share import Entry
from ..ports import Clock
from .base import ROOT
from .memory_faults import Call, Course, Fault, course
from .memory_invent import invent
from .memory_journal import Journal
from .memory_shares import Hint, ShareBook, invent_sha1
from .memory_state import BIN, Deed, DriveState, LogLine, Node, entry

#: Deeds of the pipeline, as opposed to what others do and the account remembers.
REQUESTS = frozenset(
    {Deed.FOLDER, Deed.RECEIVE, Deed.RENAME, Deed.MOVE, Deed.TRASH, Deed.DOWNLOAD, Deed.FORGET}
)
#: Bytes of a file that somebody else puts somewhere.
GUEST_SIZE = 1_700_000_000


class MemoryAccount:
    """State, log, faults and shares of one account; with a path its log outlives the process.

    `faults` is the table of what goes wrong, `shares` the book of all shares, `calls` counts the calls per verb in
    this process, refused and lost ones included.
    """

    def __init__(self, clock: Clock, path: Path | None) -> None:
        self.faults: list[Fault] = []
        self.shares = ShareBook(invent)
        self.calls: Counter[str] = Counter()
        self._clock = clock
        self._state = DriveState()
        self._loading = threading.Lock()
        self._loaded = path is None
        self._journal = Journal(path) if path else None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="reelay_demo") if path else None
        self._last_write: asyncio.Future[None] | None = None
        self._closed = False

    def log(self) -> tuple[LogLine, ...]:
        """Every request that was executed, oldest first: the oracle of kill tests."""
        self._load()
        return tuple(line for line in self._state.lines if line.deed in REQUESTS)

    def tree(self, folder: str = ROOT) -> tuple[Entry, ...]:
        """Everything below a folder with its path, without what hasn't landed yet."""
        self._load()
        return tuple(entry(node, path) for path, node in self._state.walk(folder, self._clock.now()))

    def bin(self) -> tuple[Entry, ...]:
        """Everything in the recycle bin."""
        return self.tree(BIN)

    def dangling(self) -> tuple[Entry, ...]:
        """What was moved to a folder that doesn't exist."""
        self._load()
        return tuple(entry(node, node.name) for node in self._state.dangling())

    def landing_files(self) -> int:
        """How many accepted files haven't landed yet."""
        self._load()
        now = self._clock.now()
        return sum(1 for node in self._state.nodes.values() if node.at > now)

    def hint(self, code: str, receive_code: str | None, parsed: Parsed | None, is_media: bool) -> None:
        """Say what a message says about a share, so that one nobody prepared fits it."""
        codes = frozenset((receive_code,) if receive_code else ())
        if self.shares.hint(code, Hint(parsed=parsed, is_media=is_media, codes=codes)) and self._thread:
            facts = {
                "code": receive_code,
                "parsed": parsed and parsed.model_dump(mode="json", exclude_defaults=True),
                "is_media": is_media,
            }
            line = LogLine(deed=Deed.HINT, at=self._clock.now(), share=code, data=facts)
            self._thread.submit(self._keep, line)

    async def put(self, path: str, size: int, *, sha1: str | None = None, after: float = 0.0) -> str:
        """Somebody else puts a file here, or a folder if the path ends in `/`; its id."""
        await self._ready()
        now = self._clock.now()
        *folders, name = path.split("/")
        parent = ROOT
        nodes: list[Node] = []
        for folder in folders:
            below = self._subfolder(parent, folder) if not nodes else None
            if below is None:
                below = self._state.new_id()
                nodes.append(Node(below, parent, folder, folder=True, at=now))
            parent = below
        if name:
            at = now + round(after * 1000)
            nodes.append(Node(self._state.new_id(), parent, name, size, sha1 or invent_sha1(path), at=at))
        if nodes:
            await self._do(LogLine(deed=Deed.PUT, at=now, nodes=tuple(nodes)))
        return nodes[-1].id if nodes else parent

    async def lose(self, *ids: str) -> None:
        """The drive loses things, as it does with censored ones."""
        await self._ready()
        await self._do(LogLine(deed=Deed.LOST, at=self._clock.now(), ids=ids))

    async def cool_down(self, seconds: float) -> None:
        """The account refuses everything for a while."""
        await self._ready()
        now = self._clock.now()
        await self._do(LogLine(deed=Deed.COOLDOWN, at=now, until=now + round(seconds * 1000)))

    async def log_in(self, alive: bool = True) -> None:
        """Renew the login, or let it die."""
        await self._ready()
        await self._do(LogLine(deed=Deed.LOGIN, at=self._clock.now(), data={"alive": alive}))

    async def close(self) -> None:
        """Let the last write end and give the file back; from now on nothing is executed."""
        self._closed = True
        if self._thread and self._journal:
            thread, self._thread = self._thread, None
            await asyncio.get_running_loop().run_in_executor(thread, self._journal.close)
            thread.shutdown(wait=False)

    async def _begin(self, call: Call) -> Course:
        """Let a call arrive at the drive: count it, look what is to happen, refuse what the account refuses."""
        self.calls[call.verb] += 1
        if self._closed:
            raise Transient(Code.DRIVE_ERROR)
        await self._ready()
        if not self._state.logged_in:
            raise Busy(Code.LOGIN_DEAD, scope=Scope.ACCOUNT)
        if (until := self._state.cooldown_until) > self._clock.now():
            raise Busy(Code.COOLDOWN, until=until, scope=Scope.ACCOUNT)
        plan = course(self.faults, call, self._clock.now())
        # Even without delay others get their turn, as they do with a drive behind a network.
        await (self._clock.sleep(plan.slow) if plan.slow else asyncio.sleep(0))
        if plan.before:
            if plan.login_dead:
                await self.log_in(alive=False)
            if plan.cooldown is not None:
                await self.cool_down(plan.cooldown)
            raise plan.before
        return plan

    async def _end(self, plan: Course) -> None:
        """Let the answer travel back; on the way it may be lost."""
        await asyncio.sleep(0)
        if plan.guest:
            await self.put(plan.guest, GUEST_SIZE)
        if plan.cooldown is not None:
            await self.cool_down(plan.cooldown)
        if plan.after:
            raise plan.after

    async def _do(self, line: LogLine) -> None:
        """Execute one request; it counts once its line is written. A cancelled caller doesn't undo it."""
        self._state.apply(line)
        if self._journal and self._thread:
            loop = asyncio.get_running_loop()
            self._last_write = loop.run_in_executor(self._thread, self._journal.append, line)
            try:
                await asyncio.shield(self._last_write)
            except OSError as err:
                raise Unknown(Code.UNCLEAR) from err

    async def _ready(self) -> None:
        """Wait for the file to be read, and for what was executed to be written before anybody sees it."""
        if not self._loaded:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._load)
        await self._written()

    async def _written(self) -> None:
        if self._last_write and not self._last_write.done():
            await asyncio.wait((self._last_write,))

    def _load(self) -> None:
        with self._loading:
            if self._loaded or not self._journal:
                return
            hints = []
            for line in self._journal.read():
                if line.deed is Deed.HINT:
                    hints.append(line)
                else:
                    self._state.apply(line)
            for line in reversed(hints):
                self._recall(line)
            self._loaded = True

    def _keep(self, line: LogLine) -> None:
        if self._journal:
            self._load()
            self._journal.append(line)

    def _recall(self, line: LogLine) -> None:
        """Take over a hint of an earlier process; what this one was told already came later."""
        code, parsed = line.data["code"], line.data["parsed"]
        hint = Hint(
            parsed=parsed and Parsed.model_validate(parsed),
            is_media=line.data["is_media"],
            codes=frozenset((code,) if code else ()),
        )
        self.shares.hint(line.share, hint, first=True)

    def _subfolder(self, parent: str, name: str) -> str | None:
        return self._state.folder_named(parent, name, self._clock.now())
