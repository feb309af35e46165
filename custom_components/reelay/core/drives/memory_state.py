"""What the in-memory drive holds: a fold over the lines of its log, each line one executed request.

The log is the state. A line that was written was executed and one that wasn't was not, so no moment of a kill
can make the two disagree. Files that land later are in the line from the start, each with the time from which
it shows.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from ..model.share import Entry
from .base import ROOT

#: The pseudo folder that trashed things are moved to.
BIN = "bin"
#: 115's ids are 19 digits long: beyond what a float or JavaScript can hold.
FIRST_ID = 3_170_000_000_000_000_000


class Deed(StrEnum):
    """What a line of the log says was done."""

    FOLDER = "folder"
    RECEIVE = "receive"
    RENAME = "rename"
    MOVE = "move"
    TRASH = "trash"
    DOWNLOAD = "download"
    FORGET = "forget"
    #: Not requests of the pipeline: what somebody else did, and what the account remembers.
    PUT = "put"
    LOST = "lost"
    COOLDOWN = "cooldown"
    LOGIN = "login"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Node:
    """A file or folder on the drive; it shows from `at` (ms) on."""

    id: str
    parent: str
    name: str
    size: int = 0
    sha1: str | None = None
    folder: bool = False
    at: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """A cloud download: done from `done` (ms) on, or failed then."""

    key: str
    name: str
    size: int
    begun: int
    done: int
    failed: bool
    file_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One executed request. `at` in ms.

    `ids` are the ids it named, `into` the folder it named, `names` new names in the order of `ids`, `nodes` what
    it brought. A receive has the share's code, and in `sources` every file it covered, folders opened.
    """

    deed: Deed
    at: int
    share: str = ""
    ids: tuple[str, ...] = ()
    into: str = ""
    names: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    nodes: tuple[Node, ...] = ()
    jobs: tuple[Job, ...] = ()
    until: int | None = None
    data: dict[str, Any] = field(default_factory=dict)

    def encode(self) -> bytes:
        """The line as it stands in the file."""
        full = asdict(self)
        short = {key: value for key, value in full.items() if value not in ((), "", None, {})}
        return json.dumps(short, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    @classmethod
    def decode(cls, line: bytes) -> LogLine:
        """The line back from the file."""
        raw = json.loads(line)
        for key in ("ids", "names", "sources"):
            raw[key] = tuple(raw.get(key, ()))
        raw["nodes"] = tuple(Node(**node) for node in raw.get("nodes", ()))
        raw["jobs"] = tuple(Job(**job) for job in raw.get("jobs", ()))
        return cls(**{**raw, "deed": Deed(raw["deed"])})


class DriveState:
    """Everything on the drive and what its account remembers."""

    def __init__(self) -> None:
        self.lines: list[LogLine] = []
        self.nodes: dict[str, Node] = {}
        self.jobs: dict[str, Job] = {}
        #: share code → file id → when it was first received
        self.received: dict[str, dict[str, int]] = {}
        self.cooldown_until = 0
        self.logged_in = True
        self.used = 0
        self._children: dict[str, dict[str, None]] = {}
        #: Folders by parent and name, oldest first: a library has more of them than a look-up should read.
        self._named: dict[tuple[str, str], dict[str, None]] = {}
        self._last_id = FIRST_ID

    def new_id(self) -> str:
        """An id that was never used."""
        self._last_id += 1
        return str(self._last_id)

    def apply(self, line: LogLine) -> None:
        """Take over one executed request."""
        self.lines.append(line)
        for node in line.nodes:
            self._add(node)
        match line.deed:
            case Deed.RECEIVE:
                seen = self.received.setdefault(line.share, {})
                for source in line.sources:
                    seen.setdefault(source, line.at)
            case Deed.RENAME:
                for id_, name in zip(line.ids, line.names, strict=True):
                    self._change(replace(self.nodes[id_], name=name))
            case Deed.MOVE:
                for id_ in line.ids:
                    self._change(replace(self.nodes[id_], parent=line.into))
            case Deed.TRASH:
                for id_ in line.ids:
                    self._change(replace(self.nodes[id_], parent=BIN))
            case Deed.LOST:
                for id_ in line.ids:
                    self._drop(id_)
            case Deed.DOWNLOAD:
                self.jobs.update({job.key: job for job in line.jobs})
            case Deed.FORGET:
                for key in line.ids:
                    self.jobs.pop(key, None)
            case Deed.COOLDOWN:
                self.cooldown_until = line.until or 0
            case Deed.LOGIN:
                self.logged_in = bool(line.data["alive"])
            case Deed.FOLDER | Deed.PUT | Deed.HINT:
                pass

    def children(self, folder: str, now: int) -> Iterator[Node]:
        """What shows directly in a folder, oldest first."""
        for id_ in self._children.get(folder, ()):
            node = self.nodes[id_]
            if node.at <= now:
                yield node

    def folder_named(self, parent: str, name: str, now: int) -> str | None:
        """The oldest folder of that name directly in `parent`."""
        ids = self._named.get((parent, name), ())
        return next((id_ for id_ in ids if self.nodes[id_].at <= now), None)

    def walk(self, folder: str, now: int, prefix: str = "") -> Iterator[tuple[str, Node]]:
        """Everything that shows below a folder with its path, each folder before its content."""
        for node in self.children(folder, now):
            path = prefix + node.name
            yield path, node
            if node.folder:
                yield from self.walk(node.id, now, path + "/")

    def shows(self, id_: str, now: int) -> Node | None:
        """The node if it hangs somewhere below the root and shows."""
        first = node = self.nodes.get(id_)
        while node is not None and node.at <= now:
            if node.parent == ROOT:
                return first
            node = self.nodes.get(node.parent)
        return None

    def dangling(self) -> tuple[Node, ...]:
        """What hangs below an id that is no folder: in no listing, and not in the recycle bin either."""
        known = {ROOT, BIN, *self.nodes}
        return tuple(node for node in self.nodes.values() if node.parent not in known)

    def _add(self, node: Node) -> None:
        self._hang(node)
        self._last_id = max(self._last_id, int(node.id))
        self.used += node.size

    def _change(self, node: Node) -> None:
        old = self.nodes[node.id]
        self._unname(old)
        if old.parent != node.parent:
            del self._children[old.parent][node.id]
        self._hang(node)

    def _hang(self, node: Node) -> None:
        self.nodes[node.id] = node
        self._children.setdefault(node.parent, {})[node.id] = None
        if node.folder:
            self._named.setdefault((node.parent, node.name), {})[node.id] = None

    def _unname(self, node: Node) -> None:
        if node.folder:
            named = self._named[node.parent, node.name]
            del named[node.id]
            if not named:
                del self._named[node.parent, node.name]

    def _drop(self, id_: str) -> None:
        for child in tuple(self._children.get(id_, ())):
            self._drop(child)
        node = self.nodes.pop(id_)
        self._unname(node)
        del self._children[node.parent][id_]
        self._children.pop(id_, None)
        self.used -= node.size


def entry(node: Node, path: str) -> Entry:
    """A node as the drive's verbs answer it."""
    return Entry(node.id, path, node.size, node.sha1, node.folder, node.parent)
