"""Filing received files by the plan. Every step starts from where each file is now, so that it can be repeated.

Rename in staging, move, read back; only then a file counts as placed. A deletion is recorded before it is
executed, and nothing is deleted but what Reelay brought itself.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..drives.base import Drive
from ..media import release
from ..model.decision import Code
from ..model.errors import Permanent, Transient
from ..model.offer import Release
from ..model.points import Point
from ..model.share import Batch, Entry, ManifestFile, StoredRow
from ..policy.schema import Conflict
from ..ports import Clock, Probe
from . import filing, naming, staging
from .conflicts import Fate, Ruling, rule
from .receipt import release_text

_REREADS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """How filing writes down what it has done or is about to delete, and asks what is stored.

    `save(files, removed)` is one commit; `stored(work)` are the library's rows of a work by file id.
    """

    save: Callable[[Sequence[ManifestFile], Sequence[str]], Awaitable[None]]
    stored: Callable[[int], Awaitable[Mapping[str, StoredRow]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is to be filed. `places` says where a file was filed before, as (folder, name).

    With `give_up_lost` a file that is nowhere is settled as lost; without, the whole is tried again later.
    """

    root: str
    batches: tuple[Batch, ...]
    files: tuple[ManifestFile, ...]
    places: Mapping[str, tuple[str, str]]
    conflict: Conflict
    give_up_lost: bool


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What has been done. `unsaved` are settled files that go into the task's last commit."""

    unsaved: list[ManifestFile] = field(default_factory=list)
    asked: list[ManifestFile] = field(default_factory=list)
    lost: list[ManifestFile] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def count(self, what: str, number: int = 1) -> None:
        """Add to a count that the trace tells."""
        if number:
            self.counts[what] = self.counts.get(what, 0) + number


class Filing:
    """One run over a task's plan."""

    def __init__(self, drive: Drive, clock: Clock, probe: Probe, ledger: Ledger, job: Job) -> None:
        self._drive = drive
        self._clock = clock
        self._probe = probe
        self._ledger = ledger
        self._job = job
        self._own = {file.received_id for file in job.files if file.received_id is not None}
        self._at: dict[str, Entry] = {}
        self._folders: dict[str, str] = {}
        self._batch = 500
        self.outcome = Outcome()

    async def run(self) -> Outcome:
        """File everything that is open; what has been settled is saved folder by folder."""
        todo = filing.open_rows(self._job.files)
        self._batch = (await self._drive.limits()).batch
        await self._locate(todo)
        await self._finish_deletions(todo)
        folders: dict[str, list[ManifestFile]] = {}
        for file in todo:
            if file.placed != filing.BINNED:
                folders.setdefault(file.folder or "", []).append(file)
        for folder, files in folders.items():
            if self.outcome.unsaved:
                await self._save_placed()
            await self._folder(folder, files)
        if self.outcome.lost and not self._job.give_up_lost:
            await self._save_placed()
            raise Transient(Code.DRIVE_LOST_FILE, files=[file.path for file in self.outcome.lost[:5]])
        if not self.outcome.asked and not self.outcome.lost:
            await self._clear_staging()
        return self.outcome

    async def _locate(self, todo: Sequence[ManifestFile]) -> None:
        """Where files are that aren't in their folder yet: in staging, or where they were filed before."""
        wanted = {file.batch for file in todo}
        for batch in self._job.batches:
            if batch.id in wanted and batch.staging_id is not None:
                for row in await self._rows(batch.staging_id, deep=True):
                    self._at[row.id] = row
        former = {
            known[0]
            for file in todo
            if file.received_id is not None
            and file.received_id not in self._at
            and (known := self._job.places.get(file.received_id)) is not None
        }
        for folder in former:
            place = await self._drive.find_folder("0", self._path(folder))
            if place is not None:
                for row in await self._drive.list_folder(place):
                    self._at[row.id] = row

    async def _rows(self, folder: str, *, deep: bool = False) -> tuple[Entry, ...]:
        """A folder's rows; one that is gone has none."""
        try:
            return await (self._drive.list_tree(folder) if deep else self._drive.list_folder(folder))
        except Permanent:
            return ()

    def _path(self, folder: str) -> str:
        return "/".join((*naming.root_parts(self._job.root), *filter(None, folder.split("/"))))

    async def _finish_deletions(self, todo: Iterable[ManifestFile]) -> None:
        """Execute deletions that were recorded before a crash."""
        left = [
            file.received_id
            for file in todo
            if file.placed == filing.BINNED and file.received_id is not None and file.received_id in self._at
        ]
        await self._trash(left)

    async def _folder(self, folder: str, files: Sequence[ManifestFile]) -> None:
        place = await self._ensure(folder)
        here = await self._drive.list_folder(place)
        inside = {row.id for row in here}
        there = [file for file in files if file.received_id in inside or file.received_id in self._at]
        self.outcome.lost += await self._give_up([file for file in files if file not in there])
        rivals = await self._rivals(there, here)
        rulings = rule(there, here, self._own, self._job.conflict, lambda new, old: _better(new, old, rivals))
        await self._bin([ruling.file for ruling in rulings if ruling.fate is Fate.BIN])
        self._ask([ruling.file for ruling in rulings if ruling.fate is Fate.ASK])
        placing = [one for one in rulings if one.fate in (Fate.PLACE, Fate.KEEP_BOTH, Fate.REPLACE)]
        here = await self._bring(place, here, placing)
        await self._replace(place, here, [one for one in placing if one.fate is Fate.REPLACE])
        for one in placing:
            kept = one.fate is Fate.KEEP_BOTH
            name = one.file.name if one.fate is Fate.REPLACE else one.name
            self.outcome.unsaved.append(
                replace(one.file, name=name, placed=filing.KEPT if kept else filing.PLACED)
            )
            self.outcome.count("files")
            self.outcome.count("kept_both", int(kept and filing.is_main(one.file)))
            self.outcome.count("not_replaced", int(one.kept_worse))

    async def _ensure(self, folder: str) -> str:
        path = self._path(folder)
        if path not in self._folders:
            found = await self._drive.find_folder("0", path)
            if found is None:
                await self._probe(Point.BEFORE_DESTINATION_FOLDER)
                found = await staging.ensure(self._drive, path.split("/"))
                await self._probe(Point.AFTER_DESTINATION_FOLDER)
            self._folders[path] = found
        return self._folders[path]

    async def _give_up(self, lost: list[ManifestFile]) -> list[ManifestFile]:
        if lost and self._job.give_up_lost:
            lost = [replace(file, placed=filing.LOST) for file in lost]
            await self._ledger.save(lost, ())
        return lost

    async def _rivals(self, files: Sequence[ManifestFile], here: Sequence[Entry]) -> Mapping[str, StoredRow]:
        if self._job.conflict is not Conflict.REPLACE_IF_BETTER:
            return {}
        names = {row.name.casefold() for row in here if row.id not in self._own}
        found: dict[str, StoredRow] = {}
        for work in {file.work for file in files if (file.name or "").casefold() in names}:
            found |= await self._ledger.stored(work)
        return found

    async def _bin(self, files: list[ManifestFile]) -> None:
        """Received duplicates go into the recycle bin; first it's written down."""
        if not files:
            return
        ids = [file.received_id for file in files if file.received_id is not None]
        await self._record_deletion([replace(file, placed=filing.BINNED) for file in files], ids)
        await self._trash(ids)
        self.outcome.count("binned", sum(filing.is_main(file) for file in files))

    def _ask(self, files: list[ManifestFile]) -> None:
        asked = [replace(file, placed=filing.ASKED) for file in files]
        self.outcome.asked += asked
        self.outcome.unsaved += asked

    async def _bring(self, place: str, here: Sequence[Entry], rulings: Sequence[Ruling]) -> tuple[Entry, ...]:
        """Give the files their names, move them, and read back that both is so."""
        now = self._at | {row.id: row for row in here}
        inside = {row.id for row in here}
        names = {
            one.file.received_id: one.name
            for one in rulings
            if one.file.received_id is not None and now[one.file.received_id].name != one.name
        }
        moves = [
            one.file.received_id
            for one in rulings
            if one.file.received_id is not None and one.file.received_id not in inside
        ]
        for part in _chunks(list(names), self._batch):
            await self._probe(Point.BEFORE_RENAME)
            await self._drive.rename({id_: names[id_] for id_ in part})
            await self._probe(Point.AFTER_RENAME)
        for part in _chunks(moves, self._batch):
            await self._probe(Point.BEFORE_MOVE)
            await self._drive.move(tuple(part), place)
            await self._probe(Point.AFTER_MOVE)
        if not names and not moves:
            return tuple(here)
        expected = {one.file.received_id: one.name for one in rulings if one.file.received_id is not None}
        return await self._read_back(place, expected)

    async def _read_back(self, place: str, names: Mapping[str, str]) -> tuple[Entry, ...]:
        wrong: list[str] = []
        for attempt in range(_REREADS):
            if attempt:
                await self._clock.sleep(float(attempt))
            rows = await self._drive.list_folder(place)
            there = {row.id: row.name for row in rows}
            wrong = [name for id_, name in names.items() if there.get(id_) != name]
            if not wrong:
                return rows
        raise Transient(Code.DRIVE_ERROR, names=wrong[:5])

    async def _replace(self, place: str, here: Sequence[Entry], rulings: Sequence[Ruling]) -> None:
        """The new files are filed and verified; now the old ones go, and the new ones take their names."""
        if not rulings:
            return
        there = {row.id for row in here}
        recorded = [
            replace(one.file, placed=f"{filing.REPLACES}{one.rival}")
            for one in rulings
            if not (one.file.placed or "").startswith(filing.REPLACES)
        ]
        rivals = [one.rival for one in rulings if one.rival is not None]
        if recorded:
            await self._record_deletion(recorded, rivals)
        await self._trash([id_ for id_ in rivals if id_ in there])
        names = {
            one.file.received_id: one.file.name
            for one in rulings
            if one.file.received_id is not None and one.file.name is not None
        }
        now = {row.id: row.name for row in here}
        wrong = {id_: name for id_, name in names.items() if now.get(id_) != name}
        for part in _chunks(list(wrong), self._batch):
            await self._probe(Point.BEFORE_RENAME)
            await self._drive.rename({id_: wrong[id_] for id_ in part})
            await self._probe(Point.AFTER_RENAME)
        if wrong:
            await self._read_back(place, wrong)
        self.outcome.count("replaced", len(rulings))

    async def _record_deletion(self, files: Sequence[ManifestFile], removed: Sequence[str]) -> None:
        await self._probe(Point.BEFORE_DELETION_COMMIT)
        await self._ledger.save(files, removed)
        await self._probe(Point.AFTER_DELETION_COMMIT)

    async def _trash(self, ids: Sequence[str]) -> None:
        for part in _chunks(list(ids), self._batch):
            await self._probe(Point.BEFORE_TRASH)
            await self._drive.trash(tuple(part))
            await self._probe(Point.AFTER_TRASH)

    async def _save_placed(self) -> None:
        if self.outcome.unsaved:
            await self._probe(Point.BEFORE_PLACED_COMMIT)
            await self._ledger.save(self.outcome.unsaved, ())
            await self._probe(Point.AFTER_PLACED_COMMIT)
            self.outcome.unsaved = []

    async def _clear_staging(self) -> None:
        for batch in self._job.batches:
            if batch.staging_id is not None and not await staging.remove_empty(
                self._drive, batch.staging_id, self._probe
            ):
                self.outcome.count("staging_left")


def _better(file: ManifestFile, rival: Entry, stored: Mapping[str, StoredRow]) -> bool:
    """Whether a file may take a rival's place: the rival has an own receipt and is a worse release."""
    row = stored.get(rival.id)
    if row is None or row.origin != "transferred" or not row.release:
        return False
    theirs = release.rank(Release.model_validate_json(row.release))
    ours = release.rank(Release.model_validate_json(release_text(file.path)))
    return ours > theirs


def _chunks(ids: list[str], size: int) -> list[list[str]]:
    return [ids[start : start + size] for start in range(0, len(ids), size)]
