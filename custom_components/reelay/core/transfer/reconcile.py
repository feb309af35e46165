"""Which files of a manifest have landed: matching what lies in staging with what was asked for."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..drives.base import Drive
from ..model.decision import Code
from ..model.errors import Permanent
from ..model.share import Batch, Entry, ManifestFile
from .filing import LEFT, is_main

MINUTE = 60_000
WATCH_MS = 24 * 60 * MINUTE
#: Delays between the quiet reads of a send with an unclear end; the last one repeats.
RECHECK_MS = (5 * MINUTE, 10 * MINUTE, 20 * MINUTE, 40 * MINUTE, 60 * MINUTE)
#: After so many results in a row with the same landed files a person is told early.
REMIND_AFTER = 3
_LANDING_MS = (2 * MINUTE, 10 * MINUTE)
_MS_PER_FILE = 1_200
_STEPS_MS = (1_000, 64_000)

# 115 writes some characters as its own references (facts 3.2).
_REFERENCE = re.compile("\x02(\\d{1,7})|\\[\x02(\\d{1,7})\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One look into a batch's staging folder: its files with received ids, and rows nobody asked for."""

    files: tuple[ManifestFile, ...]
    strange: tuple[Entry, ...] = ()

    @property
    def found(self) -> int:
        """How many files have landed."""
        return sum(file.received_id is not None for file in self.files)

    @property
    def missing(self) -> tuple[ManifestFile, ...]:
        """The files that haven't landed."""
        return tuple(file for file in self.files if file.received_id is None)

    @property
    def complete(self) -> bool:
        """Whether everything has landed."""
        return not self.missing


def normal(name: str) -> str:
    """A file name as it can be compared: references decoded, stray escapes removed, composed, case folded."""
    decoded = _REFERENCE.sub(_character, name)
    bare = decoded.replace("\\'", "'").replace('\\"', '"')
    return unicodedata.normalize("NFC", bare).casefold().strip()


def _character(match: re.Match[str]) -> str:
    number = int(match[1] or match[2])
    return chr(number) if number < 0x110000 else ""


def match(files: Sequence[ManifestFile], rows: Iterable[Entry]) -> Seen:
    """Give each file the row that is its copy, each row to one file at most.

    First by hash and size (of several equal ones the same name first), then by name and size where one side
    has no hash. A row that was matched before stays with its file while it is there.
    """
    free = {row.id: row for row in rows if not row.folder}
    result: dict[str, str | None] = {}
    for file in files:
        if file.received_id is not None and free.pop(file.received_id, None) is not None:
            result[file.source_id] = file.received_id
    for same_name in (True, False):
        _assign(files, free, result, by_hash=True, same_name=same_name)
    _assign(files, free, result, by_hash=False, same_name=True)
    seen = tuple(replace(file, received_id=result.get(file.source_id)) for file in files)
    return Seen(files=seen, strange=tuple(free.values()))


def _assign(
    files: Sequence[ManifestFile],
    free: dict[str, Entry],
    result: dict[str, str | None],
    *,
    by_hash: bool,
    same_name: bool,
) -> None:
    waiting: dict[tuple[object, ...], list[str]] = {}
    for row in free.values():
        if by_hash and row.sha1 is None:
            continue
        waiting.setdefault(_key(row.sha1, row.size, row.name, by_hash, same_name), []).append(row.id)
    for file in files:
        if file.source_id in result or (by_hash and file.sha1 is None):
            continue
        name = file.path.rpartition("/")[2]
        rows = waiting.get(_key(file.sha1, file.size, name, by_hash, same_name), [])
        fitting = next((id_ for id_ in rows if by_hash or _hashes_allow(file, free[id_])), None)
        if fitting is not None:
            rows.remove(fitting)
            del free[fitting]
            result[file.source_id] = fitting


def _key(sha1: str | None, size: int, name: str, by_hash: bool, same_name: bool) -> tuple[object, ...]:
    return (sha1 and sha1.upper() if by_hash else None, size, normal(name) if same_name else None)


def _hashes_allow(file: ManifestFile, row: Entry) -> bool:
    """Two known hashes that differ are two files, whatever their names say."""
    return file.sha1 is None or row.sha1 is None


async def look(drive: Drive, batch: Batch, files: Sequence[ManifestFile]) -> Seen:
    """Read a batch's staging folder. A folder that isn't there (any more) holds nothing."""
    if batch.staging_id is None:
        return Seen(files=tuple(replace(file, received_id=None) for file in files))
    try:
        rows = await drive.list_tree(batch.staging_id)
    except Permanent as err:
        if err.code is not Code.DRIVE_ERROR:
            raise
        rows = ()
    return match(files, rows)


def landing_window(files: int) -> int:
    """How long a landing is watched closely, in ms."""
    shortest, longest = _LANDING_MS
    return min(longest, max(shortest, files * _MS_PER_FILE))


def next_look(sent: int, now: int) -> int:
    """When to look again at files that are landing: as long again as it took so far, a second at least."""
    shortest, longest = _STEPS_MS
    return now + min(longest, max(shortest, now - sent))


def next_recheck(batch: Batch, now: int) -> int:
    """When to look again at a send with an unclear end; the last look is not before the 24 hours are over."""
    delay = RECHECK_MS[min(batch.looks, len(RECHECK_MS) - 1)]
    end = (now if batch.sent is None else batch.sent) + WATCH_MS
    return min(now + delay, end) if now < end else now + delay


def watch_over(batch: Batch, now: int) -> bool:
    """Whether the 24 hours since the send are over."""
    return now >= (batch.sent or 0) + WATCH_MS


def complete_units(files: Sequence[ManifestFile]) -> tuple[ManifestFile, ...]:
    """The landed files of episodes and films whose videos have all landed."""
    broken = {
        (file.work, file.season, episode)
        for file in files
        if file.received_id is None and is_main(file)
        for episode in range(file.episode, file.episode_last + 1)
    }
    whole = {
        (file.work, file.season, file.episode)
        for file in files
        if file.received_id is not None and is_main(file)
    }
    return tuple(
        file
        for file in files
        if file.received_id is not None
        and (file.work, file.season, file.episode) in whole
        and not any(
            (file.work, file.season, episode) in broken
            for episode in range(file.episode, file.episode_last + 1)
        )
    )


def settle_partial(files: Sequence[ManifestFile], whole: Sequence[ManifestFile]) -> tuple[ManifestFile, ...]:
    """All files of a batch, those that landed without being `whole` marked as left where they are."""
    going_on = {file.source_id for file in whole}
    return tuple(
        replace(file, placed=LEFT)
        if file.received_id is not None and file.source_id not in going_on
        else file
        for file in files
    )
