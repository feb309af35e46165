"""The transfer stage: prepare, send exactly once, watch the landing. The transfer record says where to go on."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from ..model.decision import Code
from ..model.errors import Busy, Permanent, ReelayError, Scope, Transient
from ..model.points import Point
from ..model.share import Batch, ManifestFile, Phase
from ..model.states import State
from ..model.task import Task
from ..store import batches, claims as claim_rows, messages, tasks
from ..store.database import Tx
from ..transfer import claims, downloads, prepare, reconcile, record as records, staging
from ..transfer.prepare import Run, direct
from ..transfer.reconcile import Seen
from ..transfer.record import Record
from ..transfer.send import Answer, Proof, send
from ..understand.links import links
from .landing import straight_on
from .lanes import ATTEMPTS, BACKOFF_MS, busy_until
from .preparing import Going, prepared
from .stage import Stage
from .transition import Moved, Step
from .watching import arrived, hand_over, see, watch

#: The states this stage takes.
STATES = frozenset({State.QUEUED, State.SAVING})


async def transfer(task: Task, stage: Stage, *, run: Run = direct) -> None:
    """Go on with a task from what its transfer record says; `run` executes the selection.

    A request that may have been executed is followed by reads only. Everything that has a receipt goes straight
    on. Anything else is prepared anew, and then sent batch by batch.
    """
    record = await stage.db.read(lambda tx: records.read(tx, task.id))
    try:
        going = await _begin(task, stage, record, run)
        while going is not None and going.record.waiting:
            if stage.gates.closed(stage.drive.name) is not None:
                return
            going = await _send(going, stage)
    except Permanent as err:
        if not await _keep_what_landed(task, stage, err):
            raise


async def _begin(task: Task, stage: Stage, record: Record, run: Run) -> Going | None:
    if record.open is None:
        task, record = await _look_at_refused(task, stage, record)
    if record.open is not None:
        return await watch(task, stage, record)
    if record.landed:
        await straight_on(task, stage, record)
        return None
    return await prepared(task, stage, record, run)


async def _look_at_refused(task: Task, stage: Stage, record: Record) -> tuple[Task, Record]:
    """A request was refused in so many words; if its folder holds something, it was executed nevertheless."""
    for batch in record.batches:
        if batch.phase in (Phase.DRAFT, Phase.PREPARED) and batch.sent is not None:
            files = record.files[batch.id]
            seen = await reconcile.look(stage.drive, batch, files)
            if seen.found:
                return await _executed(task, stage, record, batch, seen)
    return task, record


async def _executed(
    task: Task, stage: Stage, record: Record, batch: Batch, seen: Seen
) -> tuple[Task, Record]:
    """Staging isn't empty although nothing is known of a send: only reads follow."""
    found = replace(batch, phase=Phase.UNKNOWN, sent=stage.clock.now(), answer=batch.answer)
    rows = claims.rows_of(seen.files)

    def also(tx: Tx) -> None:
        claim_rows.take(tx, batch.provider, batch.root, rows, batch.share, batch.id)
        batches.save(tx, found)
        batches.save_files(tx, seen.files)

    detail = {"batch": batch.n, "found": seen.found, "files": len(seen.files)}
    steps = () if task.state is State.SAVING else (Step(to=State.SAVING, code=Code.UNCLEAR, detail=detail),)
    task = await stage.move(task, *steps, sent=True, also=also)
    return task, record.with_batch(found, seen.files)


async def _keep_what_landed(task: Task, stage: Stage, err: Permanent) -> bool:
    """A later batch can't be had: what came with the earlier ones waits for a person instead of failing."""
    current, record = await stage.db.read(lambda tx: (tasks.get(tx, task.id), records.read(tx, task.id)))
    here = any(batch.phase is Phase.LANDED for batch in record.batches)
    if current is None or record.open is not None or not here or current.state not in STATES:
        return False
    path = (State.NEED_MANUAL,) if current.state is State.SAVING else (State.SAVING, State.NEED_MANUAL)
    await stage.move(
        current,
        *(Step(to=state, code=err.code, detail=err.data) for state in path),
        lane=None,
        sent=True,
        also=lambda tx: prepare.drop_preparation(tx, current.id),
    )
    return True


async def _send(going: Going, stage: Stage) -> Going | None:
    """Send the next batch: make its folder, see that it's empty, set the checkpoint, make one request."""
    task, record = going.task, going.record
    batch = record.waiting[0]
    files = record.files[batch.id]
    request = await _request(task, stage, files)
    folder = await staging.make(stage.drive, stage.policy.root, batch.staging_name, stage.probe)
    if rows := await stage.drive.list_tree(folder):
        seen = reconcile.match(files, rows)
        if not seen.found:
            await _foreign(task, stage, record, batch)
            return None
        task, record = await _executed(task, stage, record, replace(batch, staging_id=folder), seen)
        return await watch(task, stage, record)
    sending = replace(
        batch, phase=Phase.RECEIVING, staging_id=folder, sent=stage.clock.now(), looks=0, unchanged=0
    )

    def checkpoint(tx: Tx) -> None:
        if going.seen is not None:
            claims.look_again(tx, batch, files, record.works, going.seen)
        batches.save(tx, sending)

    detail = {"batch": batch.n, "batches": len(record.batches), "files": len(files)}
    steps = () if task.state is State.SAVING else (Step(to=State.SAVING, code=Code.SENDING, detail=detail),)
    await stage.probe(Point.BEFORE_CHECKPOINT_COMMIT)
    try:
        task = await stage.move(task, *steps, sent=True, also=checkpoint)
    except claims.Stale:
        # Left prepared and due: the next pick-up prepares anew.
        await staging.remove_empty(stage.drive, folder, stage.probe)
        return None
    except Moved:
        await staging.remove_empty(stage.drive, folder, stage.probe)
        raise
    await stage.probe(Point.AFTER_CHECKPOINT_COMMIT)
    await stage.probe(Point.BEFORE_SEND)
    answer = await send(lambda: request(folder))
    await stage.probe(Point.AFTER_SEND)
    sent = Going(task=task, record=record.with_batch(sending), seen=going.seen)
    return await _answered(sent, stage, sending, answer, refused_before=batch.sent is not None)


async def _request(
    task: Task, stage: Stage, files: Sequence[ManifestFile]
) -> Callable[[str], Awaitable[str]]:
    """The one request of a batch, as a function of the folder it goes into."""
    drive, share = stage.drive, task.context.offer.share
    if share is not None:
        ids = tuple(file.source_id for file in files)
        return lambda into: drive.receive(share.code, share.receive_code, ids, into)
    row = await stage.db.read(lambda tx: messages.get(tx, task.message))
    ed2k = links(row.message).ed2k
    await downloads.clear_way(drive, files)
    return lambda into: downloads.request(drive, ed2k, files, into)


async def _foreign(task: Task, stage: Stage, record: Record, batch: Batch) -> None:
    """Something nobody asked for lies in the folder: it's left alone, and a retry takes another one."""

    def also(tx: Tx) -> None:
        claim_rows.release_batch(tx, batch.id)
        batches.save(tx, replace(batch, phase=Phase.ENDED))
        prepare.drop_preparation(tx, task.id)

    here = any(one.phase is Phase.LANDED for one in record.batches)
    path = [State.NEED_MANUAL] if here else [State.FAILED]
    if here and task.state is State.QUEUED:
        path.insert(0, State.SAVING)
    detail = {"folder": batch.staging_name}
    await stage.move(
        task,
        *(Step(to=state, code=Code.FOREIGN_STAGING, detail=detail) for state in path),
        retry_from=None if here else State.QUEUED,
        lane=None,
        also=also,
    )


async def _answered(
    going: Going, stage: Stage, batch: Batch, answer: Answer, *, refused_before: bool
) -> Going | None:
    """Write down what the answer proves, before anything else is done."""
    task, record = going.task, going.record
    files = record.files[batch.id]
    if answer.proof is Proof.NOT_EXECUTED and answer.error is not None:
        await _not_executed(task, stage, record, batch, answer.error, answer.words)
        return None
    if answer.proof is Proof.ALREADY:
        return await _already(task, stage, record, batch, answer, refused_before)
    now = stage.clock.now()
    await stage.probe(Point.BEFORE_ANSWER_COMMIT)
    if answer.proof is Proof.UNCLEAR:
        unknown = replace(batch, phase=Phase.UNKNOWN, answer=answer.words)
        await hand_over(task, stage, unknown, files, Code.UNCLEAR)
        await stage.probe(Point.AFTER_ANSWER_COMMIT)
        return None
    accepted = replace(batch, phase=Phase.ACCEPTED, answer=answer.words)
    wait = round(stage.drive.first_look(len(files)) * 1000)
    task = await stage.move(
        task, due_at=now + wait if wait > 0 else None, also=lambda tx: batches.save(tx, accepted)
    )
    await stage.probe(Point.AFTER_ANSWER_COMMIT)
    if wait > 0:
        return None
    return await watch(task, stage, record.with_batch(accepted))


async def _not_executed(
    task: Task, stage: Stage, record: Record, batch: Batch, err: ReelayError, words: str
) -> None:
    """The drive refused: the phase goes back in the same transaction as the task, never one without the other."""
    here = any(one.phase is Phase.LANDED for one in record.batches)
    back = replace(batch, phase=Phase.PREPARED, answer=words)
    detail: dict[str, Any] = {"reason": err.code.value, "answer": words}
    now = stage.clock.now()
    await stage.probe(Point.BEFORE_ANSWER_COMMIT)
    if isinstance(err, Busy):
        account = err.scope is Scope.ACCOUNT
        await stage.move(
            task,
            Step(to=State.QUEUED, code=Code.NOT_EXECUTED, detail=detail),
            due_at=None if account else busy_until(err, now),
            sent=here,
            also=lambda tx: batches.save(tx, back),
        )
        await stage.probe(Point.AFTER_ANSWER_COMMIT)
        if account:
            raise err
        return
    again = isinstance(err, Transient) and task.attempts < ATTEMPTS
    delay = BACKOFF_MS[min(task.attempts, len(BACKOFF_MS) - 1)]
    stuck = here and not again

    def also(tx: Tx) -> None:
        batches.save(tx, back)
        prepare.drop_preparation(tx, task.id)

    await stage.move(
        task,
        Step(to=State.NEED_MANUAL if stuck else State.FAILED, code=err.code, detail=err.data | detail),
        retry_from=None if stuck else State.QUEUED,
        due_at=now + int(delay * (0.75 + stage.clock.random() / 2)) if again else None,
        attempts=task.attempts + 1,
        sent=here,
        also=also,
    )
    await stage.probe(Point.AFTER_ANSWER_COMMIT)
    if not again and batch.staging_id is not None:
        await staging.remove_empty(stage.drive, batch.staging_id, stage.probe)


async def _already(
    task: Task, stage: Stage, record: Record, batch: Batch, answer: Answer, refused_before: bool
) -> Going | None:
    """An answer "already received" proves nothing about where: what lies in staging does."""
    unknown = replace(batch, phase=Phase.UNKNOWN, answer=answer.words)
    record = record.with_batch(unknown)
    seen = await see(stage, unknown, record.files[batch.id])
    if seen is not None and seen.complete:
        return await arrived(task, stage, record, unknown, seen)
    files = seen.files if seen is not None else record.files[batch.id]
    await stage.probe(Point.BEFORE_ANSWER_COMMIT)
    if refused_before:
        due = reconcile.next_look(unknown.sent or 0, stage.clock.now())
        await stage.move(task, due_at=due, also=lambda tx: batches.save(tx, unknown))
    else:
        evidence = await _evidence(stage, unknown)
        await hand_over(
            task, stage, unknown, files, Code.ALREADY_RECEIVED, detail={"evidence": evidence}, quiet=False
        )
    await stage.probe(Point.AFTER_ANSWER_COMMIT)
    return None


async def _evidence(stage: Stage, batch: Batch) -> list[dict[str, Any]]:
    """The newest lines of the drive's receive history: where the files may be."""
    try:
        lines = await stage.drive.evidence((batch.sent or 0) - reconcile.WATCH_MS)
    except ReelayError:
        return []
    return [{"name": line.name[:120], "size": line.size, "folder": line.folder[:120]} for line in lines[:3]]
