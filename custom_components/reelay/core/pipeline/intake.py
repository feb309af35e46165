"""Intake: messages become durable rows with their tasks, in one transaction per batch of posts.

A message is known by (source, message id). An edit counts only where the facts in it changed: before a send
the same task starts a new round, afterwards only what is new becomes a follow-up task.
"""

import asyncio
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..model.context import PipelineContext
from ..model.decision import Code, Reason
from ..model.message import Message
from ..model.offer import Offer, Parsed
from ..model.states import Lane, State
from ..model.task import Actor, Task
from ..policy.schema import Policy
from ..ports import Clock, Settings
from ..store import marks, messages, policies, tasks
from ..store.database import Tx
from ..transfer.prepare import Run, drop_preparation
from ..understand import links, rules
from ..understand.prefilter import prefilter
from .mover import Mover
from .transition import Recorder, Step

BATCH = 16
#: Texts above this size are read off the event loop.
LONG_TEXT = 4_096
#: The key of the only task of a message that offers nothing.
NO_OFFER = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What intake reads out of a message before its transaction."""

    message: Message
    offers: tuple[Offer, ...]
    parsed: dict[str, Parsed]
    facts: str
    refusal: Reason | None
    policy: Policy


class Intake:
    """The sink of all sources. `deliver` returns when the messages and their tasks are durable.

    `run` executes what takes long off the event loop.
    """

    def __init__(self, mover: Mover, clock: Clock, settings: Settings, run: Run) -> None:
        self._mover = mover
        self._run = run
        self._clock = clock
        self._settings = settings

    async def deliver(self, batch: tuple[Message, ...]) -> None:
        """Persist messages of one source, oldest first."""
        await self.take(batch)

    async def take(
        self, batch: Sequence[Message], *, wanted_by: str | None = None, without: Container[str] = ()
    ) -> tuple[int, ...]:
        """As `deliver`, and answer with the ids of the tasks made or restarted; none for offers in `without`."""
        touched: list[int] = []
        for start in range(0, len(batch), BATCH):
            read = [await self._read(message, without) for message in batch[start : start + BATCH]]
            touched += await self._mover.commit(partial(_persist, batch=read, wanted_by=wanted_by))
        return tuple(touched)

    async def again(self, message: Message, known: messages.MessageRow, old: Task, actor: Actor) -> int:
        """A follow-up of one task with the same message, as its next revision; answers with its id."""
        read = await self._read(message)

        def create(tx: Tx, recorder: Recorder) -> int:
            last = messages.latest(tx, message.source, message.message_id)
            revision = (last or known).revision + 1
            row = messages.put(tx, message, revision=revision, facts_hash=read.facts, received=recorder.now)
            policy = policies.put(tx, read.policy)
            offer, code = old.context.offer, Code.INGESTED_AGAIN
            return _create(tx, recorder, read, row, offer, policy, actor.id, old.id, code=code)

        return await self._mover.commit(create)

    async def _read(self, message: Message, without: Container[str] = ()) -> _Read:
        policy = self._settings.source(message.source).policy
        # A lone surrogate can't be stored.
        message = replace(message, text=message.text.encode(errors="replace").decode())
        if len(message.text) > LONG_TEXT:
            return await self._run(partial(_read, message, policy, without))
        # Reading takes about a millisecond: in a burst others get their turn between two messages.
        await asyncio.sleep(0)
        return _read(message, policy, without)


def _read(message: Message, policy: Policy, without: Container[str]) -> _Read:
    offers = tuple(offer for offer in links.offers(message) if offer.key not in without)
    return _Read(
        message=message,
        offers=offers,
        parsed={offer.key: rules.parse(message, offer) for offer in offers},
        facts=links.facts_hash(message),
        refusal=prefilter(message, offers, policy),
        policy=policy,
    )


def _persist(tx: Tx, recorder: Recorder, batch: Sequence[_Read], wanted_by: str | None) -> list[int]:
    touched: list[int] = []
    for read in batch:
        message = read.message
        known = messages.latest(tx, message.source, message.message_id)
        if known is None:
            touched += _first(tx, recorder, read, wanted_by)
        elif known.facts_hash != read.facts:
            touched += _edited(tx, recorder, read, known)
    last = batch[-1].message
    marks.put(tx, f"source:{last.source}", last.message_id)
    return touched


def _first(tx: Tx, recorder: Recorder, read: _Read, wanted_by: str | None) -> list[int]:
    row = messages.put(tx, read.message, revision=0, facts_hash=read.facts, received=recorder.now)
    policy = policies.put(tx, read.policy)
    offers = read.offers or (Offer(key=NO_OFFER),)
    return [_create(tx, recorder, read, row, offer, policy, wanted_by, None) for offer in offers]


def _create(
    tx: Tx,
    recorder: Recorder,
    read: _Read,
    message: int,
    offer: Offer,
    policy: str,
    wanted_by: str | None,
    follows: int | None,
    *,
    code: Code = Code.RECEIVED,
) -> int:
    parsed = read.parsed.get(offer.key)
    number = tasks.insert(
        tx,
        message=message,
        source=read.message.source,
        offer=offer.key,
        state=State.RECEIVED,
        lane=Lane.IDENTIFY,
        interactive=wanted_by is not None,
        due_at=recorder.now,
        wanted_by=wanted_by,
        follows=follows,
        policy=policy,
        title=(parsed.title if parsed and parsed.title else _first_line(links.redact(read.message))),
        context=PipelineContext(offer=offer),
        now=recorder.now,
    )
    task = tasks.get(tx, number)
    if task is None:
        raise LookupError(f"task {number} is not there after its insert")
    actor = Actor(id=wanted_by or f"source:{read.message.source}")
    recorder.receive(tx, task, actor, code)
    if read.refusal is not None and follows is None:
        recorder.move(tx, task, refuse(read.refusal), actor=actor)
    return number


def refuse(reason: Reason) -> tuple[Step, Step]:
    """The path of an offer that needs no look: adverts are rejected, everything else is skipped."""
    end = State.REJECTED if reason.code is Code.ADVERT else State.SKIPPED
    return (
        Step(to=State.PARSED, code=Code.IDENTIFIED),
        Step(to=end, code=reason.code, detail=reason.data),
    )


def _edited(tx: Tx, recorder: Recorder, read: _Read, known: messages.MessageRow) -> list[int]:
    """Each offer by itself: what was sent stays as it is, what was not starts anew or is withdrawn."""
    posted = tasks.of_post(tx, read.message.source, read.message.message_id)
    # The newest of each offer: a follow-up takes the place of what it follows.
    before = {task.offer: task for task in posted}
    texts = {row: messages.get(tx, row).message for row in {task.message for task in before.values()}}
    sent = any(task.sent for task in posted)
    policy = policies.put(tx, read.policy)
    grown = _grown(read, before, texts, sent)
    touched = _follow_up(tx, recorder, read, known, grown, policy, sent)
    still = {offer.key: offer for offer in read.offers}
    gone = read.refusal or Reason(code=Code.RETRACTED)
    for old in before.values():
        if old.sent:
            continue
        messages.update(tx, old.message, read.message, read.facts)
        offer = still.get(old.offer)
        if offer is None or read.refusal is not None:
            touched += _withdraw(tx, recorder, old, gone)
        elif _changed(texts[old.message], offer, read.parsed[offer.key]):
            touched += _again(tx, recorder, old, offer, policy)
    return touched


def _changed(before: Message, offer: Offer, parsed: Parsed) -> bool:
    """Whether an offer of a message isn't what it was."""
    old = next((each for each in links.offers(before) if each.key == offer.key), None)
    return old is None or links.facts(old, rules.parse(before, old)) != links.facts(offer, parsed)


def _grown(
    read: _Read, before: Mapping[str, Task], texts: Mapping[int, Message], sent: bool
) -> list[tuple[Offer, int | None]]:
    """What has come to the message: offers it didn't have, and what was sent with more episodes now.

    Each with the task it follows.
    """
    found: list[tuple[Offer, int | None]] = []
    for offer in read.offers:
        old = before.get(offer.key)
        if old is None:
            if read.refusal is None or not sent:
                found.append((offer, None))
        elif (
            old.sent
            and read.refusal is None
            and _more_episodes(rules.parse(texts[old.message], offer), read.parsed[offer.key])
        ):
            found.append((offer, old.id))
    return found


def _follow_up(
    tx: Tx,
    recorder: Recorder,
    read: _Read,
    known: messages.MessageRow,
    grown: list[tuple[Offer, int | None]],
    policy: str,
    sent: bool,
) -> list[int]:
    """Tasks for what has come; after a send they get a revision of the message of their own."""
    row = known.id
    if grown and sent:
        row = messages.put(
            tx, read.message, revision=known.revision + 1, facts_hash=read.facts, received=recorder.now
        )
    else:
        messages.update(tx, row, read.message, read.facts)
    return [_create(tx, recorder, read, row, offer, policy, None, follows) for offer, follows in grown]


def _more_episodes(before: Parsed, now: Parsed) -> bool:
    return (now.seasons, now.episodes, now.complete) != (before.seasons, before.episodes, before.complete)


def _again(tx: Tx, recorder: Recorder, task: Task, offer: Offer, policy: str) -> list[int]:
    """The same task, a new round, from the start; one that is still being identified reads the new text."""
    context = PipelineContext(offer=_with_code(offer, task), correction=task.context.correction)
    edited = Step(to=State.RECEIVED, code=Code.EDITED)
    paths: dict[State, tuple[Step, ...]] = {
        State.PENDING_APPROVAL: (edited,),
        State.FAILED: (edited,),
        State.SKIPPED: (edited,),
        State.REJECTED: (edited,),
        State.QUEUED: (Step(to=State.FAILED, code=Code.EDITED), edited),
        State.PARSED: (),
        State.RECEIVED: (),
    }
    if task.state not in paths or _ended_by_person(task):
        return []
    recorder.move(
        tx,
        task,
        paths[task.state],
        actor=Actor(id=f"source:{task.source}"),
        context=context,
        policy=policy,
        due_at=recorder.now,
        attempts=0,
        lane=Lane.IDENTIFY,
        new_round=not paths[task.state],
        also=lambda tx: drop_preparation(tx, task.id),
    )
    return [task.id]


def _with_code(offer: Offer, task: Task) -> Offer:
    """A code that a person gave counts until the message states one."""
    given = task.context.offer.share
    if offer.share is None or offer.share.receive_code or given is None:
        return offer
    return offer.model_copy(update={"share": given})


def _ended_by_person(task: Task) -> bool:
    """An edit doesn't bring back what a person has ignored or abandoned."""
    decision = task.context.decision
    codes = {reason.code for reason in decision.reasons} if decision else set()
    return task.state is State.SKIPPED and bool(codes & {Code.IGNORED, Code.ABANDONED})


def _withdraw(tx: Tx, recorder: Recorder, task: Task, reason: Reason) -> list[int]:
    """The link has gone from the message, or an edit says that it is dead."""
    skip = Step(to=State.SKIPPED, code=reason.code, detail=reason.data)
    paths: dict[State, tuple[Step, ...]] = {
        State.RECEIVED: refuse(reason),
        State.PARSED: refuse(reason)[1:],
        State.PENDING_APPROVAL: (skip,),
        State.QUEUED: (skip,),
        State.FAILED: (skip,),
    }
    if task.state not in paths:
        return []
    recorder.move(
        tx,
        task,
        paths[task.state],
        actor=Actor(id=f"source:{task.source}"),
        also=lambda tx: drop_preparation(tx, task.id),
    )
    return [task.id]


def _first_line(text: str) -> str:
    """What a task without a title is called: the first line that says something."""
    line = next((line.strip() for line in text.splitlines() if line.strip(" …")), "")
    return "".join(char for char in line if char.isprintable())[:120]
