"""Quiet re-checks of a send with an unclear end, a person's verify, and what giving up leaves behind."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..model.decision import Code
from ..model.errors import Busy, ReelayError, Scope
from ..model.notice import Notice, NoticeKind
from ..model.share import CHECKPOINTS, Batch, ManifestFile, Phase
from ..model.states import State
from ..model.task import LANE, Actor, Task
from ..store import batches, claims as claim_rows, outbox, trace
from ..store.database import Tx
from ..transfer import filing, prepare, reconcile, record as records
from ..transfer.reconcile import Seen
from ..transfer.record import Record
from .landing import landed, straight_on
from .stage import Stage
from .transition import Recorder

_NAMED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyResult:
    """What a person's verify found: how many files are there, the paths that aren't, where the task is now."""

    found: int
    missing: tuple[str, ...]
    state: State


async def recheck(task: Task, stage: Stage) -> None:
    """The recheck lane's handler: one read, then the next one's time or the end of the watch."""
    if task.state is State.SKIPPED:
        await _watch_abandoned(task, stage)
        return
    record = await stage.db.read(lambda tx: records.read(tx, task.id))
    batch = record.open
    if batch is None or task.state is not State.NEED_MANUAL:
        await stage.move(task, lane=None, due_at=None)
        return
    seen = await _look(stage, batch, record.files[batch.id])
    if seen is None:
        await stage.move(task, due_at=reconcile.next_recheck(batch, stage.clock.now()))
        return
    if seen.complete:
        detail = {"answer": batch.answer} if batch.answer else {}
        await landed(task, stage, record, batch, seen.files, code=Code.RECHECKED, detail=detail)
        return
    await _still_missing(task, stage, batch, record.files[batch.id], seen)


async def _look(stage: Stage, batch: Batch, files: Sequence[ManifestFile]) -> Seen | None:
    """None where the folder couldn't be read this time."""
    try:
        return await reconcile.look(stage.drive, batch, files)
    except Busy as err:
        if err.scope is Scope.ACCOUNT:
            raise
        return None
    except ReelayError:
        return None


async def _still_missing(
    task: Task, stage: Stage, batch: Batch, before: Sequence[ManifestFile], seen: Seen
) -> None:
    now = stage.clock.now()
    same = _landed_ids(before) == _landed_ids(seen.files)
    looked = replace(batch, looks=batch.looks + 1, unchanged=batch.unchanged + 1 if same else 1)
    over = reconcile.watch_over(batch, now)
    tell = over or looked.unchanged >= reconcile.REMIND_AFTER
    missing = [file.path for file in seen.missing]
    facts = {"found": seen.found, "files": len(seen.files), "missing": missing[:_NAMED]}

    def change(tx: Tx, recorder: Recorder) -> None:
        batches.save(tx, looked)
        if not same:
            batches.save_files(tx, seen.files)
            trace.add(tx, task.id, now, task.state, task.state, LANE.id, Code.RECHECKED, facts)
        if tell:
            code = Code.WATCH_ENDED if over else Code.STILL_MISSING
            _tell_once(tx, recorder, task, {"code": code.value, "detail": facts, "reminder": not over})
        if over:
            recorder.move(tx, task, (), actor=LANE, lane=None, due_at=None)
        else:
            recorder.move(tx, task, (), actor=LANE, due_at=reconcile.next_recheck(looked, now))

    await stage.mover.commit(change)


def _tell_once(tx: Tx, recorder: Recorder, task: Task, data: dict[str, object]) -> None:
    """One notification per round, unless one was delivered already; a row still open isn't doubled."""
    told = any(
        row.notice.kind is NoticeKind.ATTENTION and row.notice.round == task.round
        for row in outbox.receipts(tx, task.id)
    )
    if not told:
        notice = Notice(kind=NoticeKind.ATTENTION, task=task.id, round=task.round, at=recorder.now, data=data)
        recorder.tell(tx, notice)


def _landed_ids(files: Sequence[ManifestFile]) -> frozenset[str]:
    return frozenset(file.received_id for file in files if file.received_id is not None)


async def _watch_abandoned(task: Task, stage: Stage) -> None:
    """Staging of an abandoned send: late files are told once, nothing is moved or deleted."""
    record = await stage.db.read(lambda tx: records.read(tx, task.id, ended=True))
    watched = [one for one in record.batches if one.phase is Phase.ENDED and one.sent is not None]
    if not watched:
        await stage.move(task, lane=None, due_at=None)
        return
    batch = watched[-1]
    before = record.files[batch.id]
    seen = await _look(stage, batch, before)
    now = stage.clock.now()
    if seen is None:
        await stage.move(task, due_at=reconcile.next_recheck(batch, now))
        return
    same = _landed_ids(before) == _landed_ids(seen.files)
    looked = replace(batch, looks=batch.looks + 1, unchanged=batch.unchanged + 1 if same else 1)
    settled = seen.complete or (seen.found > 0 and same and batch.looks > 0)
    over = reconcile.watch_over(batch, now) or settled

    def change(tx: Tx, recorder: Recorder) -> None:
        batches.save(tx, looked)
        if not same:
            batches.save_files(tx, seen.files)
        if over and seen.found:
            _tell_late(tx, recorder, task, batch, seen)
        due = None if over else reconcile.next_recheck(looked, now)
        recorder.move(tx, task, (), actor=LANE, lane=None if over else task.lane, due_at=due)

    await stage.mover.commit(change)


def _tell_late(tx: Tx, recorder: Recorder, task: Task, batch: Batch, seen: Seen) -> None:
    names = [file.path for file in seen.files if file.received_id is not None]
    facts: dict[str, object] = {"found": seen.found, "names": names[:_NAMED], "folder": batch.staging_name}
    trace.add(tx, task.id, recorder.now, task.state, task.state, LANE.id, Code.LATE_FILES, facts)
    notice = Notice(
        kind=NoticeKind.LATE_FILES,
        task=task.id,
        round=task.round,
        at=recorder.now,
        data={"code": Code.LATE_FILES.value, "detail": facts},
    )
    recorder.tell(tx, notice)


async def verify(task: Task, stage: Stage, *, accept_partial: bool, actor: Actor) -> VerifyResult:
    """Read now, for a person. Whole: on to the library. In part and accepted: on with what is whole.

    Otherwise the task stays, and the answer says what is missing. Raises the drive's classed errors.
    """
    record = await stage.db.read(lambda tx: records.read(tx, task.id))
    batch = record.open
    if batch is None:
        return await _verify_without(task, stage, record, accept_partial, actor)
    seen = await reconcile.look(stage.drive, batch, record.files[batch.id])
    missing = tuple(file.path for file in seen.missing)
    whole = reconcile.complete_units(seen.files)
    if seen.complete:
        task, _ = await landed(task, stage, record, batch, seen.files, code=Code.VERIFIED, actor=actor)
    elif accept_partial and whole:
        files = reconcile.settle_partial(seen.files, whole)
        detail = {"missing": list(missing[:_NAMED]), "missing_count": len(missing)}
        task, _ = await landed(
            task, stage, record, batch, files, code=Code.ACCEPTED_PARTIAL, detail=detail, actor=actor
        )
    elif _landed_ids(seen.files) != _landed_ids(record.files[batch.id]):
        await stage.move(
            task,
            actor=actor,
            lane=task.lane,
            due_at=task.due_at,
            also=lambda tx: batches.save_files(tx, seen.files),
        )
    return VerifyResult(found=seen.found, missing=missing, state=task.state)


async def _verify_without(
    task: Task, stage: Stage, record: Record, accept_partial: bool, actor: Actor
) -> VerifyResult:
    """No send is open: what landed has its receipt, what didn't was never sent."""
    here = tuple(batch for batch in record.batches if batch.phase is Phase.LANDED)
    files = [file for batch in here for file in record.files[batch.id]]
    missing = tuple(
        file.path for batch in record.batches if batch not in here for file in record.files[batch.id]
    )
    found = sum(file.received_id is not None for file in files)
    if here and not task.received and (accept_partial or not missing):
        code = Code.ACCEPTED_PARTIAL if accept_partial else Code.VERIFIED
        task = await straight_on(
            task,
            stage,
            replace(record, batches=here),
            code=code,
            detail={"missing": list(missing[:_NAMED]), "missing_count": len(missing)},
            actor=actor,
            also=partial(_forget_rest, task=task.id),
        )
    return VerifyResult(found=found, missing=missing, state=task.state)


def _forget_rest(tx: Tx, *, task: int) -> None:
    prepare.drop_preparation(tx, task)


def abandon_effects(tx: Tx, task: Task, now: int) -> int | None:
    """End batches and claims of a task that is given up; when to look at its staging, None if there's no watch.

    What has a receipt stays as it is. A batch whose request may have been executed ends, too, but is watched.
    """
    due = None
    for batch in batches.of_task(tx, task.id):
        if batch.phase in CHECKPOINTS:
            claim_rows.release_batch(tx, batch.id)
            ended = replace(batch, phase=Phase.ENDED, looks=0, unchanged=0)
            batches.save(tx, ended)
            due = reconcile.next_recheck(ended, now)
    prepare.drop_preparation(tx, task.id)
    return due


def forget_plan(tx: Tx, task: int) -> None:
    """Let everything that was received be planned anew; deletions that are recorded stay recorded."""
    rows = batches.files_of_task(tx, task)
    again = [
        replace(file, placed=None)
        for file in rows
        if file.received_id is not None
        and file.placed is not None
        and file.placed not in (filing.BINNED, filing.LEFT)
        and not file.placed.startswith(filing.REPLACES)
    ]
    batches.save_files(tx, again)
