"""The shares an in-memory drive can open: prepared ones, and for any other code a plausible invented one."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from ..model.decision import Code
from ..model.errors import Permanent, Transient
from ..model.offer import Parsed, compact, expand
from ..model.share import Entry
from .base import ROOT

#: How many invented shares are kept; the others are invented again, the same way.
KEPT = 256


class Condition(StrEnum):
    """How a share is."""

    OPEN = "open"
    DEAD = "dead"
    AUDIT = "audit"


@dataclass(frozen=True, slots=True)
class ShareFile:
    """One file of a share. It shows from `at` (ms) on, and where `after` is set only that many seconds after
    something of this share was first received: a share that grows. `key` tells the file apart under a changed path.
    """

    path: str
    size: int
    sha1: str | None = None
    at: int = 0
    after: float | None = None
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share: any of `receive_codes` opens it, none is needed where there are none."""

    code: str
    title: str
    files: tuple[ShareFile, ...]
    receive_codes: frozenset[str] = frozenset()
    condition: Condition = Condition.OPEN

    def check(self, receive_code: str | None) -> None:
        """Raise what 115 answers to somebody who may not read the share."""
        if self.condition is Condition.DEAD:
            raise Permanent(Code.SHARE_DEAD)
        if self.condition is Condition.AUDIT:
            raise Transient(Code.SHARE_AUDIT)
        if self.receive_codes and not receive_code:
            raise Permanent(Code.CODE_NEEDED)
        if self.receive_codes and receive_code not in self.receive_codes:
            raise Permanent(Code.WRONG_CODE)

    def entries(self, now: int, first_received: int | None) -> tuple[Entry, ...]:
        """What the share lists now: each folder before what is in it, ids of this share only."""
        rows: dict[str, Entry] = {}
        for file in self.files:
            if file.at > now or not _grown(file, now, first_received):
                continue
            parent = ROOT
            parts = file.path.split("/")
            for depth in range(1, len(parts)):
                path = "/".join(parts[:depth])
                row = rows.setdefault(path, Entry(share_id(self.code, path), path, 0, None, True, parent))
                parent = row.id
            id_ = share_id(self.code, file.key or file.path)
            rows[file.path] = Entry(id_, file.path, file.size, file.sha1, False, parent)
        return tuple(rows.values())


def _grown(file: ShareFile, now: int, first_received: int | None) -> bool:
    if file.after is None:
        return True
    return first_received is not None and first_received + file.after * 1000 <= now


def share_id(code: str, key: str) -> str:
    """The id of a row of a share: the same on every listing, of no meaning outside of it."""
    number = int.from_bytes(hashlib.sha256(f"{code}|{key}".encode()).digest()[:7])
    return str(3_160_000_000_000_000_000 + number % 9_000_000_000_000_000)


def invent_sha1(*parts: object) -> str:
    """A hash in the form the drive gives it."""
    return hashlib.sha1("|".join(map(str, parts)).encode()).hexdigest().upper()


def make_share(
    code: str,
    files: Mapping[str, int] | tuple[ShareFile, ...],
    *,
    receive_code: str | None = None,
    title: str | None = None,
    condition: Condition = Condition.OPEN,
) -> Share:
    """A share from paths and sizes; hashes are invented where none are given."""
    rows = files if isinstance(files, tuple) else tuple(ShareFile(path, size) for path, size in files.items())
    rows = tuple(row if row.sha1 else replace(row, sha1=invent_sha1(code, row.path)) for row in rows)
    return Share(
        code=code,
        title=title or (rows[0].path.split("/")[0] if rows else code),
        files=rows,
        receive_codes=frozenset((receive_code,) if receive_code else ()),
        condition=condition,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """What a message said about a share that nobody prepared: enough to invent one that fits.

    `codes` are the access codes that messages state for it; where none does, it's open.
    """

    parsed: Parsed | None
    is_media: bool
    codes: frozenset[str] = frozenset()
    grown: bool = False

    def merged(self, newer: Hint) -> Hint:
        """A later message about the same share: its work stays what it was, episodes come in addition."""
        if self.parsed is None or newer.parsed is None:
            return replace(newer, codes=self.codes | newer.codes, grown=True)
        parsed = self.parsed.model_copy(
            update={
                "episodes": compact(expand(self.parsed.episodes) | expand(newer.parsed.episodes)),
                "seasons": tuple(sorted({*self.parsed.seasons, *newer.parsed.seasons})),
                "complete": self.parsed.complete or newer.parsed.complete,
            }
        )
        return Hint(
            parsed=parsed,
            is_media=self.is_media or newer.is_media,
            codes=self.codes | newer.codes,
            grown=self.grown or parsed != self.parsed,
        )


#: Makes the share behind a code, or says that it doesn't know it.
ShareMaker = Callable[[str], Share | None]


class ShareBook:
    """Every share there is. Prepared shares come first, then `makers`, then `invent`."""

    def __init__(self, invent: Callable[[str, Hint | None], Share]) -> None:
        self.makers: list[ShareMaker] = []
        self._invent = invent
        self._prepared: dict[str, Share] = {}
        self._hints: dict[str, Hint] = {}
        self._invented: dict[str, Share] = {}

    def add(self, *shares: Share) -> None:
        """Prepare shares, or replace them."""
        self._prepared.update({share.code: share for share in shares})

    def grow(self, code: str, files: Mapping[str, int]) -> None:
        """Put more files into a prepared share."""
        share = self._prepared[code]
        more = make_share(code, files).files
        self._prepared[code] = replace(share, files=share.files + more)

    def change(self, code: str, condition: Condition) -> None:
        """Let a share die, be audited or open again."""
        self._prepared[code] = replace(self.find(code), condition=condition)

    def hint(self, code: str, hint: Hint, *, first: bool = False) -> bool:
        """Note what a message says about a share, or said before all others; whether that's news."""
        known = self._hints.get(code)
        merged = hint if known is None else hint.merged(known) if first else known.merged(hint)
        self._hints[code] = merged
        self._invented.pop(code, None)
        return merged != known

    def find(self, code: str) -> Share:
        """The share behind a code; there always is one."""
        if share := self._prepared.get(code):
            return share
        if share := self._invented.get(code):
            return share
        made = next((share for maker in self.makers if (share := maker(code))), None)
        share = made or self._invent(code, self._hints.get(code))
        if len(self._invented) >= KEPT:
            self._invented.pop(next(iter(self._invented)))
        self._invented[code] = share
        return share
