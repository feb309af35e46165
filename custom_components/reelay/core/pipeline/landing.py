"""The move that follows a landing: receipt, library, end of claims and the plan of filing, in one transaction."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..model.decision import Code
from ..model.points import Point
from ..model.share import Batch, ManifestFile, Phase
from ..model.states import State
from ..model.task import LANE, Actor, Task
from ..store.database import Tx
from ..transfer import filing, receipt
from ..transfer.record import Record
from .stage import Stage
from .transition import Step

#: The edges that lead from a state to `saving`.
_TO_SAVING = {
    State.NEED_MANUAL: (State.QUEUED, State.SAVING),
    State.QUEUED: (State.SAVING,),
    State.SAVING: (),
}


async def landed(
    task: Task,
    stage: Stage,
    record: Record,
    batch: Batch,
    files: tuple[ManifestFile, ...],
    *,
    code: Code = Code.LANDED,
    detail: dict[str, Any] | None = None,
    actor: Actor = LANE,
) -> tuple[Task, Record]:
    """Write a batch's receipt and move its task on: to the next batch, or to the library if it was the last.

    `files` have their received ids; what has none is missing and was accepted as such.
    """
    others = [name for name in record.all_files() if name.batch != batch.id]
    taken = [(file.folder, file.name) for file in others if file.folder and file.name]
    planned = filing.plan(files, record.works, stage.policy, taken)
    after = record.with_batch(replace(batch, phase=Phase.LANDED), planned)
    now = stage.clock.now()
    steps = _steps(task, stage, after, code, {"batch": batch.n, "files": len(files)} | (detail or {}))

    def also(tx: Tx) -> None:
        receipt.record(tx, batch, planned, now)
        if after.landed:
            _resource(tx, task, batch)

    await stage.probe(Point.BEFORE_RECEIPT_COMMIT)
    moved = await stage.move(
        task,
        *steps,
        actor=actor,
        received=after.landed,
        sent=True,
        attempts=0,
        context=_settled(task),
        also=also,
    )
    await stage.probe(Point.AFTER_RECEIPT_COMMIT)
    return moved, after


async def straight_on(
    task: Task,
    stage: Stage,
    record: Record,
    *,
    code: Code = Code.LANDED,
    detail: dict[str, Any] | None = None,
    actor: Actor = LANE,
    also: Callable[[Tx], None] | None = None,
) -> Task:
    """Everything has a receipt: to the library without asking the drive anything."""
    steps = _steps(task, stage, record, code, {"files": len(record.all_files())} | (detail or {}))

    def write(tx: Tx) -> None:
        _resource(tx, task, record.batches[-1])
        if also is not None:
            also(tx)

    await stage.probe(Point.BEFORE_RECEIPT_COMMIT)
    moved = await stage.move(
        task, *steps, actor=actor, received=True, attempts=0, context=_settled(task), also=write
    )
    await stage.probe(Point.AFTER_RECEIPT_COMMIT)
    return moved


def _steps(task: Task, stage: Stage, record: Record, code: Code, detail: dict[str, Any]) -> tuple[Step, ...]:
    """The path from the task's state; with batches still to be sent it ends where they are sent."""
    to_saving = _TO_SAVING[task.state]
    if not record.landed:
        return tuple(Step(to=state, code=code, detail=detail) for state in to_saving[:1])
    steps = [Step(to=state, code=code, detail=detail) for state in (*to_saving, State.STORED)]
    planned = all(file.placed is not None for file in record.all_files() if file.received_id is not None)
    if planned and stage.gates.closed(stage.drive.name) is None:
        steps.append(Step(to=State.ORGANIZING, code=Code.ORGANIZING))
    return tuple(steps)


def _settled(task: Task) -> Any:
    """The context without a question that has been answered by what landed."""
    return task.context.model_copy(update={"problems": ()}) if task.context.problems else None


def _resource(tx: Tx, task: Task, batch: Batch) -> None:
    share = task.context.share
    receipt.resource(tx, batch, task.offer, share.files_hash if share is not None else "")
