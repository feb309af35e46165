"""The identify stage: what a message offers, whether it is wanted, and where the task goes from here.

Stage and preview share `conclude`; only the stage moves a task.
"""

from collections.abc import Iterable, Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..decide import stored
from ..decide.decide import Opinion as DeciderOpinion, decide
from ..model.context import PipelineContext, ShareFacts
from ..model.decision import Code, Decision, Reason, Verdict
from ..model.errors import Busy, ReelayError, Scope
from ..model.message import Message
from ..model.offer import Offer, ShareRef
from ..model.share import Listing
from ..model.states import Lane, State
from ..model.task import Task
from ..plugin_api import ExtensionPoint
from ..select.select import Problems, select
from ..store import batches, messages
from ..understand.identify import Identified, identify, revised
from .opinions import failures, keep_states, reason_of, results
from .panel import Panel
from .plugins import Opinion
from .stage import Stage
from .transition import Step

DAY_MS = 86_400_000

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
    failed = failures(conclusion.opinions)
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
    if failed and not steps:
        detail["plugins_failed"] = failed
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
    panel = Panel(stage, message, task)
    before = await panel.ask(ExtensionPoint.BEFORE_PARSE, context)
    vetoes = [opinion for opinion in before if opinion.verdict is Verdict.SKIP]
    if vetoes:
        decision = Decision(verdict=Verdict.SKIP, reasons=tuple(map(reason_of, vetoes)))
        done = context.model_copy(update={"decision": decision, "plugins": results(panel.opinions)})
        return Conclusion(context=done, decision=decision, opinions=tuple(panel.opinions))
    looked = _Look(stage, context.offer)
    fields = panel.fields(await panel.ask(ExtensionPoint.PARSER, context))
    found = await identify(
        message,
        context.offer,
        stage.policy,
        correction=context.correction,
        fields=fields,
        look=looked.look if looked.possible else None,
        earlier=looked.earlier,
    )
    context = _merged(context, found, looked)
    after = await panel.ask(ExtensionPoint.AFTER_PARSE, context, looked.listing)
    if better := panel.fields(after):
        found = revised(found, better, context.correction)
        context = _merged(context, found, looked)
    deciders = await panel.ask(ExtensionPoint.DECIDER, context, looked.listing)
    decision = await _decision(stage, context, found, (*after, *deciders), task)
    if looked.error is not None and decision.verdict not in (Verdict.SKIP, Verdict.REJECT):
        # A share that can't be read is no question for a person; one that nobody wants is no fault.
        raise looked.error
    context = context.model_copy(update={"decision": decision, "plugins": results(panel.opinions)})
    reasons = {reason.code for reason in decision.reasons}
    only_unread = decision.verdict is Verdict.SAVE or (
        Code.NOT_READ in reasons and reasons <= {Code.NOT_READ, Code.LOW_CONFIDENCE}
    )
    return Conclusion(
        context=context,
        decision=decision,
        opinions=tuple(panel.opinions),
        listing=looked.listing,
        waits=looked.shut and only_unread,
    )


async def _decision(
    stage: Stage,
    context: PipelineContext,
    found: Identified,
    opinions: Iterable[Opinion],
    task: Task | None,
) -> Decision:
    policy = stage.policy
    view = await stage.db.read(
        lambda tx: stored.view(tx, policy.provider, policy.root, found.work, context.offer)
    )
    return decide(
        found.parsed,
        found.work,
        context.share,
        found.signals,
        policy,
        stored=view,
        # A plugin's "save" widens nothing, so it is no reason for anything.
        plugin_opinions=[
            DeciderOpinion(verdict=opinion.verdict, reason=reason_of(opinion))
            for opinion in opinions
            if opinion.verdict in (Verdict.SKIP, Verdict.ASK)
        ],
        person_wanted=bool(task and task.wanted_by),
        approved=context.approved,
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
