import sqlite3

from custom_components.reelay.core.store import llm_calls, maintenance
from custom_components.reelay.core.store.llm_calls import DAY, LlmCall


def call(at: int, **more: object) -> LlmCall:
    values = {
        "at": at,
        "purpose": "parse",
        "model": "m",
        "ms": 900,
        "requests": 1,
        "tokens_in": 10,
        "tokens_out": 5,
        "rung": "json_schema",
        "validated": True,
    }
    return LlmCall(**(values | more))  # type: ignore[arg-type]


def test_calls_are_entered_and_told_newest_first(tx: sqlite3.Connection) -> None:
    failed = call(2, validated=False, trouble="timeout", requests=3)
    for each in (call(1), failed, call(3)):
        llm_calls.add(tx, each)
    assert llm_calls.since(tx, 2) == [call(3), failed]
    assert llm_calls.since(tx, 0, limit=1) == [call(3)]


def test_calls_are_kept_for_90_days(tx: sqlite3.Connection) -> None:
    now = 200 * DAY
    for at in (now - 91 * DAY, now - 91 * DAY, now - 89 * DAY):
        llm_calls.add(tx, call(at))
    assert llm_calls.prune(tx, now, limit=1) == 1
    assert maintenance.prune(tx, now) == 1
    assert maintenance.prune(tx, now) == 0
    assert llm_calls.since(tx, 0) == [call(now - 89 * DAY)]
