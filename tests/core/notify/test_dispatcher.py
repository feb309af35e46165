"""What people are told, how often it is tried, and that a question which is over disappears everywhere."""

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from custom_components.reelay.core.model.notice import Notice, NoticeKind
from custom_components.reelay.core.model.states import State
from custom_components.reelay.core.notify import dispatcher
from custom_components.reelay.core.policy.schema import Approval, Policy
from custom_components.reelay.core.ports import NotifierBusy
from custom_components.reelay.core.store import outbox
from tests.core.pipeline.house import OWNER, UNSURE, House, film, link
from tests.fakes.clock import START

QUESTION = UNSURE.format(link=link("swnight1"))


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[House]:
    """A house with two phones."""
    made = await House(tmp_path, phones=("phone:a", "phone:b")).start()
    yield made
    await made.stop()


async def rows(house: House) -> list[tuple[str, str, str | None]]:
    def read(tx: Any) -> Any:
        return tx.execute("SELECT kind, target, outcome FROM outbox ORDER BY id").fetchall()

    return list(await house.app._db.read(read))


def fails(*targets: str, error: type[BaseException] = OSError) -> Any:
    def answer(target: str, notice: Notice) -> None:
        if target in targets:
            raise error("no way")

    return answer


async def test_a_question_is_delivered_once_to_each_phone_with_what_is_known_then(two: House) -> None:
    task = await two.one(QUESTION)
    await two.wait(hours=2)
    await two.restart()
    await two.wait(hours=2)
    assert two.phones.kinds("phone:a") == two.phones.kinds("phone:b") == ["approval"]
    _, notice, facts = two.phones.sent[0]
    assert (notice.task, notice.round) == (task, facts["round"])
    assert (facts["id"], facts["state"]) == (task, "pending_approval")
    assert two.app.snapshot.outbox_backlog == 0


async def test_nothing_is_sent_before_the_surroundings_are_up_and_everything_then(two: House) -> None:
    two.begins = False
    await two.restart()
    await two.post(QUESTION)
    await two.wait(hours=1)
    assert two.phones.sent == []
    assert two.app.snapshot.outbox_backlog == 2
    two.app.begin()
    two.app.begin()
    await two.settle()
    assert two.phones.kinds() == ["approval", "approval"]


async def test_a_failing_phone_is_tried_with_longer_waits_eight_times_and_no_more(two: House) -> None:
    tries: list[float] = []

    def answer(target: str, notice: Notice) -> None:
        if target == "phone:b":
            tries.append(two.clock.monotonic())
            raise OSError("no way")

    two.phones.answer = answer
    await two.post(QUESTION)
    await two.wait(hours=24)
    waits = [round(later - earlier) for earlier, later in pairwise(tries)]
    assert waits == [10, 30, 60, 300, 900, 1800, 3600]
    assert two.phones.kinds() == ["approval"]
    assert await rows(two) == [("approval", "phone:a", "delivered"), ("approval", "phone:b", "failed")]


async def test_a_phone_that_works_again_gets_its_question(two: House) -> None:
    two.phones.answer = fails("phone:b")
    await two.post(QUESTION)
    await two.wait(20)
    two.phones.answer = None
    await two.wait(minutes=5)
    assert sorted(to for to, _, _ in two.phones.sent) == ["phone:a", "phone:b"]


async def test_a_notifier_that_raises_what_means_stop_stops_nothing(two: House) -> None:
    two.phones.answer = fails("phone:b", error=asyncio.CancelledError)
    await two.post(QUESTION)
    await two.wait(20)
    two.phones.answer = None
    await two.wait(minutes=5)
    assert sorted(to for to, _, _ in two.phones.sent) == ["phone:a", "phone:b"]


async def test_a_notifier_that_hangs_is_cut_off_and_keeps_nobody_waiting(
    two: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dispatcher.TIME_LIMIT == 30
    monkeypatch.setattr(dispatcher, "TIME_LIMIT", 0.05)
    hanging = [True]

    def answer(target: str, notice: Notice) -> Any:
        return asyncio.Event().wait() if target == "phone:b" and hanging[0] else None

    two.phones.answer = answer
    await two.post(QUESTION)
    await asyncio.sleep(0.2)
    await two.settle()
    assert two.phones.kinds("phone:a") == ["approval"]
    hanging[0] = False
    await two.wait(minutes=1)
    assert two.phones.kinds("phone:b") == ["approval"]


async def test_a_phone_that_is_not_registered_yet_costs_no_attempt_for_ten_minutes(two: House) -> None:
    tries = []

    def answer(target: str, notice: Notice) -> None:
        if target == "phone:b":
            tries.append(two.clock.now() - START)
            raise NotifierBusy(15, counts=False)

    two.phones.answer = answer
    await two.post(QUESTION)
    await two.wait(minutes=9)
    assert len(tries) > 30
    attempts = await two.app._db.read(lambda tx: [row.attempts for row in outbox.due(tx, 1 << 62, 9)])
    assert attempts == [0]
    await two.wait(hours=2)
    assert await rows(two) == [("approval", "phone:a", "delivered"), ("approval", "phone:b", "failed")]
    assert sum(at >= 600_000 for at in tries) == 8


async def test_a_busy_phone_is_asked_again_when_it_says(two: House) -> None:
    tries = []

    def answer(target: str, notice: Notice) -> None:
        if target == "phone:b":
            tries.append(two.clock.now() - START)
            if len(tries) == 1:
                raise NotifierBusy(77)

    two.phones.answer = answer
    await two.post(QUESTION)
    await two.wait(minutes=5)
    assert tries == [0, 77_000]


async def test_a_target_nobody_serves_is_given_up_in_the_end_and_keeps_no_backlog(two: House) -> None:
    two.owner.phones = ("phone:a", "pigeon:x")
    await two.post(QUESTION)
    await two.wait(minutes=5)
    assert two.app.snapshot.outbox_backlog == 1
    await two.wait(hours=24)
    assert two.app.snapshot.outbox_backlog == 0
    assert await rows(two) == [("approval", "phone:a", "delivered"), ("approval", "pigeon:x", "failed")]


# -- questions that are over


async def test_an_answered_question_is_taken_back_from_every_phone_that_had_it(two: House) -> None:
    two.phones.answer = fails("phone:b")
    task = await two.one(QUESTION)
    await two.app.commands.ignore(OWNER, task)
    two.phones.answer = None
    await two.wait(hours=1)
    assert two.phones.kinds("phone:a") == ["approval", "clear"]
    assert two.phones.kinds("phone:b") == []
    clear = two.phones.of(NoticeKind.CLEAR)[0][1]
    assert clear.data == {"receipt": "receipt-1", "kind": "approval"}


async def test_a_question_that_is_answered_on_its_way_is_cleared_when_it_arrives(two: House) -> None:
    arrive = asyncio.Event()

    def answer(target: str, notice: Notice) -> Any:
        return arrive.wait() if notice.kind is NoticeKind.APPROVAL and target == "phone:b" else None

    two.phones.answer = answer
    task = await two.one(QUESTION)
    await two.app.commands.ignore(OWNER, task)
    arrive.set()
    await two.wait(minutes=1)
    assert two.phones.kinds("phone:b") == ["approval", "clear"]


async def test_a_question_of_an_older_round_is_dropped_and_the_new_one_sent(two: House) -> None:
    two.owner.policy = Policy(approval=Approval.ALWAYS)
    two.phones.answer = fails("phone:a", "phone:b")
    task = await two.one(film("swharbor1"))
    await two.app.commands.reidentify(OWNER, task)
    await two.settle()
    two.phones.answer = None
    await two.wait(minutes=5)
    assert [notice.round for _, notice, _ in two.phones.sent] == [4, 4]


async def test_a_result_is_told_whatever_has_happened_since(two: House) -> None:
    two.phones.answer = fails("phone:a", "phone:b")
    two.film_share("swharbor1")
    task = await two.one(film("swharbor1"))
    await two.wait(minutes=1)
    assert await two.state(task) is State.DONE
    two.phones.answer = None
    await two.wait(minutes=5)
    assert two.phones.kinds() == ["result", "result"]


async def test_a_failure_that_is_being_retried_is_no_news(two: House) -> None:
    two.fail("list_share", "lost_before", times=None)
    task = await two.one(film("swharbor1"))
    two.phones.answer = fails("phone:a", "phone:b")
    await two.wait(hours=1)
    assert (await two.task(task)).due_at is None
    await two.app.commands.retry(OWNER, task)
    await two.settle()
    assert (await two.task(task)).due_at is not None
    two.phones.answer = None
    await two.wait(5)
    assert two.phones.sent == []


async def test_a_second_failure_asks_again_and_is_not_wiped_off_by_the_clearing_of_the_first(
    two: House,
) -> None:
    """The clearing of the first question is late: it must not take the second one, of the same round, away."""
    two.film_share("swharbor1")
    two.fail("make_folder", "refuse_permanent", times=2)
    offline = [False]

    def answer(target: str, notice: Notice) -> None:
        if offline[0] and target == "phone:b":
            raise OSError("no way")

    two.phones.answer = answer
    task = await two.one(film("swharbor1"))
    offline[0] = True
    two.fail("list_share", "slow", seconds=2)
    await two.app.commands.retry(OWNER, task)
    await two.wait(3)
    offline[0] = False
    await two.wait(hours=1)
    assert two.phones.kinds("phone:a") == ["attention", "clear", "attention"]
    assert two.phones.kinds("phone:b") == ["attention", "attention"]
    await two.app.commands.retry(OWNER, task)
    await two.wait(minutes=2)
    assert two.phones.kinds("phone:a")[-2:] == ["clear", "result"]
    assert two.phones.kinds("phone:b")[-2:] == ["clear", "result"]


async def test_a_question_asked_again_while_the_old_one_is_being_dropped_is_not_lost(house: House) -> None:
    house.film_share("swharbor1")
    house.fail("make_folder", "refuse_permanent", times=2)
    arrive = asyncio.Event()
    house.phones.answer = fails("phone:a")
    task = await house.one(film("swharbor1"))
    await house.post(QUESTION)
    house.phones.answer = lambda target, notice: arrive.wait() if notice.task != task else None
    await house.wait(9)
    house.fail("list_share", "slow", seconds=5)
    await house.app.commands.retry(OWNER, task)
    await house.wait(10)
    assert await house.state(task) is State.FAILED
    assert house.phones.sent == []
    arrive.set()
    await house.wait(minutes=2)
    assert sorted(house.phones.kinds()) == ["approval", "attention"]


async def test_results_are_not_told_where_nobody_wants_them(two: House) -> None:
    two.owner.policy = Policy(notify_done=False)
    two.film_share("swharbor1")
    task = await two.one(film("swharbor1"))
    await two.wait(minutes=1)
    assert await two.state(task) is State.DONE
    assert two.phones.sent == []


# -- alerts


async def alerts(house: House) -> list[tuple[str, str]]:
    return [
        (notice.data["category"], notice.data["state"]) for _, notice, _ in house.phones.of(NoticeKind.ALERT)
    ]


async def test_a_dead_login_is_told_once_and_its_end_once_also_over_restarts(house: House) -> None:
    await house.drive.log_in(alive=False)
    await house.post(film("swharbor1"))
    await house.wait(hours=1)
    for _ in range(3):
        await house.restart()
        await house.wait(hours=1)
    assert await alerts(house) == [("drive", "bad")]
    await house.drive.log_in()
    await house.restart()
    await house.wait(hours=1)
    await house.restart()
    await house.wait(hours=1)
    assert await alerts(house) == [("drive", "bad"), ("drive", "good")]
    await house.drive.cool_down(600)
    await house.post(film("swharbor2"))
    await house.wait(hours=1)
    assert await alerts(house) == [("drive", "bad"), ("drive", "good")] * 2


async def test_a_cooldown_that_is_prolonged_is_told_once(house: House) -> None:
    for _ in range(3):
        await house.drive.cool_down(600)
        await house.post(film("swharbor1"))
        await house.wait(500)
    assert await alerts(house) == [("drive", "bad")]


async def test_a_source_that_was_bad_before_a_restart_and_works_now_is_told_good(house: House) -> None:
    house.app.board.report("source:telegram:1", "bad", reason="login_dead")
    await house.settle()
    await house.restart()
    house.app.board.report("source:telegram:1", "ok")
    house.app.board.report("source:telegram:2", "ok")
    await house.settle()
    assert await alerts(house) == [("source:telegram:1", "bad"), ("source:telegram:1", "good")]


async def test_plugins_and_the_database_alert_nobody(house: House) -> None:
    house.app.board.report("plugin:x", "bad", reason="OSError")
    house.app.board.report("database", "bad", reason="database_full")
    await house.settle()
    assert house.phones.sent == []


async def test_an_alert_is_tried_every_minute_for_a_day_with_the_time_it_happened(house: House) -> None:
    tries: list[int] = []

    def answer(target: str, notice: Notice) -> None:
        tries.append(house.clock.now())
        assert notice.data["since"] == START
        raise OSError("no way")

    house.phones.answer = answer
    house.app.board.report("source:telegram:1", "bad")
    await house.wait(hours=25)
    assert {later - earlier for earlier, later in pairwise(tries)} == {60_000}
    assert len(tries) in (24 * 60, 24 * 60 + 1)
    assert (await rows(house))[0][2] == "failed"
