"""The first half of the transfer stage: from a queued task to a manifest with claims, or to a question."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..model.context import PipelineContext
from ..model.decision import Code, Problem, Reason
from ..model.errors import Permanent
from ..model.points import Point
from ..model.share import Phase
from ..model.states import State
from ..model.task import LANE, Task
from ..select.outcome import Problems
from ..store import batches, claims as claim_rows, messages
from ..store.database import Tx
from ..transfer import prepare, staging
from ..transfer.claims import Taken
from ..transfer.prepare import Drawn, Order, Paper, Run
from ..transfer.record import Record
from ..understand.links import links
from .landing import straight_on
from .stage import Stage
from .transition import Recorder, Step

#: A task that waits for another's claims is woken; this is for a wake-up that got lost.
WAIT_MS = 24 * 3_600_000
#: A person who approved despite one of these wants it although it's there.
_THERE = frozenset({Code.ALL_STORED, Code.MAYBE_STORED, Code.NOTHING_NEW})
_PROBLEMS = 12
_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Going:
    """A task on its way with its transfer record. `seen` are files known as stored when it was prepared."""

    task: Task
    record: Record
    seen: frozenset[str] | None = None


async def prepared(task: Task, stage: Stage, record: Record, run: Run) -> Going | None:
    """List anew, select, write the manifest and take the claims; None where the task doesn't go on now."""
    order = await _order(task, stage)
    drawn = await prepare.draw_up(stage.db, stage.drive, order, run)
    if isinstance(drawn, Problems):
        await _ask(task, stage, record, drawn.problems)
        return None
    if not drawn.parts:
        await _nothing_new(task, stage, record, drawn)
        return None
    try:
        return await _write_down(task, stage, record, order, drawn)
    except Taken as taken:
        await _wait(task, stage, taken.task)
        return None


async def _order(task: Task, stage: Stage) -> Order:
    context = task.context
    if context.parsed is None or context.work is None:
        raise Permanent(Code.NO_TITLE)
    offer = context.offer
    row = None
    if offer.share is None:
        row = await stage.db.read(lambda tx: messages.get(tx, task.message))
    reasons = context.decision.reasons if context.decision is not None else ()
    return Order(
        task=task.id,
        offer=offer,
        parsed=context.parsed,
        work=context.work,
        policy=stage.policy,
        links=links(row.message).ed2k if row is not None else (),
        assignments=context.assignments,
        again=context.approved and any(reason.code in _THERE for reason in reasons),
        approved=context.approved,
    )


async def _write_down(task: Task, stage: Stage, record: Record, order: Order, drawn: Drawn) -> Going:
    """One transaction where the manifest is small; otherwise a draft in slices, then the flip with all claims."""
    names = [stage.clock.token() for _ in drawn.parts]
    now = stage.clock.now()
    papers: list[Paper] = []
    results: list[Record] = []

    def begin(tx: Tx) -> None:
        papers.append(prepare.begin(tx, order, drawn, names, now))

    def flip(tx: Tx) -> None:
        results.append(prepare.flip(tx, papers[-1], drawn))

    def all_at_once(tx: Tx) -> None:
        begin(tx)
        for batch, part in zip(papers[-1].batches, drawn.parts, strict=True):
            batches.add_files(tx, batch.id, prepare.manifest(batch, part, papers[-1].works))
        flip(tx)

    large = drawn.files > prepare.SLICE
    if large:
        task = await stage.move(task, also=begin)
        paper = papers[-1]
        for batch, part in zip(paper.batches, drawn.parts, strict=True):
            rows = prepare.manifest(batch, part, paper.works)
            task = await stage.move(task, also=_adding(batch.id, rows))
    await stage.probe(Point.BEFORE_PREPARE_COMMIT)
    task = await stage.move(
        task, context=_with_facts(task.context, drawn), also=flip if large else all_at_once
    )
    await stage.probe(Point.AFTER_PREPARE_COMMIT)
    new = results[-1]
    kept = tuple(batch for batch in record.batches if batch.phase is Phase.LANDED)
    files = {batch.id: record.files[batch.id] for batch in kept} | new.files
    whole = Record(batches=(*kept, *new.batches), files=files, works=record.works | new.works)
    return Going(task=task, record=whole, seen=None if order.again else drawn.seen)


def _adding(batch: int, rows: Sequence[Any]) -> Any:
    return lambda tx: batches.add_files(tx, batch, rows)


def _with_facts(context: PipelineContext, drawn: Drawn) -> PipelineContext:
    newer = context.share.newer if context.share is not None else None
    share = drawn.facts.model_copy(update={"newer": newer, "title": drawn.facts.title[:200]})
    return context.model_copy(update={"share": share, "problems": ()})


async def _wait(task: Task, stage: Stage, holder: int) -> None:
    """Wait for the task that holds what is wanted, holding nothing meanwhile."""
    due = stage.clock.now() + WAIT_MS

    def change(tx: Tx, recorder: Recorder) -> None:
        holds = claim_rows.holds(tx, holder)
        recorder.move(
            tx,
            task,
            (),
            actor=LANE,
            due_at=due if holds else None,
            waits_for=holder if holds else None,
            also=lambda tx: _drop(tx, task.id),
        )
        if holds:
            recorder.remark(tx, task, Code.WAITS_FOR_TASK, {"task": holder})

    await stage.mover.commit(change)


def _drop(tx: Tx, task: int) -> None:
    prepare.drop_preparation(tx, task)


async def _nothing_new(task: Task, stage: Stage, record: Record, drawn: Drawn) -> None:
    """All of it is stored or came before: skipped, or on with what has landed of it already."""
    landed = tuple(batch for batch in record.batches if batch.phase is Phase.LANDED)
    if landed:
        task = await stage.move(task, also=lambda tx: _drop(tx, task.id))
        await straight_on(task, stage, replace(record, batches=landed))
        return
    words = set(drawn.selection.dropped.values())
    code = Code.ALL_STORED if "stored" in words else Code.NOTHING_NEW
    await stage.move(
        task,
        Step(to=State.SKIPPED, code=code, detail={"files": len(drawn.selection.dropped)}),
        also=lambda tx: _drop(tx, task.id),
    )
    for batch in record.batches:
        if batch.staging_id is not None:
            await staging.remove_empty(stage.drive, batch.staging_id, stage.probe)


async def _ask(task: Task, stage: Stage, record: Record, problems: Sequence[Problem]) -> None:
    """Rules can't decide: nothing is transferred, and a person sees which files it is about."""
    reasons = tuple(map(_reason, problems[:_PROBLEMS]))
    landed = any(batch.phase is Phase.LANDED for batch in record.batches)
    path = [State.FAILED]
    if landed:
        path = [State.NEED_MANUAL] if task.state is State.SAVING else [State.SAVING, State.NEED_MANUAL]
    first = reasons[0]
    await stage.move(
        task,
        *(Step(to=state, code=first.code, detail=first.data) for state in path),
        context=task.context.model_copy(update={"problems": reasons}),
        retry_from=None if landed else State.QUEUED,
        sent=landed,
        lane=None,
        also=lambda tx: _drop(tx, task.id),
    )


def _reason(problem: Problem) -> Reason:
    data: dict[str, Any] = {"files": list(problem.paths[:_NAMED]), "count": len(problem.paths)}
    if problem.season is not None:
        data["season"] = problem.season
    if problem.episode is not None:
        data["episode"] = problem.episode
    return Reason(code=problem.code, data=data)
