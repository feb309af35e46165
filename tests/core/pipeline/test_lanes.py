"""Lanes and gates: who may go on, when, and what becomes of what goes wrong on the way."""

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.states import Lane, State
from custom_components.reelay.core.pipeline.gates import SHORTEST_MS, UNKNOWN_MS, Gates
from custom_components.reelay.core.policy.schema import Approval, Policy
from tests.core.pipeline.house import GIB, OWNER, UNSURE, House, film, link, series
from tests.fakes.clock import START, FakeClock


async def pause(house: House, on: bool) -> None:
    house.owner.pausing = on
    house.app.settings_changed()
    await house.settle()


def work(number: int) -> str:
    """A film of its own."""
    return film(f"swharbor{number:02d}").replace("Silver", f"Silver {'ABCDEFGHIJKLMNOP'[number]}")


# -- gates


async def test_a_cooldown_closes_the_gate_and_nothing_else_is_asked_or_written(house: House) -> None:
    await house.drive.cool_down(600)
    first = await house.one(work(1))
    assert await house.state(first) is State.PARSED
    calls, commits = house.drive.calls.total(), house.app._db.commits
    assert calls == 1
    await house.wait(550)
    assert (house.drive.calls.total(), house.app._db.commits) == (calls, commits)
    others = [await house.one(work(number)) for number in range(2, 8)]
    assert {await house.state(task) for task in others} == {State.PARSED}
    assert house.drive.calls.total() == calls
    assert house.app.snapshot.cooldown_until == START + 600_000
    await house.wait(minutes=2)
    assert {await house.state(task) for task in (first, *others)} == {State.DONE}
    assert house.app.snapshot.cooldown_until is None


async def test_at_the_end_of_a_cooldown_one_call_tries_before_everybody_goes_on(house: House) -> None:
    await house.drive.cool_down(600)
    tasks = [await house.one(work(number)) for number in range(1, 9)]
    await house.drive.cool_down(900)
    await house.wait(800)
    assert house.drive.calls == Counter(list_share=1, space=1)
    await house.wait(minutes=5)
    assert {await house.state(task) for task in tasks} == {State.DONE}


async def test_a_pause_at_the_end_of_a_cooldown_keeps_even_that_call_away(house: House) -> None:
    await house.drive.cool_down(600)
    task = await house.one(work(1))
    await pause(house, True)
    await house.wait(hours=1)
    assert house.drive.calls.total() == 1
    await pause(house, False)
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE


async def test_a_cooldown_in_the_middle_of_a_transfer_writes_only_the_task_that_met_it(house: House) -> None:
    house.film_share("swharbor01")
    house.fail("receive", "busy_account", seconds=300)
    task = await house.one(film("swharbor01"))
    assert await house.last(task) == "queued not_executed"
    assert (await house.task(task)).attempts == 0
    other = await house.one(work(2))
    assert await house.way(other) == ["received received", "parsed identified"]
    await house.wait(minutes=6)
    assert {await house.state(each) for each in (task, other)} == {State.DONE}
    assert house.receives() == 2


async def test_what_nobody_wants_is_decided_while_the_gate_is_closed(house: House) -> None:
    house.owner.policy = Policy(kinds=("series",))
    await pause(house, True)
    assert await house.last(await house.one(work(1))) == "skipped filtered_kind"


async def test_a_question_that_the_files_would_not_answer_is_asked_while_the_gate_is_closed(
    house: House,
) -> None:
    house.owner.policy = Policy(approval=Approval.ALWAYS)
    await pause(house, True)
    assert await house.state(await house.one(work(1))) is State.PENDING_APPROVAL


async def test_a_cooldown_survives_a_restart(house: House) -> None:
    await house.drive.cool_down(600)
    task = await house.one(work(1))
    calls = house.drive.calls.total()
    await house.restart()
    await house.wait(500)
    assert house.drive.calls.total() == calls
    assert house.app.snapshot.cooldown_until == START + 600_000
    await house.wait(minutes=3)
    assert await house.state(task) is State.DONE


async def test_a_cooldown_that_ended_while_we_were_away_is_over(house: House) -> None:
    await house.drive.cool_down(600)
    task = await house.one(work(1))
    await house.stop()
    house.clock.jump(3600)
    await house.start()
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE
    assert {state.component: state.state for state in house.app.health}["drive"] == "ok"


async def test_a_dead_login_keeps_the_gate_closed_until_somebody_says_that_it_is_mended(house: House) -> None:
    await house.drive.log_in(alive=False)
    task = await house.one(work(1))
    await house.wait(hours=30)
    assert house.drive.calls.total() == 1
    assert not house.app.snapshot.drive_login_ok
    await house.drive.log_in()
    house.app.drive_ready("demo")
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE
    assert house.app.snapshot.drive_login_ok


async def test_after_a_restart_one_read_tells_whether_the_login_is_still_dead(house: House) -> None:
    await house.drive.log_in(alive=False)
    task = await house.one(work(1))
    await house.restart()
    await house.wait(hours=1)
    assert house.drive.calls == Counter(list_share=1, space=1)
    await house.drive.log_in()
    await house.restart()
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE


def test_a_later_end_replaces_an_earlier_one_and_never_the_other_way_round() -> None:
    gates = Gates(FakeClock())
    gates.register("a")
    gates.close("a", Code.COOLDOWN, START + 600_000)
    gates.close("a", Code.DELETION_RUNNING, START + 60_000)
    assert gates.closed("a").reason is Code.COOLDOWN  # type: ignore[union-attr]
    gates.close("a", Code.LOGIN_DEAD, None)
    gates.close("a", Code.COOLDOWN, START + 900_000)
    assert gates.closed("a").reason is Code.LOGIN_DEAD  # type: ignore[union-attr]


def test_a_refusal_without_a_usable_end_is_asked_again_some_time_and_never_at_once() -> None:
    clock = FakeClock()
    gates = Gates(clock)
    gates.register("a")
    gates.close("a", Code.COOLDOWN, START - 1)
    assert gates.closed("a").until == START + SHORTEST_MS  # type: ignore[union-attr]
    gates.open("a")
    gates.close("a", Code.COOLDOWN, None)
    assert gates.closed("a").until == START + UNKNOWN_MS  # type: ignore[union-attr]
    clock.jump(UNKNOWN_MS / 1000)
    assert gates.closed("a") is None


# -- pause


async def test_a_pause_lets_a_request_in_flight_end_and_starts_nothing_new(house: House) -> None:
    house.film_share("swharbor01")
    house.fail("receive", "slow", seconds=20)
    task = await house.one(film("swharbor01"))
    await house.wait(5)
    await pause(house, True)
    calls = house.drive.calls.copy()
    other = await house.one(work(2))
    await house.wait(hours=2)
    assert house.receives() == 1
    assert house.drive.calls - calls <= Counter(list_tree=1)
    assert (await house.state(task), await house.state(other)) == (State.STORED, State.PARSED)
    await pause(house, False)
    await house.wait(minutes=5)
    assert {await house.state(each) for each in (task, other)} == {State.DONE}


async def test_in_a_pause_questions_are_asked_and_answers_taken(house: House) -> None:
    house.owner.policy = Policy(approval=Approval.ALWAYS)
    await pause(house, True)
    house.film_share("swharbor01")
    task = await house.one(film("swharbor01"))
    assert house.phones.kinds() == ["approval"]
    await house.app.commands.approve(OWNER, task)
    await house.wait(hours=1)
    assert await house.state(task) is State.QUEUED
    assert house.drive.calls.total() == 0


async def test_rechecks_stand_still_in_a_pause_and_one_last_look_comes_after_it(house: House) -> None:
    house.film_share("swharbor01")
    house.fail("receive", "late", seconds=3 * 3600)
    task = await house.one(film("swharbor01"))
    await house.wait(minutes=4)
    assert await house.state(task) is State.NEED_MANUAL
    await pause(house, True)
    calls = house.drive.calls.total()
    await house.wait(hours=48)
    assert house.drive.calls.total() == calls
    await pause(house, False)
    await house.wait(minutes=2)
    assert await house.state(task) is State.DONE


async def test_the_time_for_an_answer_stands_still_in_a_pause_also_over_a_restart(house: House) -> None:
    house.owner.policy = Policy(approval=Approval.ALWAYS, approval_days=1)
    task = await house.one(work(1))
    await house.wait(hours=20)
    await pause(house, True)
    await house.wait(hours=30)
    await house.restart()
    await house.wait(hours=30)
    assert await house.state(task) is State.PENDING_APPROVAL
    await pause(house, False)
    await house.wait(hours=3)
    assert await house.state(task) is State.PENDING_APPROVAL
    await house.wait(hours=2)
    assert await house.last(task) == "skipped approval_timeout"
    assert house.phones.kinds() == ["approval", "clear"]


async def test_a_question_without_a_time_limit_stays(house: House) -> None:
    house.owner.policy = Policy(approval=Approval.ALWAYS, approval_days=0)
    task = await house.one(work(1))
    await house.wait(hours=24 * 90)
    assert await house.state(task) is State.PENDING_APPROVAL


# -- what goes wrong


async def test_a_fault_that_may_pass_is_tried_three_times_with_longer_waits_and_then_told(
    house: House,
) -> None:
    house.film_share("swharbor01")
    house.fail("list_share", "lost_before", times=None)
    task = await house.one(film("swharbor01"))
    tries = [house.clock.monotonic()]
    while (now := await house.task(task)).due_at is not None:
        assert now.state is State.FAILED
        assert house.phones.sent == []
        assert house.app.snapshot.needs_attention == 0
        await house.wait((now.due_at - house.clock.now()) / 1000 + 0.001)
        tries.append(house.clock.monotonic())
    assert house.drive.calls["list_share"] == 4
    waits = [later - earlier for earlier, later in pairwise(tries)]
    assert [20 < wait < 900 for wait in waits] == [True] * 3
    assert waits == sorted(waits)
    assert house.phones.kinds() == ["attention"]
    await house.wait(1)
    assert house.app.snapshot.needs_attention == 1
    house.drive.faults.clear()
    await house.app.commands.retry(OWNER, task)
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE


async def test_progress_gives_all_attempts_back(house: House) -> None:
    house.film_share("swharbor01")
    house.fail("list_share", "lost_before", times=3)
    house.fail("move", "refuse_transient", times=3)
    task = await house.one(film("swharbor01"))
    await house.wait(hours=2)
    assert await house.state(task) is State.DONE
    assert house.phones.kinds() == ["result"]


async def test_a_busy_task_waits_its_time_without_using_up_an_attempt(house: House) -> None:
    house.film_share("swharbor01")
    house.fail("make_folder", "busy_task", seconds=120, times=9)
    task = await house.one(film("swharbor01"))
    for _ in range(5):
        await house.wait(120)
        now = await house.task(task)
        assert (now.state, now.attempts) == (State.QUEUED, 0)
    await house.wait(hours=1)
    assert await house.state(task) is State.DONE


@pytest.mark.parametrize("verb", ["list_share", "find_folder", "make_folder", "list_tree", "move"])
async def test_an_unexpected_error_ends_in_the_task_and_not_in_the_lane(
    house: House, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = getattr(house.drive, verb)
    broken: list[int] = []

    async def breaks(*args: Any) -> Any:
        if len(broken) < 2:
            broken.append(1)
            raise ZeroDivisionError
        return await real(*args)

    monkeypatch.setattr(house.drive, verb, breaks)
    house.film_share("swharbor01")
    task = await house.one(film("swharbor01"))
    await house.wait(minutes=30)
    assert await house.state(task) is State.DONE
    assert len(broken) == 2
    lines = [line for line in await house.trace(task) if line.code == "internal_error"]
    assert all(line.detail == {"error": "ZeroDivisionError"} for line in lines)
    assert house.receives() == 1


async def test_one_tasks_fault_stops_no_other(house: House) -> None:
    house.fail("list_share", "lost_before", times=None, share="swharbor01")
    tasks = [await house.one(work(number)) for number in range(1, 6)]
    await house.wait(minutes=2)
    states = [await house.state(task) for task in tasks]
    assert states == [State.FAILED] + [State.DONE] * 4


# -- waiting for each other


async def test_who_waits_for_anothers_episodes_goes_on_when_they_are_free_and_takes_only_what_is_new(
    house: House,
) -> None:
    house.series_share("swcomet1", 2)
    house.series_share("swcomet2", 3)
    house.fail("receive", "late", seconds=60, share="swcomet1")
    first = await house.one(series("swcomet1", 2))
    second = await house.one(series("swcomet2", 3))
    assert (await house.task(second)).waits_for == first
    assert "queued waits_for_task" in await house.way(second)
    await house.wait(minutes=3)
    assert {await house.state(each) for each in (first, second)} == {State.DONE}
    assert len(house.files()) == 3
    assert house.receives() == 2


async def test_an_update_of_a_series_without_a_year_is_not_asked_about_again_and_again(house: House) -> None:
    text = "📺 电视剧：The Paper Comet tmdb:4711 S01E{:02d}\n🔗 链接: {}"
    house.share("swcomet1", ["The.Paper.Comet.S01E01.mkv"])
    await house.one("📺 电视剧：The Paper Comet S01E01\n🔗 链接: " + link("swcomet1"))
    (first,) = [view["id"] for view in (await house.app.queries.list_tasks())["tasks"]]
    await house.app.commands.approve(OWNER, first)
    await house.wait(minutes=1)
    assert await house.state(first) is State.DONE
    for number in (2, 3):
        house.share(f"swcomet{number}", [f"The.Paper.Comet.S01E{number:02d}.mkv"])
        task = await house.one(text.format(number, link(f"swcomet{number}")))
        await house.wait(minutes=1)
        reasons = (await house.app.queries.get_task(task))["task"]["reasons"]
        assert "maybe_stored" not in reasons
    house.share("swcomet9", ["The.Paper.Comet.S01E01.2160p.mkv"])
    again = await house.one("📺 电视剧：The Paper Comet S01E01\n🔗 链接: " + link("swcomet9"))
    reasons = (await house.app.queries.get_task(again))["task"]["reasons"]
    assert "maybe_stored" in reasons


async def test_the_same_ed2k_links_are_not_taken_twice(house: House) -> None:
    file = f"The.Paper.Comet.S01E01.mkv|{GIB}|0123456789abcdef0123456789abcdef"
    text = f"📺 电视剧：The Paper Comet (2019) S01E01\ned2k://|file|{file}|/"
    first = await house.one(text, "m1")
    await house.wait(minutes=10)
    assert await house.state(first) is State.DONE
    second = await house.one(text.replace("E01\n", "\n"), "m2")
    await house.wait(minutes=10)
    assert await house.last(second) == "skipped nothing_new"
    assert (await house.task(second)).context.decision is not None


# -- rest


async def test_lanes_that_have_nothing_to_do_ask_nothing(house: House) -> None:
    house.film_share("swharbor01")
    await house.one(film("swharbor01"))
    await house.one(UNSURE.format(link=link("swnight1")))
    await house.wait(minutes=5)
    reads: list[str] = []
    house.app._db.on_statement = reads.append
    await house.wait(hours=23)
    house.app._db.on_statement = None
    # The daily tidying, and nothing else.
    assert len([statement for statement in reads if "FROM tasks WHERE lane" in statement]) == 0
    assert len(reads) < 20


async def test_waiting_tasks_cost_a_look_each_when_they_are_due_and_none_before(house: House) -> None:
    house.fail("list_share", "busy_task", seconds=3600, times=5)
    tasks = [await house.one(work(number)) for number in range(5)]
    assert {(await house.task(task)).lane for task in tasks} == {Lane.IDENTIFY}
    reads: list[str] = []
    house.app._db.on_statement = reads.append
    await house.wait(minutes=50)
    assert [statement for statement in reads if "FROM tasks WHERE lane" in statement] == []
    house.app._db.on_statement = None


async def test_a_persons_task_goes_before_those_that_wait_longer(house: House) -> None:
    await house.stop()
    await house.start(widths=dict.fromkeys(Lane, 1))
    await pause(house, True)
    for number in range(1, 5):
        await house.post(work(number))
    (view,) = (await house.app.commands.ingest(OWNER, text=work(9)))["tasks"]
    await house.settle()
    await pause(house, False)
    await house.wait(minutes=1)
    assert await house.state(view["id"]) is State.DONE
    first = next(line for line in house.drive.log() if line.deed.value == "receive")
    assert first.share == "swharbor09"
