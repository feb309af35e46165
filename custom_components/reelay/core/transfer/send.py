"""Exactly one request, and what its answer proves. Nothing here repeats anything."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

from ..model.errors import AlreadyReceived, Busy, Permanent, ReelayError, Transient

WORDS = 400


class Proof(StrEnum):
    """What an answer proves about the request."""

    ACCEPTED = "accepted"
    NOT_EXECUTED = "not_executed"
    ALREADY = "already"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A request's end: what it proves, the drive's words, and the classed error where there was one."""

    proof: Proof
    words: str
    error: ReelayError | None = None


async def send(request: Callable[[], Awaitable[str]]) -> Answer:
    """Make the request once and judge its end.

    Only the drive's own refusal proves that nothing was executed. Anything unforeseen is unclear, because the
    request may have left the house.
    """
    try:
        words = await request()
    except AlreadyReceived as err:
        return Answer(proof=Proof.ALREADY, words=_words(err), error=err)
    except (Busy, Transient, Permanent) as err:
        return Answer(proof=Proof.NOT_EXECUTED, words=_words(err), error=err)
    except ReelayError as err:
        return Answer(proof=Proof.UNCLEAR, words=_words(err), error=err)
    except Exception as err:  # noqa: BLE001 - a fault in a drive's code may come after its request
        return Answer(proof=Proof.UNCLEAR, words=type(err).__name__)
    return Answer(proof=Proof.ACCEPTED, words=words[:WORDS])


def _words(err: ReelayError) -> str:
    return str(err)[:WORDS]
