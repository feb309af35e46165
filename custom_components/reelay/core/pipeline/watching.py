"""Watching a landing by reading only: close at first, then handed over to the quiet re-checks."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..model.decision import Code
from ..model.errors import Busy, ReelayError, Scope
from ..model.share import Batch, ManifestFile, Phase
from ..model.states import Lane, State
from ..model.task import Task
from ..store import batches, claims as claim_rows
from ..store.database import Tx
from ..transfer import downloads, prepare, reconcile
from ..transfer.reconcile import Seen
from ..transfer.record import Record
from .landing import landed
from .preparing import Going
from .stage import Stage
from .transition import Step

_DOWNLOAD_LOOK_MS = 60_000
#: Looks at downloads of which nothing moves, a minute apart, until a person is asked.
_DOWNLOAD_STUCK = 24 * 60


async def see(stage: Stage, batch: Batch, files: Sequence[ManifestFile]) -> Seen | None:
    """A look into staging; None where it couldn't be read. An account that is refused everything is raised."""
    try:
        return await reconcile.look(stage.drive, batch, files)
    except Busy as err:
        if err.scope is Scope.ACCOUNT:
            raise
        return None
    except ReelayError:
        return None


async def watch(task: Task, stage: Stage, record: Record) -> Going | None:
    """Look whether the open batch has landed; if not, look again soon, and after a while much later."""
    batch = record.open
    if batch is None:
        raise LookupError(f"task {task.id} has no batch to watch")
    files = record.files[batch.id]
    seen = await see(stage, batch, files)
    if seen is not None and seen.complete:
        return await arrived(task, stage, record, batch, seen)
    if task.context.offer.share is None and await _downloading(task, stage, record, batch, seen):
        return None
    now, sent = stage.clock.now(), batch.sent or 0
    files = seen.files if seen is not None else files
    if now - sent >= reconcile.landing_window(len(files)):
        code = Code.LANDING_SLOW if batch.phase is Phase.ACCEPTED else Code.UNCLEAR
        code = Code.LANDED_PARTLY if any(file.received_id for file in files) else code
        await hand_over(task, stage, batch, files, code)
        return None
    changed = files if files != record.files[batch.id] else ()
    due = reconcile.next_look(sent, now)
    steps = (Step(to=State.SAVING, code=Code.UNCLEAR),) if task.state is State.QUEUED else ()
    await stage.move(task, *steps, due_at=due, also=lambda tx: batches.save_files(tx, changed))
    return None


async def arrived(
    task: Task, stage: Stage, record: Record, batch: Batch, seen: Seen, **how: Any
) -> Going | None:
    detail = {"answer": batch.answer, "strange": len(seen.strange)} | how.pop("detail", {})
    task, record = await landed(
        task,
        stage,
        record,
        batch,
        seen.files,
        detail={key: value for key, value in detail.items() if value},
        **how,
    )
    if task.context.offer.share is None:
        await _forget_jobs(stage, seen.files)
    return Going(task=task, record=record) if record.waiting else None


async def _forget_jobs(stage: Stage, files: Sequence[ManifestFile]) -> None:
    """The records of finished downloads have served; keeping them would block the same links later."""
    try:
        jobs = await downloads.progress(stage.drive, files)
        if jobs.keys and jobs.final:
            await stage.drive.forget_downloads(jobs.keys)
    except ReelayError:
        return


async def hand_over(
    task: Task,
    stage: Stage,
    batch: Batch,
    files: Sequence[ManifestFile],
    code: Code,
    *,
    detail: dict[str, Any] | None = None,
    quiet: bool = True,
) -> None:
    """Into need_manual with quiet re-checks: the send had no clear end, and only reads follow."""
    phase = Phase.UNKNOWN if batch.phase is Phase.RECEIVING else batch.phase
    watched = replace(batch, phase=phase, looks=0, unchanged=0)
    found = sum(file.received_id is not None for file in files)
    facts = {"batch": batch.n, "found": found, "files": len(files), "answer": batch.answer}

    def also(tx: Tx) -> None:
        batches.save(tx, watched)
        batches.save_files(tx, files)

    step = Step(to=State.NEED_MANUAL, code=code, detail=facts | (detail or {}))
    path = (Step(to=State.SAVING, code=code), step) if task.state is State.QUEUED else (step,)
    await stage.move(
        task,
        *path,
        lane=Lane.RECHECK,
        due_at=reconcile.next_recheck(watched, stage.clock.now()),
        sent=True,
        quiet=quiet,
        also=also,
    )


async def _downloading(task: Task, stage: Stage, record: Record, batch: Batch, seen: Seen | None) -> bool:
    """Judge the jobs of a batch of ed2k links; tells whether the task has been dealt with."""
    now = stage.clock.now()
    wanted = record.files[batch.id]
    jobs = await _jobs(stage, wanted)
    late = now - (batch.sent or 0) >= reconcile.landing_window(len(wanted))
    if jobs is not None and jobs.final and (jobs.whole or late):
        # Only what lies in staging after the jobs have ended counts: a file may have come since the last look.
        seen = await see(stage, batch, wanted)
        if seen is not None and seen.complete:
            await arrived(task, stage, record, batch, seen)
            return True
        if seen is not None and (jobs.failed or late):
            return await _downloads_over(task, stage, record, batch, seen, failed=jobs.failed)
    if batch.phase is not Phase.ACCEPTED and (jobs is None or not jobs.keys):
        return False
    told = f"{jobs.percent:.1f} %" if jobs is not None else batch.answer
    grown = told != batch.answer
    looked = replace(batch, answer=told, unchanged=0 if grown else batch.unchanged + 1)
    if looked.unchanged >= _DOWNLOAD_STUCK:
        return False
    files = seen.files if seen is not None else ()

    def also(tx: Tx) -> None:
        batches.save(tx, looked)
        batches.save_files(tx, files)

    due = now + min(_DOWNLOAD_LOOK_MS, max(1_000, now - (batch.sent or now)))
    await stage.move(task, due_at=due, also=also)
    return True


async def _jobs(stage: Stage, files: Sequence[ManifestFile]) -> downloads.Progress | None:
    """The jobs of these files; None where they couldn't be read. An account that is refused everything is raised."""
    try:
        return await downloads.progress(stage.drive, files)
    except Busy as err:
        if err.scope is Scope.ACCOUNT:
            raise
        return None
    except ReelayError:
        return None


async def _downloads_over(
    task: Task, stage: Stage, record: Record, batch: Batch, seen: Seen, *, failed: bool
) -> bool:
    """All jobs have ended: whole episodes go on, a broken film is a question, nothing at all has failed.

    A job that says it is done and whose file is nowhere is no failure: its file is looked for.
    """
    whole = reconcile.complete_units(seen.files)
    missing = [file.path for file in seen.missing]
    if whole:
        files = reconcile.settle_partial(seen.files, whole)
        await arrived(
            task,
            stage,
            record,
            batch,
            Seen(files=files, strange=seen.strange),
            code=Code.LANDED_PARTLY,
            detail={"missing": missing[:20], "missing_count": len(missing)},
        )
        return True
    if seen.found:
        await hand_over(
            task, stage, batch, seen.files, Code.MISSING_PART, detail={"missing": missing[:20]}, quiet=False
        )
        return True
    if not failed:
        await hand_over(task, stage, batch, seen.files, Code.LANDING_SLOW)
        return True

    def also(tx: Tx) -> None:
        claim_rows.release_batch(tx, batch.id)
        batches.save(tx, replace(batch, phase=Phase.ENDED))
        prepare.drop_preparation(tx, task.id)

    here = any(one.phase is Phase.LANDED for one in record.batches)
    await stage.move(
        task,
        Step(
            to=State.NEED_MANUAL if here else State.FAILED,
            code=Code.DRIVE_REFUSED,
            detail={"missing": missing[:20]},
        ),
        retry_from=None if here else State.QUEUED,
        lane=None,
        sent=here,
        also=also,
    )
    await _forget_jobs(stage, seen.files)
    return True
