"""A share's listing, the manifest chosen from it, batches, receipts and the plan for filing them."""

from dataclasses import dataclass
from enum import StrEnum

FILM_SEASON = -1
FILM_EPISODE = -1
SPECIALS = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a folder or share on a drive. `path` is relative to what was listed, `/`-separated.

    `sha1` is upper-case hex or None where the drive gave none; folders have size 0.
    """

    id: str
    path: str
    size: int
    sha1: str | None = None
    folder: bool = False
    parent: str = ""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A share read completely: every file below its root. `taken` in ms."""

    code: str
    title: str
    entries: tuple[Entry, ...]
    taken: int

    @property
    def files(self) -> tuple[Entry, ...]:
        """The files, without folders."""
        return tuple(entry for entry in self.entries if not entry.folder)


class Role(StrEnum):
    """What a chosen file is."""

    VIDEO = "video"
    SUBTITLE = "subtitle"
    COMPANION = "companion"
    DISC = "disc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A file chosen from a listing, with its own identity: which work, season, episodes and part it is.

    Films use FILM_SEASON and FILM_EPISODE, so that no key holds a NULL. `episode_last` equals `episode` for
    a file with one episode. `work` indexes the selection's works.
    """

    source_id: str
    path: str
    size: int
    sha1: str | None
    role: Role
    season: int = FILM_SEASON
    episode: int = FILM_EPISODE
    episode_last: int = FILM_EPISODE
    part: str = ""
    work: int = 0
    release_rank: int = 0

    @property
    def episodes(self) -> range:
        """The episodes this file holds."""
        return range(self.episode, self.episode_last + 1)


class Phase(StrEnum):
    """How far a batch is. Everything from `receiving` on is a checkpoint: read only, never send again."""

    DRAFT = "draft"
    PREPARED = "prepared"
    RECEIVING = "receiving"
    ACCEPTED = "accepted"
    UNKNOWN = "unknown"
    LANDED = "landed"
    ENDED = "ended"


#: Phases of a batch whose request may have been executed.
CHECKPOINTS = frozenset({Phase.RECEIVING, Phase.ACCEPTED, Phase.UNKNOWN})
#: Phases of a batch that may hold claims.
CLAIMING = frozenset({Phase.PREPARED}) | CHECKPOINTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A part of a manifest that is sent in one request, into its own staging folder.

    `ended` is a batch given up by a person or split again; it is kept for its history. `looks` counts the
    reads since the send, `unchanged` those in a row that showed the same landed leaves; `sent` in ms.
    """

    id: int
    task: int
    n: int
    phase: Phase
    provider: str
    root: str
    share: str
    staging_name: str
    staging_id: str | None = None
    answer: str | None = None
    looks: int = 0
    unchanged: int = 0
    sent: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestFile:
    """One row of a manifest: what was chosen, then what was received, then where it is to go.

    `work` is the row id of the work. `folder` is the destination path below the library root, `name` the
    destination name; `placed` is None before a plan exists, then `planned`, and at the end `placed`, `kept` (left
    beside a conflict), `binned`, `asked`, `lost`, `left` (landed, but part of something incomplete) or
    `replaces:<file id>` (a recorded replacement).
    """

    batch: int
    source_id: str
    path: str
    size: int
    sha1: str | None
    role: Role
    work: int
    season: int
    episode: int
    episode_last: int
    part: str = ""
    received_id: str | None = None
    folder: str | None = None
    name: str | None = None
    placed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRow:
    """What the library is known to hold: one episode (or film) of one work in one file."""

    work: int
    season: int
    episode: int
    origin: str
    task: int | None
    file_id: str
    release: str = ""
    gone: bool = False
