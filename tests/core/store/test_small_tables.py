import sqlite3

import pytest

from custom_components.reelay.core.policy.schema import Approval, Policy
from custom_components.reelay.core.store import alerts, marks, plugin_state, policies, resources
from custom_components.reelay.core.store.alerts import Alert

from .rows import add_task


def test_a_resource_remembers_its_last_task(tx: sqlite3.Connection) -> None:
    assert resources.get(tx, "demo", "/", "share:a") is None
    resources.put(tx, "demo", "/", "share:a", 1, "h1")
    resources.put(tx, "demo", "/", "share:a", 2, "h2")
    assert resources.get(tx, "demo", "/", "share:a") == (2, "h2")
    assert resources.get(tx, "demo", "/else", "share:a") is None


def test_a_mark_is_set_changed_and_taken_off(tx: sqlite3.Connection) -> None:
    assert marks.get(tx, "cursor") is None
    marks.put(tx, "cursor", "1")
    marks.put(tx, "cursor", "2")
    assert marks.get(tx, "cursor") == "2"
    marks.put(tx, "cursor", None)
    assert marks.get(tx, "cursor") is None


def test_equal_policies_are_kept_once(tx: sqlite3.Connection) -> None:
    policy = Policy(approval=Approval.ALWAYS, block_words=("广告",))
    key = policies.put(tx, policy)
    assert policies.put(tx, policy.model_copy()) == key
    assert policies.put(tx, Policy()) != key
    assert policies.get(tx, key) == policy
    assert tx.execute("SELECT count(*) FROM policies").fetchone() == (2,)
    with pytest.raises(LookupError):
        policies.get(tx, "unknown")


def test_a_plugin_keeps_one_value_per_task(tx: sqlite3.Connection) -> None:
    task, other = add_task(tx, 1), add_task(tx, 2)
    assert plugin_state.get(tx, "p", task) is None
    plugin_state.put(tx, "p", task, {"a": [1, None]})
    plugin_state.put(tx, "p", task, {"b": "ü"})
    plugin_state.put(tx, "q", task, 0)
    assert plugin_state.get(tx, "p", task) == {"b": "ü"}
    assert plugin_state.get(tx, "q", task) == 0
    assert plugin_state.get(tx, "p", other) is None
    plugin_state.put(tx, "p", task, None)
    assert plugin_state.get(tx, "p", task) is None


def test_a_plugins_value_is_at_most_64_kb(tx: sqlite3.Connection) -> None:
    task = add_task(tx)
    plugin_state.put(tx, "p", task, "x" * (64 * 1024 - 2))
    with pytest.raises(ValueError, match="larger"):
        plugin_state.put(tx, "p", task, "ü" * (32 * 1024))
    assert plugin_state.get(tx, "p", task) == "x" * (64 * 1024 - 2)


def test_an_alert_replaces_the_one_before(tx: sqlite3.Connection) -> None:
    assert (alerts.get(tx, "cookie"), alerts.every(tx)) == (None, [])
    alerts.put(tx, Alert(category="cookie", state="bad", since=1, until=9, reason="login_dead", told=True))
    good = Alert(category="cookie", state="ok", since=5)
    alerts.put(tx, good)
    alerts.put(tx, Alert(category="a", state="ok", since=1))
    assert alerts.get(tx, "cookie") == good
    assert [alert.category for alert in alerts.every(tx)] == ["a", "cookie"]
