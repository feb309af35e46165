"""Nothing that is asked often may read a table from end to end: the store grows for years."""

import importlib
import pkgutil
import re
import sqlite3

import pytest

from custom_components.reelay.core import store
from custom_components.reelay.core.store import tasks

_SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE)\b")


def constants() -> dict[str, str]:
    found = {}
    for module in pkgutil.iter_modules(store.__path__):
        if module.name == "cache_db":
            continue
        names = vars(importlib.import_module(f"{store.__name__}.{module.name}"))
        for name, value in names.items():
            if name[0] != "_" and name.isupper() and isinstance(value, str) and _SQL.match(value):
                found[f"{module.name}.{name}"] = value
    for states in (0, 1, 2, 12):
        for by_source in (False, True) if states else (False,):
            found[f"tasks.listing({states}, {by_source})"] = tasks.listing(states, by_source)
    found["tasks.listing at rest"] = tasks.listing(2, False, True)
    return found


STATEMENTS = constants()

#: Read from end to end on purpose: once at start or once a day, or because only open rows are in that index or table.
WHOLE = {
    "alerts.EVERY",
    "claims.ALL",
    "claims.COUNT",
    "maintenance.KEPT_DAYS",
    "outbox.BACKLOG",
    "tasks.COUNTS",
    "tasks.NUMBER_FROM",
    "trace.LAST_ID",
}
#: Sorted in memory: a handful of rows, found by index.
SORTED = {"library.OF_TASK", "outbox.RECEIPTS", "tasks.OF_POST"}


def plan(tx: sqlite3.Connection, sql: str) -> list[str]:
    values = ["1"] * max([sql.count("?"), *(int(n) for n in re.findall(r"\?(\d+)", sql))])
    numbered = {int(n) for n in re.findall(r"\?(\d+)", sql)}
    return [
        row[3]
        for row in tx.execute(f"EXPLAIN QUERY PLAN {sql}", values[: max(numbered)] if numbered else values)
    ]


def test_the_statements_are_found() -> None:
    assert len(STATEMENTS) > 80
    assert STATEMENTS.keys() >= WHOLE | SORTED


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_goes_by_index(tx: sqlite3.Connection, name: str) -> None:
    steps = plan(tx, STATEMENTS[name])
    scans = [step for step in steps if re.match(r"SCAN (?!j VIRTUAL|CONSTANT)", step)]
    sorts = [step for step in steps if "TEMP B-TREE" in step and "DISTINCT" not in step]
    assert bool(scans) == (name in WHOLE), steps
    assert bool(sorts) == (name in SORTED), steps


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("tasks.READY", "tasks_ready (lane=? AND interactive=? AND <expr><?)"),
        ("tasks.NEXT_DUE", "tasks_ready (lane=? AND interactive=? AND <expr>>?)"),
        ("tasks.STORED_SINCE", "tasks_recent (state=? AND updated>?)"),
        ("tasks.RETRYING", "tasks_retrying (due_at>?)"),
        ("tasks.OPEN_FOR_OFFER", "tasks_offer (offer=?)"),
        ("tasks.EARLIER_WITH_OFFER", "tasks_offer (offer=? AND rowid<?)"),
        ("tasks.listing(12, True)", "tasks_source (source=? AND state=? AND rowid<?)"),
        ("tasks.listing(2, False)", "tasks_state (state=? AND rowid<?)"),
        ("tasks.listing(0, False)", "INTEGER PRIMARY KEY (rowid<?)"),
        ("outbox.DUE", "outbox_due (due_at<?)"),
        ("maintenance.PRUNABLE", "tasks_prunable (policy=? AND updated<?)"),
    ],
)
def test_the_ranges_that_matter_are_exactly_these(tx: sqlite3.Connection, name: str, index: str) -> None:
    assert any(step.endswith(index) for step in plan(tx, STATEMENTS[name])), plan(tx, STATEMENTS[name])
