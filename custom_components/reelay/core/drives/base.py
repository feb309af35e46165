"""What any drive must be able to do. A stranger's drive is these functions; every rule lives in `transfer/`."""

from dataclasses import dataclass
from typing import Protocol

from ..model.share import Entry, Listing

ROOT = "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """Bytes in all and bytes left; None where the drive doesn't say."""

    total: int | None
    free: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one request may carry: files per receive, files per rename or move, length of a name."""

    receive: int = 500
    batch: int = 500
    name: int = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A line of the drive's own receive history. `at` in ms."""

    name: str
    size: int
    at: int
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A cloud download job. `status` is `waiting`, `running`, `done` or `failed`; `percent` 0 to 100."""

    key: str
    name: str
    size: int
    status: str
    percent: float = 0.0
    file_id: str | None = None


class Drive(Protocol):
    """The verbs. Ids are strings; the root folder is "0".

    Every verb raises a classed error (`model.errors`): Transient, Permanent, Busy (not executed; scope account
    for cooldown, missing login and the like), and the writes also Unknown (may have been executed).
    `receive` makes exactly one request and never repeats it in any layer; it answers with the drive's words.
    """

    name: str

    async def list_share(self, code: str, receive_code: str | None) -> Listing:
        """Read a share completely. Permanent: share_dead, wrong_code, code_needed; Transient: share_audit."""

    async def list_folder(self, folder: str) -> tuple[Entry, ...]:
        """All rows directly in `folder`, complete or an error; Permanent(drive_error) for an unknown id."""

    async def list_tree(self, folder: str) -> tuple[Entry, ...]:
        """All files below `folder` at any depth, with paths relative to it."""

    async def find_folder(self, parent: str, path: str) -> str | None:
        """The id of `path` (`/`-separated) below `parent`, None if it doesn't exist."""

    async def make_folder(self, parent: str, name: str) -> str:
        """The id of the folder `name` in `parent`, made if absent (idempotent by name)."""

    async def receive(self, code: str, receive_code: str | None, ids: tuple[str, ...], into: str) -> str:
        """Ask for `ids` of a share to be put into the folder `into`: one request; AlreadyReceived as evidence."""

    async def rename(self, names: dict[str, str]) -> None:
        """Give each id its new name."""

    async def move(self, ids: tuple[str, ...], into: str) -> None:
        """Move `ids` into a folder; equal names are left side by side."""

    async def trash(self, ids: tuple[str, ...]) -> None:
        """Put `ids` into the recycle bin."""

    async def space(self) -> Space:
        """The account's space."""

    async def limits(self) -> Limits:
        """What one request may carry."""

    async def evidence(self, since: int) -> tuple[Evidence, ...]:
        """The receive history from `since` (ms) on, newest first."""

    async def add_downloads(self, urls: tuple[str, ...], into: str) -> tuple[Download, ...]:
        """Start a cloud download per ed2k url into the folder `into`."""

    async def downloads(self) -> tuple[Download, ...]:
        """All cloud download jobs the drive remembers."""

    async def forget_downloads(self, keys: tuple[str, ...]) -> None:
        """Remove job records, not files."""

    def first_look(self, files: int) -> float:
        """Seconds until `files` received files are usually visible."""

    async def close(self) -> None:
        """Release what the drive holds."""
