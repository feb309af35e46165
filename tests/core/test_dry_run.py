"""The dry run needs nothing: no configuration, no home, no network. Its numbers add up."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from custom_components.reelay.core.model.decision import Code

ROOT = Path(__file__).parents[2]
MESSAGES = ROOT.parent / "shared" / "data" / "messages.jsonl"

#: Runs the module with every socket forbidden.
WITHOUT_SOCKETS = """
import socket, sys, runpy
def refuse(*args, **kwargs):
    raise AssertionError("a socket was opened")
socket.socket.connect = socket.socket.connect_ex = socket.socket.bind = refuse
socket.create_connection = socket.getaddrinfo = refuse
sys.argv = ["reelay", *sys.argv[1:]]
runpy.run_module("custom_components.reelay.core", run_name="__main__")
"""


def dry_run(home: Path, *options: str) -> dict[str, Any]:
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_SOCKETS, "--dry-run", "--json", *options],
        cwd=ROOT,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert list(home.iterdir()) == []
    return json.loads(ran.stdout)  # type: ignore[no-any-return]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    return home


@pytest.mark.timeout(120)
def test_the_samples_go_through_everything_without_network_or_home(home: Path) -> None:
    report = dry_run(home)

    assert report["adds_up"]
    assert report["messages"] == 16
    assert report["files"]["landed"] == sum(report["files"][place] for place in ("library", "staging", "bin"))
    assert sum(report["states"].values()) == len(report["tasks"])
    ends = {(task["state"], task["trace"][-1]["code"]) for task in report["tasks"]}
    assert {
        ("done", "filed"),
        ("pending_approval", "kind_unknown"),
        ("rejected", "advert"),
        ("skipped", "not_media"),
        ("skipped", "no_link"),
        ("skipped", "all_stored"),
        ("failed", "share_dead"),
        ("failed", "several_features"),
        ("need_manual", "name_conflict"),
        ("need_manual", "landed_partly"),
    } <= ends
    assert any("River Lanterns - S01E03.mkv" in names for names in report["library"].values())
    growing = [task for task in report["tasks"] if task["title"] == "云上旅人"]
    assert [task["state"] for task in growing] == ["done", "done"]


def test_unreadable_messages_are_an_error_and_not_a_traceback(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{not json")
    ran = subprocess.run(
        [sys.executable, "-m", "custom_components.reelay.core", "--dry-run", "--messages", str(broken)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "Traceback" not in ran.stderr
    assert "could not be read" in ran.stderr


@pytest.mark.timeout(180)
@pytest.mark.skipif(not MESSAGES.exists(), reason="the sample messages aren't here")
def test_real_looking_messages_end_in_the_library_or_in_a_named_question(home: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in MESSAGES.read_text().splitlines()]
    expected = {row["id"]: row.pop("expect") for row in rows}
    stripped = tmp_path / "messages.jsonl"
    stripped.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))

    report = dry_run(home, "--messages", str(stripped))

    assert report["adds_up"]
    by_message: dict[str, list[dict[str, Any]]] = {}
    for task in report["tasks"]:
        by_message.setdefault(task["message_id"], []).append(task)
    assert set(by_message) == set(expected)
    codes = {code.value for code in Code}
    good = 0
    for number, expect in expected.items():
        tasks = by_message[number]
        assert all(task["trace"][-1]["code"] != "internal_error" for task in tasks)
        if not expect["is_media"] or expect["is_ad"]:
            assert not any(task["sent"] for task in tasks), number
        elif expect["share_links"]:
            named = ("pending_approval", "failed", "need_manual")
            good += all(
                task["state"] == "done"
                or (task["state"] in named and set(task["reasons"]) <= codes)
                or task["trace"][-1]["code"] in ("all_stored", "nothing_new", "retracted")
                for task in tasks
            )
    assert good >= 90
