"""The organize stage: a plan for what landed, then filing by it, and the end of the task."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..model.decision import Code
from ..model.points import Point
from ..model.share import ManifestFile, Phase, StoredRow
from ..model.states import State
from ..model.task import Task
from ..policy.schema import Conflict
from ..store import batches, library, works
from ..store.database import Tx
from ..transfer import filing, record as records
from ..transfer.organize import Filing, Job, Ledger, Outcome
from ..transfer.prepare import SLICE
from ..transfer.record import Record
from .stage import Stage
from .transition import Step

#: Tries after which a file that is nowhere is settled as lost.
_LOOKS_FOR_LOST = 2


async def organize(task: Task, stage: Stage) -> None:
    """Plan (in `stored`), then file (in `organizing`). Where each file is now decides what is left to do."""
    record, places = await stage.db.read(partial(_read, task=task.id))
    if task.state is State.STORED:
        task, record = await _plan(task, stage, record)
    job = Job(
        root=stage.policy.root,
        batches=tuple(batch for batch in record.batches if batch.phase is Phase.LANDED),
        files=record.all_files(),
        places=places,
        conflict=Conflict(task.context.conflict) if task.context.conflict else stage.policy.conflict,
        give_up_lost=task.attempts >= _LOOKS_FOR_LOST,
    )
    ledger = Ledger(save=partial(_save, stage, task), stored=partial(_stored, stage, task.id, record.works))
    outcome = await Filing(stage.drive, stage.clock, stage.probe, ledger, job).run()
    await _finish(task, stage, outcome)


def _read(tx: Tx, *, task: int) -> tuple[Record, dict[str, tuple[str, str]]]:
    record = records.read(tx, task)
    places = {}
    for file in record.all_files():
        if file.received_id is not None and file.placed not in (filing.PLACED, filing.KEPT):
            place = library.place_of(tx, file.received_id)
            if place is not None:
                places[file.received_id] = place
    return record, places


async def _plan(task: Task, stage: Stage, record: Record) -> tuple[Task, Record]:
    """Plan everything that isn't settled; large plans are written in slices before the move."""
    planned = filing.plan(record.all_files(), record.works, stage.policy)
    by_batch: dict[int, list[ManifestFile]] = {}
    for file in planned:
        by_batch.setdefault(file.batch, []).append(file)
    changed = [file for file in planned if file.placed == filing.PLANNED]
    slices = [changed[start : start + SLICE] for start in range(0, len(changed), SLICE)]
    for part in slices[:-1]:
        task = await stage.move(task, also=_saving(part))
    last = slices[-1] if slices else []
    task = await stage.move(
        task,
        Step(to=State.ORGANIZING, code=Code.ORGANIZING, detail={"files": len(changed)}),
        also=_saving(last),
    )
    files = {batch: tuple(rows) for batch, rows in by_batch.items()}
    return task, Record(batches=record.batches, files=files, works=record.works)


def _saving(files: Sequence[ManifestFile]) -> Callable[[Tx], None]:
    return lambda tx: batches.save_files(tx, files)


async def _save(stage: Stage, task: Task, files: Sequence[ManifestFile], removed: Sequence[str]) -> None:
    """Progress and recorded deletions: one commit, which a task that was moved on refuses."""
    await stage.move(task, also=partial(_write, files=files, removed=removed))


def _write(tx: Tx, *, files: Sequence[ManifestFile], removed: Sequence[str]) -> None:
    batches.save_files(tx, files)
    for file_id in removed:
        library.remove(tx, file_id)
    for file in files:
        if file.placed == filing.LOST and file.received_id is not None:
            # Not forgotten: the drive's listing may have been wrong, and then it is found and filed later.
            library.mark_gone(tx, file.received_id, True)
        settled = file.placed in (filing.PLACED, filing.KEPT)
        if settled and file.received_id is not None and file.name is not None:
            library.place(tx, file.received_id, file.folder or "", file.name)


async def _stored(stage: Stage, task: int, known: Mapping[int, Any], work: int) -> Mapping[str, StoredRow]:
    """What other tasks brought of a work, by file id."""

    def read(tx: Tx) -> dict[str, StoredRow]:
        same = {row for row, weak in works.same(tx, known[work]) if not weak} | {work}
        rows = library.stored(tx, stage.policy.provider, stage.policy.root, sorted(same))
        return {row.file_id: row for row in rows if row.task != task}

    return await stage.db.read(read)


async def _finish(task: Task, stage: Stage, outcome: Outcome) -> None:
    step, quiet = _last_step(outcome), False
    if step.to is State.DONE:
        quiet = not stage.policy.notify_done
    await stage.probe(Point.BEFORE_DONE_COMMIT)
    await stage.move(
        task,
        step,
        quiet=quiet,
        lane=None,
        attempts=0,
        also=partial(_write, files=outcome.unsaved, removed=()),
    )
    await stage.probe(Point.AFTER_DONE_COMMIT)


def _last_step(outcome: Outcome) -> Step:
    """Done, unless a person has to say something about a name or a file that is gone."""
    if outcome.asked:
        names = [f"{file.folder}/{file.name}" for file in outcome.asked if filing.is_main(file)]
        detail: dict[str, Any] = {"names": names[:10], "count": len(names)} | outcome.counts
        return Step(to=State.NEED_MANUAL, code=Code.NAME_CONFLICT, detail=detail)
    if outcome.lost:
        paths = [file.path for file in outcome.lost]
        detail = {"names": paths[:10], "count": len(paths)} | outcome.counts
        return Step(to=State.NEED_MANUAL, code=Code.DRIVE_LOST_FILE, detail=detail)
    return Step(to=State.DONE, code=Code.FILED, detail=dict(outcome.counts))
