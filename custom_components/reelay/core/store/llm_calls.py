"""The ledger of calls to language models: what they were for, what they cost, and whether the answer held."""

from dataclasses import dataclass
from typing import Any

from .database import Tx

DAY = 24 * 60 * 60 * 1000
KEPT_DAYS = 90
ROWS = 500

_COLUMNS = "at, purpose, model, ms, requests, tokens_in, tokens_out, rung, validated, trouble"

ADD = f"INSERT INTO llm_calls ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
SINCE = f"SELECT {_COLUMNS} FROM llm_calls WHERE at >= ? ORDER BY at DESC LIMIT ?"
PRUNE = "DELETE FROM llm_calls WHERE id IN (SELECT id FROM llm_calls WHERE at < ? ORDER BY at LIMIT ?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmCall:
    """One call: when it began (ms), how long it took (ms), how many requests it needed, and how it ended.

    `rung` is the way of asking for a form that was used last; `trouble` is None where the answer was valid.
    """

    at: int
    purpose: str
    model: str
    ms: int
    requests: int
    tokens_in: int
    tokens_out: int
    rung: str
    validated: bool
    trouble: str | None = None


def add(tx: Tx, call: LlmCall) -> None:
    """Enter a call."""
    tx.execute(
        ADD,
        (
            call.at,
            call.purpose,
            call.model,
            call.ms,
            call.requests,
            call.tokens_in,
            call.tokens_out,
            call.rung,
            call.validated,
            call.trouble,
        ),
    )


def since(tx: Tx, at: int, limit: int = 1_000) -> list[LlmCall]:
    """The calls from a time on, the newest first."""
    return [_call(row) for row in tx.execute(SINCE, (at, limit)).fetchall()]


def prune(tx: Tx, now: int, *, days: int = KEPT_DAYS, limit: int = ROWS) -> int:
    """Remove one slice of calls older than `days`; call it again until it returns 0."""
    return tx.execute(PRUNE, (now - days * DAY, limit)).rowcount


def _call(row: tuple[Any, ...]) -> LlmCall:
    at, purpose, model, ms, requests, tokens_in, tokens_out, rung, validated, trouble = row
    return LlmCall(
        at=at,
        purpose=purpose,
        model=model,
        ms=ms,
        requests=requests,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        rung=rung,
        validated=bool(validated),
        trouble=trouble,
    )
