"""The one way to a language model: purpose, messages and a schema in, a validated object or a typed failure out.

A call has one budget for everything it takes: steps down the ladder, one retry with what was wrong, a few retries
after passing troubles. Every call that reached a server stands in the ledger; answers are kept by exactly what was
asked. What is asked, and what happens without an answer, is the business of the room that asks.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any

from pydantic import BaseModel, ValidationError

from ..model.errors import StoreError
from ..model.llm import Failed, ModelAnswer, ModelFault, ModelRequest, Rung, Trouble, Turn
from ..ports import Clock, Health, ModelBackend
from ..store import llm_calls
from ..store.database import Database
from ..store.llm_calls import LlmCall
from . import reading
from .ladder import Ladder, asked, essential, form, plain_schema
from .pace import OwnPace, Pace

_LOGGER = logging.getLogger(__name__)

BUDGET = 180.0
#: Nobody is kept waiting longer than this for a server that asks for time.
PATIENCE = 20.0
PARALLEL = 2
_TRIES = 3
_BACKOFF = 1.0
_MOST_TOKENS = 8_192
_QUOTED = 2_000
_PASSING = frozenset(
    {Trouble.RATE_LIMITED, Trouble.SERVER_ERROR, Trouble.UNREACHABLE, Trouble.BROKEN, Trouble.TIMEOUT}
)
#: Troubles that only the owner can end; the others are told when they come in a row.
_LASTING = frozenset({Trouble.UNAUTHORIZED, Trouble.NOT_FOUND, Trouble.QUOTA})
_ROW = 3
_REGION = "model.answer"
_KEPT = 30 * 24 * 60 * 60 * 1000
_MOST_KEPT = 5_000


@dataclass(slots=True)
class _Call:
    """One call under way. `turns` are the messages with the retry's correction, without what a rung adds."""

    purpose: str
    turns: tuple[Turn, ...]
    schema: dict[str, Any]
    essential: dict[str, Any]
    rung: Rung
    max_tokens: int
    read: Callable[[ModelAnswer], BaseModel]
    at: int
    deadline: float = 0.0
    requests: int = 0
    tries: int = 0
    retried: bool = False
    tokens: list[int] = field(default_factory=lambda: [0, 0])


class ModelClient:
    """Asks one back end. `db` keeps the ledger and the cache, `pace` a limit shared with others."""

    def __init__(
        self,
        backend: ModelBackend,
        clock: Clock,
        *,
        db: Database | None = None,
        health: Health | None = None,
        pace: Pace | None = None,
        parallel: int = PARALLEL,
        budget: float = BUDGET,
        patience: float = PATIENCE,
    ) -> None:
        self.backend = backend
        self._clock = clock
        self._db = db
        self._health = health
        self._pace = pace or OwnPace(clock)
        self._budget = budget
        self._patience = patience
        self._ladder = Ladder()
        self._slots = asyncio.Semaphore(parallel)
        #: Per question: its lock, and how many hold it or wait for it.
        self._asking: dict[str, tuple[asyncio.Lock, int]] = {}
        self._failures = 0

    async def ask[T: BaseModel](
        self,
        purpose: str,
        turns: Sequence[Turn],
        schema: type[T],
        *,
        check: Callable[[T], None] | None = None,
        max_tokens: int = 1_024,
    ) -> T | Failed:
        """Ask, or answer from what was answered before.

        `check` raises `ValueError` for an answer that has the right form and can't be true; the model gets one
        chance to do better, as for a wrong form. Equal questions at the same time are one call.
        """
        plain = plain_schema(schema)
        key = self._key(purpose, turns, plain)
        async with self._alone(key):
            kept = await self._kept(key, schema, check)
            if kept is not None:
                return kept
            call = _Call(
                purpose=purpose,
                turns=tuple(turns),
                schema=plain,
                essential=essential(schema, plain),
                rung=self._ladder.first(self.backend),
                max_tokens=max_tokens,
                read=lambda answer: _read(answer, schema, check),
                at=self._clock.now(),
            )
            found = await self._bounded(call)
            await self._enter(call, found)
            self._report(found)
            if isinstance(found, schema):
                await self._keep(key, found)
                return found
            return found if isinstance(found, Failed) else Failed(trouble=Trouble.INVALID)

    async def _bounded(self, call: _Call) -> BaseModel | Failed:
        """Run a call once a slot is free; its budget begins there, and waiting is bounded by as much again."""

        async def run() -> BaseModel | Failed:
            async with self._slots:
                call.deadline = self._clock.monotonic() + self._budget
                return await self._run(call)

        try:
            return await within(self._clock, 2 * self._budget, run())
        except TimeoutError:
            return Failed(trouble=Trouble.TIMEOUT if call.requests else Trouble.BUSY)

    async def _run(self, call: _Call) -> BaseModel | Failed:
        while True:
            if not await self._pace.acquire(min(self._patience, self._left(call))):
                return Failed(trouble=Trouble.BUSY, detail="the server asked for a pause")
            try:
                answer = await self._request(call)
            except ModelFault as fault:
                failed = await self._after(call, fault)
                if failed is not None:
                    return failed
                continue
            try:
                found = call.read(answer)
            except ValueError as err:
                if call.retried:
                    return Failed(trouble=Trouble.INVALID, detail=_told(err))
                self._correct(call, answer, err)
                continue
            self._ladder.worked(self.backend, call.rung)
            return found

    async def _request(self, call: _Call) -> ModelAnswer:
        left = self._left(call)
        if left <= 0:
            raise ModelFault(Trouble.TIMEOUT)
        request = ModelRequest(
            purpose=call.purpose,
            turns=asked(call.turns, call.schema, call.rung),
            schema=call.schema,
            rung=call.rung,
            max_tokens=call.max_tokens,
        )
        call.requests += 1
        try:
            answer = await within(self._clock, left, self.backend.ask(request, left))
        except TimeoutError:
            raise ModelFault(Trouble.TIMEOUT) from None
        call.tokens[0] += answer.tokens_in
        call.tokens[1] += answer.tokens_out
        return answer

    async def _after(self, call: _Call, fault: ModelFault) -> Failed | None:
        """What follows a fault: a lower rung, a pause and another try (None), or the end."""
        failed = Failed(trouble=fault.trouble, detail=fault.detail)
        if fault.trouble is Trouble.FORMAT:
            lower = self._ladder.below(self.backend, call.rung)
            if lower is None:
                return failed
            call.rung = lower
            return None
        if fault.retry_after is not None and fault.trouble in _PASSING:
            await self._pace.block(self._clock.now() + int(fault.retry_after * 1000))
        call.tries += 1
        pause = _BACKOFF * 2 ** (call.tries - 1) * (1 + self._clock.random() / 2)
        if fault.trouble not in _PASSING or call.tries >= _TRIES or pause >= self._left(call):
            return failed
        if fault.retry_after is not None and fault.retry_after > min(self._patience, self._left(call)):
            return failed
        await self._clock.sleep(pause)
        return None

    def _correct(self, call: _Call, answer: ModelAnswer, err: ValueError) -> None:
        """The one retry. A cut answer gets more room where reasoning ate it up, and fewer fields where it rambled;
        any other one is told what was wrong with it.
        """
        call.retried = True
        if answer.cut:
            if reading.begun(answer.text):
                call.schema = call.essential
            else:
                call.max_tokens = min(call.max_tokens * 4, _MOST_TOKENS)
            return
        said = answer.text if answer.data is None else json.dumps(answer.data, default=str)
        if said.strip():
            call.turns += (Turn(role="assistant", text=said[:_QUOTED]),)
        call.turns += (
            Turn(role="user", text=f"That was not a valid answer: {_told(err)}\n{form(call.schema)}"),
        )

    def _left(self, call: _Call) -> float:
        return call.deadline - self._clock.monotonic()

    def _report(self, found: BaseModel | Failed) -> None:
        """A model that answers is fine, whatever it says."""
        if self._health is None:
            return
        if not isinstance(found, Failed) or found.trouble in (Trouble.INVALID, Trouble.REFUSED):
            self._failures = 0
            self._health.report("model", "ok")
        elif found.trouble is not Trouble.BUSY:
            self._failures += 1
            if found.trouble in _LASTING or self._failures >= _ROW:
                self._health.report("model", "bad", reason=found.trouble.value)

    async def _enter(self, call: _Call, found: BaseModel | Failed) -> None:
        """Enter the call in the ledger; that this can't be done is no reason to lose the answer."""
        if isinstance(found, Failed):
            _LOGGER.info("No answer for %s from %s: %s", call.purpose, self.backend.key, found)
        if self._db is None or not call.requests:
            return
        row = LlmCall(
            at=call.at,
            purpose=call.purpose,
            model=self.backend.model,
            ms=max(0, self._clock.now() - call.at),
            requests=call.requests,
            tokens_in=call.tokens[0],
            tokens_out=call.tokens[1],
            rung=call.rung.value,
            validated=not isinstance(found, Failed),
            trouble=found.trouble.value if isinstance(found, Failed) else None,
        )
        try:
            await self._db.run(partial(llm_calls.add, call=row))
        except StoreError as err:
            _LOGGER.warning("A call of a model could not be entered: %s", err.key)

    def _key(self, purpose: str, turns: Sequence[Turn], schema: dict[str, Any]) -> str:
        """What makes an answer the same: the model, the text with prompt and examples, and the schema."""
        said = [self.backend.key, purpose, [[turn.role, turn.text] for turn in turns], schema]
        text = json.dumps(said, ensure_ascii=True, sort_keys=True)
        return blake2b(text.encode(), digest_size=16).hexdigest()

    async def _kept[T: BaseModel](
        self, key: str, schema: type[T], check: Callable[[T], None] | None
    ) -> T | None:
        if self._db is None:
            return None
        text = await self._db.cache.get(_REGION, key, self._clock.now())
        if text is None:
            return None
        try:
            found = schema.model_validate_json(text)
            if check is not None:
                check(found)
        except ValueError:
            return None
        return found

    async def _keep(self, key: str, found: BaseModel) -> None:
        if self._db is not None:
            now = self._clock.now()
            await self._db.cache.put(
                _REGION, key, found.model_dump_json(), expires=now + _KEPT, now=now, limit=_MOST_KEPT
            )

    @asynccontextmanager
    async def _alone(self, key: str) -> AsyncIterator[None]:
        """One at a time per question: whoever comes second finds the answer of the first."""
        lock, count = self._asking.get(key) or (asyncio.Lock(), 0)
        self._asking[key] = lock, count + 1
        try:
            async with lock:
                yield
        finally:
            _, count = self._asking[key]
            if count > 1:
                self._asking[key] = lock, count - 1
            else:
                del self._asking[key]


def _read[T: BaseModel](answer: ModelAnswer, schema: type[T], check: Callable[[T], None] | None) -> T:
    """The answer as an object; `ValueError` says what is wrong with it."""
    if answer.data is not None:
        found = [schema.model_validate(answer.data)]
    else:
        candidates = reading.objects(answer.text)
        if not candidates:
            raise ValueError("there is no JSON object in it" if answer.text.strip() else "it is empty")
        found, wrong = [], None
        for candidate in candidates:
            try:
                found.append(schema.model_validate(candidate))
            except ValidationError as err:
                wrong = wrong or err
        if not found and wrong is not None:
            raise wrong
    first = found[0]
    if any(other != first for other in found[1:]):
        raise ValueError("there are several different objects in it")
    if check is not None:
        check(first)
    return first


def _told(err: ValueError) -> str:
    """What is wrong, in few words and without what the model wrote."""
    if isinstance(err, ValidationError):
        faults = err.errors(include_url=False, include_input=False, include_context=False)[:5]
        return "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"[:200] for fault in faults)
    return str(err)[:300]


async def within[T](clock: Clock, seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, which is cancelled and given up after `seconds`: `TimeoutError`."""
    task = asyncio.ensure_future(work)
    alarm = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait({task, alarm}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise TimeoutError
    finally:
        for each in (task, alarm):
            each.cancel()
        # What doesn't end when it is cancelled is left behind: it must not hold its caller.
        await asyncio.wait({task, alarm}, timeout=1)
