"""The whole: starting, stopping without a trace, tidying up, and what the health says."""

import asyncio
import gc
import logging
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.errors import StoreError
from custom_components.reelay.core.model.states import State
from custom_components.reelay.core.policy.schema import Approval, Policy
from custom_components.reelay.core.store import marks
from tests.core.pipeline.house import OWNER, UNSURE, House, film, link, series
from tests.fakes.clock import START

PACKAGE = Path(__file__).parents[2] / "custom_components" / "reelay"
DAY = 24 * 3600.0


def threads() -> set[str]:
    """The default executor's thread belongs to the loop."""
    return {thread.name for thread in threading.enumerate() if not thread.name.startswith("asyncio_")}


def others() -> set[asyncio.Task[Any]]:
    return asyncio.all_tasks() - {asyncio.current_task()}  # type: ignore[operator]


# -- beginning and end


@pytest.mark.parametrize("after", [0.0, 1.0, 5.0, 40.0])
async def test_stopping_in_the_middle_of_everything_leaves_nothing_running(
    tmp_path: Path, after: float
) -> None:
    threads_before, tasks_before = threads(), others()
    house = House(tmp_path, phones=("phone:a", "pigeon:b"))
    for verb in ("list_share", "receive", "move", "list_tree"):
        house.fail(verb, "slow", seconds=3, times=3)
    house.phones.answer = lambda target, notice: house.clock.sleep(30)
    await house.start()
    for number in range(12):
        await house.app.intake.take(
            (house.message(film(f"swharbor{number}").replace("Silver", f"S{number}")),)
        )
    await house.app.intake.take((house.message(UNSURE.format(link=link("swnight1"))),))
    await house.wait(after)
    await house.stop()
    await house.app.stop()
    assert others() == tasks_before
    assert threads() == threads_before


async def test_what_was_cut_by_a_stop_goes_on_after_the_next_start(tmp_path: Path) -> None:
    house = await House(tmp_path).start()
    house.series_share("swcomet1", 3)
    for verb in ("list_share", "find_folder", "make_folder", "list_tree", "rename", "move"):
        house.fail(verb, "slow", seconds=3, times=2)
    task = await house.one(series("swcomet1", 3))
    for _ in range(12):
        await house.wait(2)
        await house.restart()
    house.drive.faults.clear()
    await house.wait(minutes=30)
    assert await house.state(task) is State.DONE
    assert house.receives() == 1
    await house.stop()


async def test_a_store_that_is_in_use_refuses_and_leaves_nothing_open(tmp_path: Path) -> None:
    house = await House(tmp_path).start()
    threads_before, tasks_before = threads(), others()
    second = House(tmp_path)
    with pytest.raises(StoreError) as caught:
        await second.start()
    assert caught.value.key == "database_locked"
    assert (threads(), others()) == (threads_before, tasks_before)
    await house.stop()


async def test_a_command_after_the_end_says_that_the_store_is_closed(tmp_path: Path) -> None:
    house = await House(tmp_path).start()
    task = await house.one(UNSURE.format(link=link("swnight1")))
    await house.stop()
    with pytest.raises(StoreError) as caught:
        await house.app.commands.approve(OWNER, task)
    assert caught.value.key == "database_closed"


async def test_a_thousand_restarts_later_the_numbers_are_the_same(tmp_path: Path) -> None:
    house = await House(tmp_path).start()
    await house.one(UNSURE.format(link=link("swnight1")))
    house.film_share("swharbor1")
    await house.one(film("swharbor1"))
    await house.wait(minutes=1)
    before = house.app.snapshot
    for _ in range(5):
        await house.restart()
    assert house.app.snapshot == before
    assert before.counts == {State.PENDING_APPROVAL: 1, State.DONE: 1}
    assert (before.stored_today, before.waiting_approval, before.oldest_waiting) == (1, 1, START)
    await house.stop()


async def test_the_first_task_of_a_new_database_has_the_number_it_is_told(tmp_path: Path) -> None:
    house = House(tmp_path)
    await house.start(first_task=5000)
    assert await house.one(UNSURE.format(link=link("swnight1"))) == 5000
    await house.stop()
    await house.start(first_task=9000)
    assert await house.one(UNSURE.format(link=link("swnight2"))) == 5001
    await house.stop()


async def test_marks_of_the_face_are_kept_apart_from_our_own(house: House) -> None:
    await house.app.set_mark("gate:demo", "x")
    assert await house.app.mark("gate:demo") == "x"
    assert await house.app._db.read(lambda tx: marks.get(tx, "gate:demo")) is None


# -- tidying


async def test_old_skipped_tasks_go_by_their_policy_and_the_numbers_follow(house: House) -> None:
    house.owner.policy = Policy(keep_skipped_days=30)
    short = await house.one("📢 今日共更新【12】条资源")
    house.owner.policy = Policy(keep_skipped_days=0)
    kept = await house.one("📢 今日共更新【13】条资源")
    asked = await house.one(UNSURE.format(link=link("swnight1")))
    await house.app.commands.approve(OWNER, asked)
    await house.wait(29 * DAY)
    assert house.app.snapshot.counts[State.SKIPPED] == 2
    await house.wait(3 * DAY)
    assert [view["id"] for view in (await house.app.queries.list_tasks())["tasks"]] == [asked, kept]
    assert (await house.app.queries.list_tasks(states=("skipped",)))["total"] == 1
    assert house.app.snapshot.counts == {State.SKIPPED: 1, State.FAILED: 1}
    assert short not in (asked, kept)


async def test_a_message_whose_task_was_tidied_away_is_still_known(house: House) -> None:
    text = "📢 今日共更新【12】条资源"
    await house.one(text, "m1")
    await house.wait(92 * DAY)
    assert await house.count("tasks") == 0
    assert await house.post(text, "m1") == []
    assert await house.count("tasks") == 0


async def test_delivered_notices_are_kept_for_a_week(house: House) -> None:
    await house.one(UNSURE.format(link=link("swnight1")))
    await house.wait(6 * DAY)
    assert await house.count("outbox") == 1
    await house.wait(20 * DAY)
    assert await house.count("outbox") == 0


# -- health


async def test_each_change_of_health_is_logged_and_told_once(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[tuple[str, str]] = []
    stop = house.app.on_health(lambda state: told.append((state.component, state.state)))
    with caplog.at_level(logging.INFO, logger="custom_components.reelay"):
        for state in ("ok", "ok", "bad", "bad", "ok", "ok"):
            house.app.board.report(
                "source:telegram:1", state, reason="login_dead" if state == "bad" else None
            )
        house.app.board.report("source:telegram:1", "bad", until=7)
        house.app.board.report("source:telegram:1", "bad", until=8)
    lines = [record.message for record in caplog.records if "source:telegram:1" in record.message]
    assert lines == [
        "source:telegram:1 is bad (login_dead)",
        "source:telegram:1 is ok",
        "source:telegram:1 is bad",
    ]
    assert [state for _, state in told] == ["ok", "bad", "ok", "bad", "bad"]
    stop()
    house.app.board.report("source:telegram:1", "ok")
    assert len(told) == 5


async def test_a_state_keeps_the_time_it_began_when_only_its_end_changes(house: House) -> None:
    house.app.board.report("drive", "bad", until=7)
    await house.wait(60)
    house.app.board.report("drive", "bad", until=8)
    (state,) = [state for state in house.app.health if state.component == "drive"]
    assert (state.since, state.until) == (START, 8)


async def test_a_listener_is_called_until_it_ends_it(house: House) -> None:
    seen: list[Any] = []
    stop = house.app.on_snapshot(seen.append)
    await house.one(UNSURE.format(link=link("swnight1")))
    await house.wait(2)
    assert seen[-1].counts == {State.PENDING_APPROVAL: 1}
    stop()
    stop()
    count = len(seen)
    await house.one(UNSURE.format(link=link("swnight2")))
    await house.wait(2)
    assert len(seen) == count


async def test_many_tasks_leave_nothing_behind_in_memory(house: House) -> None:
    house.owner.policy = Policy(approval=Approval.ALWAYS)
    for number in range(50):
        await house.post(UNSURE.format(link=link(f"swnight{number}")))
    await house.wait(minutes=1)
    assert house.app.idle()
    assert not any(house.app._lanes._gone.values())
    assert not any(house.app._lanes._parked.values())
    gc.collect()
    names = [task.get_name() for task in others()]
    assert len(names) < 25, names


# -- codes


def test_every_code_that_is_declared_is_used_and_none_is_used_that_is_not() -> None:
    text = "\n".join(path.read_text() for path in PACKAGE.rglob("*.py") if path.name != "decision.py")
    used = set(re.findall(r"\bCode\.([A-Z_]+)\b", text))
    assert used == {code.name for code in Code}
