"""The identify stage: what a message offers, whether it is wanted, and where the task goes from here.

Stage and preview share `conclude`; only the stage moves a task.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import ValidationError

from ..decide import stored
from ..decide.decide import Opinion as DeciderOpinion, decide
from ..model.context import PipelineContext, ShareFacts
from ..model.decision import Code, Decision, Reason, Verdict
from ..model.errors import Busy, ReelayError, Scope
from ..model.message import Message
from ..model.offer import Offer, Parsed, ShareRef
from ..model.share import Listing
from ..model.states import Lane, State
from ..model.task import Task
from ..plugin_api import ExtensionPoint, TaskView
from ..select.select import Problems, select
from ..store import batches, messages, plugin_state
from ..understand.identify import Identified, identify
from .opinions import keep_states, reason_of, results, task_view
from .plugins import Opinion
from .stage import Stage
from .transition import Step

DAY_MS = 86_400_000
#: Fields of `Parsed` that a plugin may correct.
_CORRECTABLE = frozenset({"title", "original_title", "year", "kind", "seasons", "tmdb_id"})

_LEADS_TO = {
    Verdict.REJECT: State.REJECTED,
    Verdict.SKIP: State.SKIPPED,
    Verdict.ASK: State.PENDING_APPROVAL,
    Verdict.SAVE: State.QUEUED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What was concluded about an offer. `waits` says that only the share's pre-read is missing."""

    context: PipelineContext
    decision: Decision
    opinions: tuple[Opinion, ...] = ()
    listing: Listing | None = None
    waits: bool = False


async def run(task: Task, stage: Stage) -> None:
    """The lane's handler for tasks in received, and in parsed where they waited for the share's pre-read."""
    row = await stage.db.read(lambda tx: messages.get(tx, task.message))
    conclusion = await conclude(row.message, task.context, stage, task=task)
    context, decision = conclusion.context, conclusion.decision
    failed = [f"{opinion.plugin}: {opinion.error}" for opinion in conclusion.opinions if opinion.error]
    steps: tuple[Step, ...] = ()
    if task.state is State.RECEIVED:
        steps = (Step(to=State.PARSED, code=Code.IDENTIFIED, detail=_traced(context, failed)),)
    also = partial(keep_states, task=task.id, opinions=conclusion.opinions)
    title = context.work.title if context.work else None
    if conclusion.waits:
        await stage.move(
            task, *steps, context=context, title=title, lane=Lane.TRANSFER, due_at=None, also=also
        )
        return
    first = decision.reasons[0] if decision.reasons else Reason(code=Code.IDENTIFIED)
    end = _LEADS_TO[decision.verdict]
    detail = dict(first.data)
    if len(decision.reasons) > 1:
        detail["also"] = [reason.code.value for reason in decision.reasons[1:]]
    steps += (Step(to=end, code=first.code, detail=detail),)
    due = None
    if end is State.PENDING_APPROVAL and stage.policy.approval_days > 0:
        due = stage.clock.now() + int(stage.policy.approval_days * DAY_MS)
    lane = {"lane": None} if end is State.PENDING_APPROVAL and due is None else {}
    await stage.move(task, *steps, context=context, title=title, due_at=due, attempts=0, also=also, **lane)


async def time_out(task: Task, stage: Stage) -> None:
    """The approval lane's handler: a question that nobody answered in time is skipped."""
    reason = Reason(code=Code.APPROVAL_TIMEOUT, data={"days": stage.policy.approval_days})
    decision = Decision(verdict=Verdict.SKIP, reasons=(reason,))
    await stage.move(
        task,
        Step(to=State.SKIPPED, code=reason.code, detail=reason.data),
        context=task.context.model_copy(update={"decision": decision}),
    )


async def preview(message: Message, offer: Offer, stage: Stage) -> dict[str, Any]:
    """Everything `conclude` says about an offer, and which files would be chosen, as JSON values."""
    try:
        conclusion = await conclude(message, PipelineContext(offer=offer), stage)
    except ReelayError as err:
        return {"error": err.code.value, "detail": err.data}
    context = conclusion.context
    result: dict[str, Any] = {
        "parsed": context.parsed.model_dump(mode="json", exclude_defaults=True) if context.parsed else None,
        "work": context.work.model_dump(mode="json", exclude_defaults=True) if context.work else None,
        "share": context.share.model_dump(mode="json") if context.share else None,
        "signals": context.signals.model_dump(mode="json") if context.signals else None,
        "decision": conclusion.decision.model_dump(mode="json"),
        "plugins": [{"plugin": each.plugin, "error": each.error} for each in conclusion.opinions],
    }
    if conclusion.listing is not None and context.parsed and context.work:
        chosen = select(conclusion.listing.files, context.parsed, context.work, ())
        if isinstance(chosen, Problems):
            result["problems"] = [
                {"code": problem.code.value, "files": list(problem.paths)} for problem in chosen.problems
            ]
        else:
            result["files"] = [
                {"path": file.path, "season": file.season, "episode": file.episode} for file in chosen.files
            ]
    return result


async def conclude(
    message: Message, context: PipelineContext, stage: Stage, *, task: Task | None = None
) -> Conclusion:
    """Parse, look into the share, score and decide; reads only."""
    offer = context.offer
    before = await _ask(stage, ExtensionPoint.BEFORE_PARSE, message, context, task, None)
    vetoes = [opinion for opinion in before if opinion.verdict is Verdict.SKIP]
    if vetoes:
        decision = Decision(verdict=Verdict.SKIP, reasons=tuple(map(reason_of, vetoes)))
        done = context.model_copy(update={"decision": decision, "plugins": results(before)})
        return Conclusion(context=done, decision=decision, opinions=tuple(before))
    looked = _Look(stage, offer)
    found = await identify(
        message,
        offer,
        stage.policy,
        correction=context.correction,
        fields=await _fields(stage, message, context, task),
        look=looked.look if looked.possible else None,
        earlier=looked.earlier,
    )
    context = _merged(context, found, looked)
    after = await _ask(stage, ExtensionPoint.AFTER_PARSE, message, context, task, looked.listing)
    deciders = await _ask(stage, ExtensionPoint.DECIDER, message, context, task, looked.listing)
    opinions = (*before, *after, *deciders)
    policy = stage.policy
    view = await stage.db.read(lambda tx: stored.view(tx, policy.provider, policy.root, found.work))
    decision = decide(
        found.parsed,
        found.work,
        context.share,
        found.signals,
        policy,
        stored=view,
        plugin_opinions=[
            DeciderOpinion(verdict=opinion.verdict, reason=reason_of(opinion))
            for opinion in (*after, *deciders)
            if opinion.verdict is not None
        ],
        person_wanted=bool(task and task.wanted_by),
        approved=context.approved,
    )
    if looked.error is not None and decision.verdict not in (Verdict.SKIP, Verdict.REJECT):
        # A share that can't be read is no question for a person; one that nobody wants is no fault.
        raise looked.error
    context = context.model_copy(update={"decision": decision, "plugins": results(opinions)})
    reasons = {reason.code for reason in decision.reasons}
    only_unread = decision.verdict is Verdict.SAVE or (
        Code.NOT_READ in reasons and reasons <= {Code.NOT_READ, Code.LOW_CONFIDENCE}
    )
    return Conclusion(
        context=context,
        decision=decision,
        opinions=opinions,
        listing=looked.listing,
        waits=looked.shut and only_unread,
    )


class _Look:
    """The pre-read of a share: once, and only while the drive's gate is open."""

    def __init__(self, stage: Stage, offer: Offer) -> None:
        self._stage = stage
        gate = stage.gates.closed(stage.drive.name)
        self.listing: Listing | None = None
        self.error: ReelayError | None = None
        self._earlier: AbstractSet[str] | None = None
        self.missing = gate.reason.value if gate and offer.share else None
        self.possible = offer.share is not None and gate is None

    @property
    def shut(self) -> bool:
        """Whether the share could not be read because the drive answers nobody."""
        return self.missing is not None

    async def look(self, ref: ShareRef) -> Listing:
        """Read the share, anew where files came from it before: it may have grown meanwhile."""
        stage = self._stage
        try:
            fresh = bool(await self.earlier(ref))
            self.listing = await stage.inspector.look(stage.drive, ref, fresh=fresh)
        except Busy as err:
            if err.scope is Scope.ACCOUNT:
                stage.gates.close(stage.drive.name, err.code, err.until)
                self.missing = err.code.value
            else:
                self.error = err
            raise
        except ReelayError as err:
            self.error = err
            raise
        return self.listing

    async def earlier(self, ref: ShareRef) -> AbstractSet[str]:
        """The ids of this share's files that earlier manifests brought in."""
        if self._earlier is None:
            policy = self._stage.policy
            self._earlier = await self._stage.db.read(
                lambda tx: batches.manifested(tx, policy.provider, policy.root, ref.code)
            )
        return self._earlier


def _merged(context: PipelineContext, found: Identified, looked: _Look) -> PipelineContext:
    share = found.share
    if share is None and looked.missing is not None:
        share = ShareFacts(missing=looked.missing)
    return context.model_copy(
        update={
            "parsed": found.parsed,
            "work": found.work,
            "share": share,
            "signals": found.signals,
            "problems": (),
        }
    )


async def _fields(
    stage: Stage, message: Message, context: PipelineContext, task: Task | None
) -> dict[str, Any]:
    """What parser plugins say about the offer; later ones win, unusable values count for nothing."""
    fields: dict[str, Any] = {}
    for opinion in await _ask(stage, ExtensionPoint.PARSER, message, context, task, None):
        usable = {name: value for name, value in opinion.fields.items() if name in _CORRECTABLE}
        try:
            Parsed.model_validate({"is_media": True} | usable)
        except ValidationError:
            continue
        fields |= usable
    return fields


async def _ask(
    stage: Stage,
    point: ExtensionPoint,
    message: Message,
    context: PipelineContext,
    task: Task | None,
    listing: Listing | None,
) -> list[Opinion]:
    if not stage.plugins.at(point):
        return []

    async def view(plugin: str, settings: dict[str, Any]) -> TaskView:
        state = None
        if task is not None:
            state = await stage.db.read(lambda tx: plugin_state.get(tx, plugin, task.id))
        return task_view(message, context, task, listing, settings, state)

    return await stage.plugins.ask(point, stage.policy, view)


def _traced(context: PipelineContext, failed: list[str]) -> dict[str, Any]:
    detail: dict[str, Any] = {}
    if context.parsed is not None:
        detail["parser"] = context.parsed.parser
        if context.parsed.seasons or context.parsed.episodes:
            detail["seasons"] = list(context.parsed.seasons)
            detail["episodes"] = [list(run) for run in context.parsed.episodes[:10]]
    if failed:
        detail["plugins_failed"] = failed
    return detail
