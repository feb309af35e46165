"""The only place that changes a task for a person: services, phones, dashboards and assistants all call this.

Every command answers with the task as it is afterwards, or raises `CommandError` with a key that the face
translates. A command that lost the race against a lane or another person changes nothing.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from .model.context import Assignment, Correction, PipelineContext
from .model.decision import Code, Decision, Reason, Verdict
from .model.errors import CommandError, ReelayError
from .model.offer import Kind
from .model.states import Action, Lane, State, actions, allowed
from .model.task import Actor, Task
from .pipeline import recheck
from .pipeline.intake import Intake
from .pipeline.mover import Mover
from .pipeline.stage import Stage
from .pipeline.transition import Moved, Recorder, Step
from .pipeline.views import task_view
from .policy.schema import Conflict, Policy
from .ports import Clock, Settings
from .priority import interactive
from .sources import inbox
from .store import messages, policies, tasks
from .store.database import Database, Tx
from .transfer.prepare import drop_preparation
from .understand import corrections, links

View = dict[str, Any]


class Commands:
    """What a person can do. `actor` comes first everywhere; ids of tasks are numbers."""

    def __init__(
        self,
        *,
        db: Database,
        clock: Clock,
        mover: Mover,
        intake: Intake,
        settings: Settings,
        stage_for: Callable[[Task], Awaitable[Stage | str]],
    ) -> None:
        self._db = db
        self._clock = clock
        self._mover = mover
        self._intake = intake
        self._settings = settings
        self._stage_for = stage_for

    async def approve(self, actor: Actor, task: int, *, round: int | None = None) -> View:
        """Say yes to a waiting question."""

        def change(tx: Tx, recorder: Recorder, now: Task) -> Task:
            context = now.context.model_copy(update={"approved": True, "problems": ()})
            step = Step(to=State.QUEUED, code=Code.APPROVED)
            return recorder.move(
                tx, now, (step,), actor=actor, context=context, due_at=None, attempts=0, interactive=True
            )

        return await self._change(actor, task, Action.APPROVE, change, round)

    async def ignore(self, actor: Actor, task: int, *, round: int | None = None) -> View:
        """Say no to a waiting question."""

        def change(tx: Tx, recorder: Recorder, now: Task) -> Task:
            context = now.context.model_copy(update={"decision": _person_skips(Code.IGNORED)})
            step = Step(to=State.SKIPPED, code=Code.IGNORED)
            return recorder.move(tx, now, (step,), actor=actor, context=context)

        return await self._change(actor, task, Action.IGNORE, change, round)

    async def correct(
        self,
        actor: Actor,
        task: int,
        *,
        text: str | None = None,
        round: int | None = None,
        title: str | None = None,
        year: int | None = None,
        kind: str | None = None,
        season: int | None = None,
        tmdb_id: int | None = None,
    ) -> View:
        """Say what the offer really is, in words or by fields; it is identified anew with that."""
        said = corrections.read(text) if text is not None else Correction()
        fields: dict[str, Any] = {"title": title, "year": year, "kind": kind, "tmdb_id": tmdb_id}
        fields = {name: value for name, value in fields.items() if value is not None}
        if season is not None:
            fields["seasons"] = (season,)
        correction = said.model_copy(update=fields) if said else Correction(**fields)
        if correction == Correction() or (kind is not None and kind not in set(Kind)):
            raise CommandError("bad_correction")

        def change(tx: Tx, recorder: Recorder, now: Task) -> Task:
            whole = _added(now.context.correction, correction)
            return self._restart(tx, recorder, now, actor, Code.CORRECTED, correction=whole)

        return await self._change(actor, task, Action.CORRECT, change, round)

    async def reidentify(self, actor: Actor, task: int) -> View:
        """Start anew with today's configuration."""

        def change(tx: Tx, recorder: Recorder, now: Task) -> Task:
            return self._restart(tx, recorder, now, actor, Code.REIDENTIFIED)

        return await self._change(actor, task, Action.REIDENTIFY, change)

    async def retry(self, actor: Actor, task: int) -> View:
        """Try a failed task again from where it failed."""

        def change(tx: Tx, recorder: Recorder, now: Task) -> Task:
            step = Step(to=now.retry_from or State.RECEIVED, code=Code.RETRIED)
            return recorder.move(tx, now, (step,), actor=actor, due_at=None, attempts=0, interactive=True)

        return await self._change(actor, task, Action.RETRY, change)

    async def reorganize(self, actor: Actor, task: int, *, conflict: str | None = None) -> View:
        """File what was received again, with today's names; `conflict` answers a name conflict."""
        if conflict is not None and conflict not in set(Conflict) - {Conflict.ASK}:
            raise CommandError("bad_conflict")

        def change(tx: Tx, recorder: Recorder, now: Task) -> Task:
            policy = policies.put(tx, self._policy_of(now))
            back = (State.QUEUED, State.SAVING, State.STORED)
            path = back if now.state is State.NEED_MANUAL else (State.STORED,)
            return recorder.move(
                tx,
                now,
                tuple(Step(to=state, code=Code.REORGANIZED) for state in path),
                actor=actor,
                context=now.context.model_copy(update={"conflict": conflict, "problems": ()}),
                policy=policy,
                due_at=None,
                attempts=0,
                interactive=True,
                also=lambda tx: recheck.forget_plan(tx, now.id),
            )

        return await self._change(actor, task, Action.REORGANIZE, change)

    async def assign_files(self, actor: Actor, task: int, *, files: Sequence[Mapping[str, Any]]) -> View:
        """Say which season and episode each named file is, or that it is left out."""
        try:
            given = tuple(Assignment.model_validate(dict(file)) for file in files)
        except ValidationError as err:
            raise CommandError("bad_assignment", path=str(err.errors()[0]["loc"])) from err
        if not given:
            raise CommandError("bad_assignment", path="-")

        def change(tx: Tx, recorder: Recorder, now: Task) -> Task:
            known = {each.path: each for each in now.context.assignments}
            merged = tuple((known | {each.path: each for each in given}).values())
            context = now.context.model_copy(update={"assignments": merged, "problems": ()})
            return self._go_on(tx, recorder, now, actor, Code.FILES_ASSIGNED, context)

        return await self._change(actor, task, Action.ASSIGN_FILES, change)

    async def receive_code(self, actor: Actor, task: int, *, code: str) -> View:
        """Give the access code that the message lacked or had wrong."""
        code = code.strip()
        if not (1 <= len(code) <= 16 and code.isascii() and code.isalnum()):
            raise CommandError("bad_receive_code")

        def change(tx: Tx, recorder: Recorder, now: Task) -> Task:
            offer = now.context.offer
            if offer.share is None:
                raise CommandError("bad_receive_code")
            share = offer.share.model_copy(update={"receive_code": code})
            context = now.context.model_copy(update={"offer": offer.model_copy(update={"share": share})})
            if now.state is State.PENDING_APPROVAL:
                return self._restart(tx, recorder, now, actor, Code.CODE_GIVEN, context=context)
            return self._go_on(tx, recorder, now, actor, Code.CODE_GIVEN, context)

        return await self._change(actor, task, Action.RECEIVE_CODE, change)

    async def abandon(self, actor: Actor, task: int) -> View:
        """Give a task up: claims end, nothing is deleted, an unclear send is still watched."""

        def change(tx: Tx, recorder: Recorder, now: Task) -> Task:
            watch = recheck.abandon_effects(tx, now, recorder.now)
            return recorder.move(
                tx,
                now,
                (Step(to=State.SKIPPED, code=Code.ABANDONED),),
                actor=actor,
                context=now.context.model_copy(update={"decision": _person_skips(Code.ABANDONED)}),
                lane=Lane.RECHECK if watch is not None else None,
                due_at=watch,
            )

        return await self._change(actor, task, Action.ABANDON, change)

    async def verify(self, actor: Actor, task: int, *, accept_partial: bool = False) -> View:
        """Read now whether the files have arrived, pause or not; accept what is complete if told so."""
        with interactive():
            now = await self._get(task)
            self._check(now, Action.VERIFY, None)
            stage = await self._stage_for(now)
            if isinstance(stage, str):
                raise CommandError("plugin_missing", plugin=stage)
            try:
                result = await recheck.verify(now, stage, accept_partial=accept_partial, actor=actor)
            except Moved as err:
                raise await self._handled(task) from err
            except ReelayError as err:
                raise CommandError("drive_error", reason=err.code.value) from err
            found = {"found": result.found, "missing": list(result.missing)}
            return task_view(await self._get(task)) | {"verify": found}

    async def ingest(self, actor: Actor, *, text: str) -> View:
        """Take a text with links from a person; those that are being worked on answer with their task."""
        message = inbox.message(text, self._clock, person=actor.id)
        offers = links.offers(message)
        if not offers:
            raise CommandError("no_offer")
        with interactive():
            keys = tuple(offer.key for offer in offers)
            found = await self._db.read(lambda tx: {key: tasks.open_for_offer(tx, key) for key in keys})
            known = {key: open_[0].id for key, open_ in found.items() if open_}
            made: tuple[int, ...] = ()
            if len(known) < len(keys):
                made = await self._intake.take((message,), wanted_by=actor.id, without=known.keys())
            views = [task_view(await self._get(task)) for task in (*known.values(), *made)]
            return {"tasks": views, "known": not made}

    async def ingest_again(self, actor: Actor, task: int) -> View:
        """A linked follow-up of a task whose request was sent, after one last look at the old staging."""
        with interactive():
            now = await self._get(task)
            if not now.sent or now.state in (State.SAVING, State.STORED, State.ORGANIZING, State.QUEUED):
                raise self._refused(now, "ingest_again")
            if now.state is State.NEED_MANUAL and not now.received:
                await self.verify(actor, task)
                now = await self._get(task)
                if now.state is not State.NEED_MANUAL:
                    raise CommandError("already_landed", task_id=task)
                await self.abandon(actor, task)
            row = await self._db.read(lambda tx: messages.get(tx, now.message))
            copy = replace(row.message, person=actor.id)
            made = await self._intake.again(copy, row, now, actor)
            return task_view(await self._get(made))

    # -- how all of them work

    async def _change(
        self,
        actor: Actor,
        task: int,
        action: Action,
        change: Callable[[Tx, Recorder, Task], Task],
        round: int | None = None,
    ) -> View:
        def run(tx: Tx, recorder: Recorder) -> Task:
            now = tasks.get(tx, task)
            if now is None:
                raise CommandError("unknown_task", task_id=task)
            self._check(now, action, round)
            return change(tx, recorder, now)

        with interactive():
            try:
                return task_view(await self._mover.commit(run))
            except Moved as err:
                raise await self._handled(task) from err

    def _check(self, now: Task, action: Action, round: int | None) -> None:
        if round is not None and round != now.round:
            if allowed(action, now.standing):
                raise CommandError("old_round", task_id=now.id, round=round, current=now.round)
            raise CommandError("already_handled", task_id=now.id, state=now.state.value)
        if not allowed(action, now.standing):
            if round is not None:
                raise CommandError("already_handled", task_id=now.id, state=now.state.value)
            raise self._refused(now, action.value)

    def _refused(self, now: Task, action: str) -> CommandError:
        possible = ", ".join(each.value for each in actions(now.standing)) or "-"
        return CommandError(
            "not_allowed", task_id=now.id, action=action, state=now.state.value, allowed=possible
        )

    async def _handled(self, task: int) -> CommandError:
        return CommandError("already_handled", task_id=task, state=(await self._get(task)).state.value)

    async def _get(self, task: int) -> Task:
        found = await self._db.read(lambda tx: tasks.get(tx, task))
        if found is None:
            raise CommandError("unknown_task", task_id=task)
        return found

    def _policy_of(self, task: Task) -> Policy:
        return self._settings.source(task.source).policy

    def _restart(
        self,
        tx: Tx,
        recorder: Recorder,
        now: Task,
        actor: Actor,
        code: Code,
        *,
        correction: Correction | None = None,
        context: PipelineContext | None = None,
    ) -> Task:
        """Back to received with today's policy; a prepared manifest and its claims are dropped."""
        fresh = PipelineContext(
            offer=(context or now.context).offer,
            correction=correction or now.context.correction,
            assignments=now.context.assignments,
        )
        return recorder.move(
            tx,
            now,
            (Step(to=State.RECEIVED, code=code),),
            actor=actor,
            context=fresh,
            policy=policies.put(tx, self._policy_of(now)),
            due_at=None,
            attempts=0,
            interactive=True,
            wanted_by=now.wanted_by or actor.id,
            also=lambda tx: drop_preparation(tx, now.id),
        )

    def _go_on(
        self,
        tx: Tx,
        recorder: Recorder,
        now: Task,
        actor: Actor,
        code: Code,
        context: PipelineContext,
    ) -> Task:
        """After a person's help before a send: an open question stays open, anything else goes on."""
        if now.state is State.PENDING_APPROVAL:
            return recorder.move(tx, now, (), actor=actor, context=context, due_at=now.due_at)
        to = State.QUEUED if now.state is State.NEED_MANUAL else (now.retry_from or State.QUEUED)
        return recorder.move(
            tx,
            now,
            (Step(to=to, code=code),),
            actor=actor,
            context=context,
            due_at=None,
            attempts=0,
            interactive=True,
            also=lambda tx: drop_preparation(tx, now.id),
        )


def _added(before: Correction | None, now: Correction) -> Correction:
    """What was said before still counts, unless a new title speaks of another work."""
    if before is None or now.title is not None:
        return now
    return before.model_copy(update=now.model_dump(exclude_defaults=True))


def _person_skips(code: Code) -> Decision:
    return Decision(verdict=Verdict.SKIP, reasons=(Reason(code=code),))
