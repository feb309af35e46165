"""The one decision, for production and preview: filters, identification, duplicates, opinions, the source's approval.

Every reason is collected. The gravest verdict wins: reject, then skip, then ask, then save.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..model.context import ShareFacts
from ..model.decision import Code, Decision, Reason, Signals, Verdict
from ..model.offer import Kind, Parsed, Work, expand
from ..policy.schema import Approval, Policy
from . import filters
from .stored import NOTHING, StoredView, wanted

_GRAVITY = {verdict: place for place, verdict in enumerate(Verdict)}
#: Questions a general yes doesn't answer: without a title or a kind nothing can be filed.
_UNANSWERED = frozenset({Code.NO_TITLE, Code.KIND_UNKNOWN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What one decider (a plugin, a subscription, a preference) thinks, and why."""

    verdict: Verdict
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    parsed: Parsed
    work: Work | None
    share: ShareFacts | None
    signals: Signals
    policy: Policy
    stored: StoredView
    person_wanted: bool

    @property
    def reliable(self) -> bool:
        """Whether the identification can carry a decision without a person."""
        return self.work is not None and self.signals.total >= self.policy.confidence


def decide(
    parsed: Parsed,
    work: Work | None,
    share: ShareFacts | None,
    signals: Signals,
    policy: Policy,
    *,
    stored: StoredView = NOTHING,
    plugin_opinions: Sequence[Opinion] = (),
    person_wanted: bool = False,
    approved: bool = False,
) -> Decision:
    """Decide about one offer.

    `person_wanted`: a person handed it in, so duplicates ask instead of skipping. `approved`: a person has answered
    yes. That settles what can be asked; it brings back neither adverts nor what the owner's filters refuse, and not
    what has been stored for sure meanwhile.
    """
    case = _Case(
        parsed=parsed,
        work=work,
        share=share,
        signals=signals,
        policy=policy,
        stored=stored,
        person_wanted=person_wanted,
    )
    found = [*filters.apply(filters.Facts(parsed=parsed, share=share, policy=policy))]
    if not found:
        found += _identification(case)
        found += _duplicates(case)
        found += [(opinion.verdict, opinion.reason) for opinion in plugin_opinions]
        found += _approval(case)
    if approved:
        found = [*_answered(found), (Verdict.SAVE, Reason(code=Code.APPROVED))]
    return _sum(found)


def _identification(case: _Case) -> Iterator[tuple[Verdict, Reason]]:
    parsed = case.parsed
    if not parsed.title:
        yield Verdict.ASK, Reason(code=Code.NO_TITLE)
    if parsed.kind is None:
        yield Verdict.ASK, Reason(code=Code.KIND_UNKNOWN)
    if parsed.failed_model:
        yield Verdict.ASK, Reason(code=Code.MODEL_FAILED)
    if not case.reliable:
        data = {"confidence": case.signals.total, "needed": case.policy.confidence}
        yield Verdict.ASK, Reason(code=Code.LOW_CONFIDENCE, data=data)
        if parsed.kind is Kind.SERIES and not (parsed.episodes or parsed.complete):
            yield Verdict.ASK, Reason(code=Code.NO_EPISODES)
        if case.share is not None and case.share.missing is not None:
            yield Verdict.ASK, Reason(code=Code.NOT_READ, data={"why": case.share.missing})


def _duplicates(case: _Case) -> Iterator[tuple[Verdict, Reason]]:
    """A hit skips only where share or work are surely the same and nobody asked for this offer."""
    skip = Verdict.ASK if case.person_wanted else Verdict.SKIP
    if case.stored.seen or (case.share is not None and case.share.newer == 0):
        yield skip, Reason(code=Code.NOTHING_NEW)
    named = wanted(case.parsed)
    if named and named <= case.stored.pairs and not _more_files_than_named(case):
        verdict = skip if case.reliable else Verdict.ASK
        code = Code.ALL_STORED if case.reliable else Code.MAYBE_STORED
        yield verdict, Reason(code=code, data={"episodes": len(named)})
    elif unsure := _unsure(case, named):
        yield Verdict.ASK, Reason(code=Code.MAYBE_STORED, data={"episodes": len(unsure)})


def _unsure(case: _Case, named: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """What may be stored of the offer: all that may be of the work, where the words don't say what is in it."""
    return case.stored.weak & named if named and not _more_files_than_named(case) else case.stored.weak


def _more_files_than_named(case: _Case) -> bool:
    """A share that holds more videos than its message names may hold new episodes: its files decide later."""
    if case.share is None or case.parsed.kind is not Kind.SERIES:
        return False
    numbers = len(expand(case.parsed.episodes)) or case.parsed.declared_total or 0
    return case.share.videos > numbers


def _approval(case: _Case) -> Iterator[tuple[Verdict, Reason]]:
    """The source's own rule. What a person handed in needs no subscription, but an owner's "always ask" is meant."""
    wanted_by = Reason(code=Code.PERSON_WANTED)
    if case.policy.approval is Approval.ALWAYS:
        yield Verdict.ASK, Reason(code=Code.SOURCE_ALWAYS_ASKS)
    elif case.policy.approval is Approval.SUBSCRIBED:
        if case.person_wanted:
            yield Verdict.SAVE, wanted_by
        else:
            yield Verdict.ASK, Reason(code=Code.SOURCE_ALWAYS_ASKS)
    elif case.reliable:
        automatic = Reason(code=Code.AUTOMATIC, data={"confidence": case.signals.total})
        yield Verdict.SAVE, wanted_by if case.person_wanted else automatic


def _answered(found: Iterable[tuple[Verdict, Reason]]) -> Iterator[tuple[Verdict, Reason]]:
    return (
        (verdict, reason)
        for verdict, reason in found
        if verdict is not Verdict.ASK or reason.code in _UNANSWERED
    )


def _sum(found: Sequence[tuple[Verdict, Reason]]) -> Decision:
    """The gravest verdict, with its own reasons first; an empty list means that somebody has to look."""
    verdict = min((verdict for verdict, _ in found), key=_GRAVITY.__getitem__, default=Verdict.ASK)
    ordered = sorted(found, key=lambda pair: _GRAVITY[pair[0]])
    return Decision(verdict=verdict, reasons=tuple(reason for _, reason in ordered))
