"""What a person can do to a task, when, and what becomes of it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from custom_components.reelay.core.commands import Commands
from custom_components.reelay.core.model.errors import CommandError
from custom_components.reelay.core.model.states import Action, State, actions, allowed
from custom_components.reelay.core.policy.schema import Approval, Conflict, Policy
from tests.core.pipeline.house import ACCESS, ADVERT, GIB, GUEST, OWNER, UNSURE, House, film, link, series

ASKING = Policy(approval=Approval.ALWAYS)

#: Every command as a person gives it, with arguments that are fine.
GIVEN: dict[Action, Callable[[Commands, int], Awaitable[dict[str, Any]]]] = {
    Action.APPROVE: lambda to, task: to.approve(OWNER, task),
    Action.IGNORE: lambda to, task: to.ignore(OWNER, task),
    Action.VERIFY: lambda to, task: to.verify(OWNER, task),
    Action.RETRY: lambda to, task: to.retry(OWNER, task),
    Action.REORGANIZE: lambda to, task: to.reorganize(OWNER, task),
    Action.REIDENTIFY: lambda to, task: to.reidentify(OWNER, task),
    Action.CORRECT: lambda to, task: to.correct(OWNER, task, text="Silver Harbor 2021 film"),
    Action.ASSIGN_FILES: lambda to, task: to.assign_files(
        OWNER, task, files=[{"path": "x.mkv", "episode": 1}]
    ),
    Action.RECEIVE_CODE: lambda to, task: to.receive_code(OWNER, task, code="zz99"),
    Action.ABANDON: lambda to, task: to.abandon(OWNER, task),
}


async def refused(work: Awaitable[Any]) -> tuple[str, dict[str, Any]]:
    with pytest.raises(CommandError) as caught:
        await work
    return caught.value.key, caught.value.placeholders


# -- ways into every state a task can stand still in


async def pending(house: House) -> int:
    house.owner.policy = ASKING
    house.film_share("swharbor1")
    return await house.one(film("swharbor1"), "m1")


async def skipped(house: House) -> int:
    task = await pending(house)
    await house.app.commands.ignore(OWNER, task)
    return task


async def rejected(house: House) -> int:
    return await house.one(ADVERT.format(link=link("swadvert1")))


async def parsed(house: House) -> int:
    house.owner.pausing = True
    house.app.settings_changed()
    house.film_share("swharbor1")
    return await house.one(film("swharbor1"))


async def received(house: House) -> int:
    house.fail("list_share", "busy_task", seconds=3600)
    house.film_share("swharbor1")
    return await house.one(film("swharbor1"))


async def queued(house: House) -> int:
    house.fail("make_folder", "busy_task", seconds=3600)
    house.film_share("swharbor1")
    return await house.one(film("swharbor1"))


async def saving(house: House) -> int:
    house.film_share("swharbor1")
    house.fail("receive", "late", seconds=60)
    return await house.one(film("swharbor1"))


async def stored(house: House) -> int:
    house.film_share("swharbor1")
    house.fail("find_folder", "busy_task", seconds=3600, when=lambda call: house.receives() > 0)
    return await house.one(film("swharbor1"))


async def done(house: House) -> int:
    house.film_share("swharbor1")
    task = await house.one(film("swharbor1"))
    await house.wait(minutes=1)
    return task


async def failed(house: House) -> int:
    house.film_share("swharbor1", access="zz99")
    return await house.one(film("swharbor1"))


async def failed_unreadable(house: House) -> int:
    """Three attempts at filing have failed."""
    house.film_share("swharbor1")
    house.fail("move", "refuse_transient", times=None)
    task = await house.one(film("swharbor1"))
    await house.wait(hours=1)
    return task


async def unclear(house: House) -> int:
    """The request was lost, and nothing ever lands."""
    house.film_share("swharbor1")
    house.fail("receive", "lost_before")
    task = await house.one(film("swharbor1"))
    await house.wait(minutes=3)
    return task


async def partly(house: House) -> int:
    house.series_share("swcomet1", 4)
    house.fail("receive", "partial", keep=0.75)
    task = await house.one(series("swcomet1", 4))
    await house.wait(minutes=20)
    return task


async def conflict(house: House) -> int:
    house.owner.policy = Policy(conflict=Conflict.ASK)
    await house.drive.put("Reelay/Films/Silver Harbor (2021)/Silver Harbor (2021).mkv", GIB, after=2)
    house.film_share("swharbor1")
    house.fail("receive", "late", seconds=5)
    task = await house.one(film("swharbor1"))
    await house.wait(minutes=2)
    return task


WAYS: dict[str, tuple[Callable[[House], Awaitable[int]], State]] = {
    "received": (received, State.RECEIVED),
    "parsed": (parsed, State.PARSED),
    "pending_approval": (pending, State.PENDING_APPROVAL),
    "queued": (queued, State.QUEUED),
    "saving": (saving, State.SAVING),
    "organizing": (stored, State.ORGANIZING),
    "done": (done, State.DONE),
    "unclear": (unclear, State.NEED_MANUAL),
    "partly": (partly, State.NEED_MANUAL),
    "conflict": (conflict, State.NEED_MANUAL),
    "failed": (failed, State.FAILED),
    "failed_filing": (failed_unreadable, State.FAILED),
    "skipped": (skipped, State.SKIPPED),
    "rejected": (rejected, State.REJECTED),
}


@pytest.mark.parametrize("way", WAYS)
async def test_exactly_what_the_table_allows_is_done_and_all_else_refused(house: House, way: str) -> None:
    lead, state = WAYS[way]
    task = await lead(house)
    standing = (await house.task(task)).standing
    assert standing.state is state
    possible = ", ".join(action.value for action in actions(standing)) or "-"
    for action, give in GIVEN.items():
        if allowed(action, standing):
            continue
        before = await house.task(task)
        key, facts = await refused(give(house.app.commands, task))
        assert (key, facts["action"], facts["state"]) == ("not_allowed", action.value, state.value)
        assert facts["allowed"] == possible
        assert await house.task(task) == before
    view = (await house.app.queries.get_task(task))["task"]
    assert view["actions"] == [action.value for action in actions(standing)]


@pytest.mark.parametrize("action", GIVEN, ids=str)
async def test_a_task_that_does_not_exist_is_named(house: House, action: Action) -> None:
    assert await refused(GIVEN[action](house.app.commands, 99)) == ("unknown_task", {"task_id": 99})


# -- one by one


async def test_approve_sends_the_task_on_and_takes_the_question_back(house: House) -> None:
    task = await pending(house)
    view = await house.app.commands.approve(OWNER, task, round=2)
    assert (view["id"], view["state"]) == (task, "queued")
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE
    assert house.phones.kinds() == ["approval", "clear", "result"]
    line = next(line for line in await house.trace(task) if line.code == "approved")
    assert line.actor == OWNER.id


async def test_ignore_ends_the_task(house: House) -> None:
    task = await pending(house)
    view = await house.app.commands.ignore(OWNER, task)
    assert (view["state"], view["reasons"]) == ("skipped", ["ignored"])
    assert house.receives() == 0


async def test_of_two_people_who_answer_at_once_one_is_first_and_the_other_is_told(house: House) -> None:
    task = await pending(house)
    answers = await asyncio.gather(
        house.app.commands.approve(OWNER, task, round=2),
        house.app.commands.ignore(GUEST, task, round=2),
        house.app.commands.approve(GUEST, task, round=2),
        return_exceptions=True,
    )
    views = [answer for answer in answers if isinstance(answer, dict)]
    told = [answer for answer in answers if isinstance(answer, CommandError)]
    assert len(views) == 1
    assert [(err.key, err.placeholders) for err in told] == [
        ("already_handled", {"task_id": task, "state": views[0]["state"]})
    ] * 2
    await house.wait(minutes=1)
    assert house.receives() == (views[0]["state"] == "queued")


async def test_an_answer_to_an_older_round_does_nothing(house: House) -> None:
    task = await pending(house)
    await house.app.commands.reidentify(OWNER, task)
    await house.settle()
    now = await house.task(task)
    assert now.state is State.PENDING_APPROVAL
    key, facts = await refused(house.app.commands.approve(OWNER, task, round=2))
    assert (key, facts) == ("old_round", {"task_id": task, "round": 2, "current": now.round})
    assert await house.task(task) == now


async def test_an_answer_to_an_older_round_of_a_task_that_moved_on_says_so(house: House) -> None:
    task = await pending(house)
    await house.app.commands.correct(OWNER, task, text="Golden Harbor 2023 film")
    await house.settle()
    await house.app.commands.ignore(OWNER, task)
    key, facts = await refused(house.app.commands.approve(OWNER, task, round=2))
    assert (key, facts) == ("already_handled", {"task_id": task, "state": "skipped"})


async def test_a_command_against_a_lane_that_is_working_changes_nothing_twice(house: House) -> None:
    house.film_share("swharbor1")
    house.fail("list_share", "slow", seconds=10, when=lambda call: house.drive.calls["list_share"] > 1)
    task = await house.one(film("swharbor1"))
    assert await house.state(task) is State.QUEUED
    await house.app.commands.abandon(OWNER, task)
    await house.wait(minutes=10)
    assert await house.last(task) == "skipped abandoned"
    assert house.receives() == 0
    assert await house.count("claims") == 0


async def test_a_cancelled_command_that_was_carried_out_is_followed_all_the_same(house: House) -> None:
    task = await pending(house)
    turn = asyncio.ensure_future(house.app.commands.approve(OWNER, task))
    for _ in range(3):
        await asyncio.sleep(0)
    turn.cancel()
    await asyncio.gather(turn, return_exceptions=True)
    await house.wait(minutes=1)
    state = await house.state(task)
    assert state in (State.DONE, State.PENDING_APPROVAL)
    assert house.app.snapshot.counts == {state: 1}


async def test_a_correction_in_words_is_identified_anew(house: House) -> None:
    house.film_share("swnight1", "night.mkv")
    task = await house.one(UNSURE.format(link=link("swnight1")))
    assert await house.state(task) is State.PENDING_APPROVAL
    await house.app.commands.correct(OWNER, task, text="Night Flight 1934 film")
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE
    assert house.files() == ["Reelay/Films/Night Flight (1934)/Night Flight (1934).mkv"]
    view = (await house.app.queries.get_task(task))["task"]
    assert (view["title"], view["year"], view["kind"]) == ("Night Flight", 1934, "film")


async def test_a_correction_by_fields_adds_to_the_one_before(house: House) -> None:
    house.film_share("swnight1", "night.mkv")
    task = await house.one(UNSURE.format(link=link("swnight1")))
    await house.app.commands.correct(OWNER, task, title="Night Flight", kind="film")
    await house.settle()
    assert await house.state(task) is State.PENDING_APPROVAL
    await house.app.commands.correct(OWNER, task, year=1934)
    await house.wait(minutes=1)
    work = (await house.task(task)).context.work
    assert work is not None
    assert (work.title, work.year) == ("Night Flight", 1934)
    assert await house.state(task) is State.DONE


@pytest.mark.parametrize("said", [{"text": "  "}, {}, {"text": "?", "kind": "opera"}])
async def test_a_correction_that_says_nothing_is_refused(house: House, said: dict[str, Any]) -> None:
    task = await pending(house)
    assert (await refused(house.app.commands.correct(OWNER, task, **said)))[0] == "bad_correction"


async def test_reidentify_takes_todays_rules(house: House) -> None:
    task = await pending(house)
    house.owner.policy = Policy()
    await house.app.commands.reidentify(OWNER, task)
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE


async def test_an_advert_can_be_brought_back_by_a_correction(house: House) -> None:
    task = await rejected(house)
    house.film_share("swadvert1")
    await house.app.commands.correct(OWNER, task, text="Silver Harbor 2021 film")
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE


async def test_the_right_code_after_a_wrong_one_lets_the_task_go_on(house: House) -> None:
    task = await failed(house)
    assert await house.last(task) == "failed wrong_code"
    assert house.phones.kinds() == ["attention"]
    view = await house.app.commands.receive_code(OWNER, task, code=" zz99 ")
    assert view["state"] == "received"
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE
    assert house.phones.kinds() == ["attention", "clear", "result"]


async def test_a_wrong_code_again_asks_again_on_the_same_phone(house: House) -> None:
    task = await failed(house)
    for code in ("aa11", "bb22"):
        await house.app.commands.receive_code(OWNER, task, code=code)
        await house.settle()
    assert house.phones.kinds() == ["attention", "clear", "attention", "clear", "attention"]
    assert await house.last(task) == "failed wrong_code"


@pytest.mark.parametrize("code", ["", "  ", "ab 12", "代码12", "x" * 17])
async def test_a_code_that_cannot_be_one_is_refused(house: House, code: str) -> None:
    task = await failed(house)
    assert (await refused(house.app.commands.receive_code(OWNER, task, code=code)))[0] == "bad_receive_code"


async def test_a_code_given_to_a_question_is_used_and_the_question_asked_with_what_was_seen(
    house: House,
) -> None:
    house.owner.policy = ASKING
    house.film_share("swharbor1")
    task = await house.one(UNSURE.format(link=link("swother1")))
    await house.app.commands.receive_code(OWNER, task, code=ACCESS)
    await house.settle()
    assert await house.state(task) is State.PENDING_APPROVAL
    assert (await house.task(task)).round == 4


async def test_a_person_says_which_of_several_features_is_the_film(house: House) -> None:
    house.share("swharbor1", {"Twin/The Crossing.mkv": 4 * GIB, "Twin/The Return.mkv": 4 * GIB + 1})
    task = await house.one("🎬 电影：Twin Harbors (2020) 1080p\n" + link("swharbor1"))
    assert await house.last(task) == "failed several_features"
    detail = await house.app.queries.get_task(task)
    assert detail["problems"][0]["data"]["files"] == ["Twin/The Return.mkv", "Twin/The Crossing.mkv"]
    await house.app.commands.assign_files(
        OWNER,
        task,
        files=[{"path": "Twin/The Crossing.mkv"}, {"path": "Twin/The Return.mkv", "leave_out": True}],
    )
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE
    assert house.files() == ["Reelay/Films/Twin Harbors (2020)/Twin Harbors (2020).mkv"]


@pytest.mark.parametrize("files", [[], [{"episode": 1}], [{"path": "x", "season": "one"}]])
async def test_an_assignment_that_cannot_be_read_is_refused(
    house: House, files: list[dict[str, Any]]
) -> None:
    task = await failed(house)
    assert (await refused(house.app.commands.assign_files(OWNER, task, files=files)))[0] == "bad_assignment"


async def test_an_assignment_leaves_an_open_question_open(house: House) -> None:
    house.owner.policy = ASKING
    house.share("swharbor1", {"The Crossing.mkv": 4 * GIB, "The Return.mkv": 4 * GIB + 1})
    task = await house.one(film("swharbor1"))
    await house.app.commands.assign_files(OWNER, task, files=[{"path": "The Crossing.mkv"}])
    assert await house.state(task) is State.PENDING_APPROVAL
    await house.app.commands.approve(OWNER, task, round=2)
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE


async def test_retry_goes_on_from_where_it_failed(house: House) -> None:
    task = await failed_unreadable(house)
    assert (await house.task(task)).retry_from is State.STORED
    house.drive.faults.clear()
    await house.app.commands.retry(OWNER, task)
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE
    assert house.receives() == 1


@pytest.mark.parametrize(
    ("answer", "names", "binned"),
    [
        ("keep_both", ["Silver Harbor (2021) (2).mkv", "Silver Harbor (2021).mkv"], 0),
        ("skip", ["Silver Harbor (2021).mkv"], 1),
    ],
)
async def test_the_answer_to_a_name_conflict_is_done(
    house: House, answer: str, names: list[str], binned: int
) -> None:
    task = await conflict(house)
    assert await house.last(task) == "need_manual name_conflict"
    await house.app.commands.reorganize(OWNER, task, conflict=answer)
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE
    assert sorted(path.rpartition("/")[2] for path in house.files()) == names
    assert sum(not entry.folder for entry in house.drive.bin()) == binned


async def test_an_answer_to_a_conflict_that_is_none_is_refused(house: House) -> None:
    task = await conflict(house)
    for said in ("ask", "burn"):
        assert (await refused(house.app.commands.reorganize(OWNER, task, conflict=said)))[0] == "bad_conflict"


async def test_reorganize_uses_todays_names(house: House) -> None:
    task = await failed_unreadable(house)
    house.drive.faults.clear()
    house.owner.policy = Policy(film_folder="Movies/{year}", film_name="{title}")
    await house.app.commands.reorganize(OWNER, task)
    await house.wait(minutes=1)
    assert house.files() == ["Reelay/Movies/2021/Silver Harbor.mkv"]


async def test_abandon_before_a_send_lets_others_have_it(house: House) -> None:
    first = await queued(house)
    second = await house.one(film("swharbor1"), "other")
    assert (await house.task(second)).waits_for == first
    view = (await house.app.queries.get_task(second))["task"]
    assert view["reasons"][0] == "waits_for_task"
    await house.app.commands.abandon(OWNER, first)
    await house.wait(minutes=1)
    assert await house.last(first) == "skipped abandoned"
    assert await house.state(second) is State.DONE


async def test_files_that_arrive_after_all_was_given_up_are_told_once_and_left_alone(house: House) -> None:
    house.film_share("swharbor1")
    house.fail("receive", "late", seconds=7200)
    task = await house.one(film("swharbor1"))
    await house.wait(minutes=3)
    assert await house.state(task) is State.NEED_MANUAL
    await house.app.commands.abandon(OWNER, task)
    assert await house.count("claims") == 0
    await house.wait(hours=26)
    assert house.phones.kinds().count("late_files") == 1
    assert (await house.task(task)).lane is None
    assert "/.reelay" in house.files()[0] or "staging" in house.files()[0].lower()
    assert house.receives() == 1


async def test_verify_moves_on_what_is_whole_even_in_a_pause(house: House) -> None:
    house.film_share("swharbor1")
    house.fail("receive", "late", seconds=200)
    task = await house.one(film("swharbor1"))
    await house.wait(minutes=3)
    house.owner.pausing = True
    house.app.settings_changed()
    answer = await house.app.commands.verify(OWNER, task)
    assert answer["verify"] == {"found": 0, "missing": ["Silver.Harbor.2021.1080p.WEB-DL.mkv"]}
    assert answer["state"] == "need_manual"
    await house.wait(minutes=3)
    answer = await house.app.commands.verify(OWNER, task)
    assert (answer["state"], answer["verify"]["found"]) == ("stored", 1)
    await house.wait(minutes=5)
    assert await house.state(task) is State.STORED
    house.owner.pausing = False
    house.app.settings_changed()
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE


async def test_a_person_accepts_what_is_complete(house: House) -> None:
    task = await partly(house)
    detail = await house.app.queries.get_task(task)
    assert [file["problem"] for file in detail["files"]].count("still_missing") == 1
    answer = await house.app.commands.verify(OWNER, task)
    assert (answer["state"], answer["verify"]["found"]) == ("need_manual", 3)
    answer = await house.app.commands.verify(OWNER, task, accept_partial=True)
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE
    assert len(house.files()) == 3
    assert await house.count("claims") == 0


async def test_a_drive_that_refuses_to_be_read_is_named_in_the_answer(house: House) -> None:
    task = await unclear(house)
    house.fail("list_tree", "lost_before")
    assert await refused(house.app.commands.verify(OWNER, task)) == ("drive_error", {"reason": "drive_error"})
    assert await house.state(task) is State.NEED_MANUAL


# -- handing in


async def test_a_text_that_is_handed_in_becomes_a_wanted_task(house: House) -> None:
    house.film_share("swharbor1")
    answer = await house.app.commands.ingest(OWNER, text=film("swharbor1"))
    (view,) = answer["tasks"]
    assert (answer["known"], view["wanted_by"]) == (False, OWNER.id)
    await house.wait(minutes=1)
    assert await house.state(view["id"]) is State.DONE


async def test_links_that_are_being_worked_on_answer_with_their_task(house: House) -> None:
    task = await pending(house)
    answer = await house.app.commands.ingest(OWNER, text=link("swharbor1"))
    assert answer["known"]
    assert [view["id"] for view in answer["tasks"]] == [task]


async def test_of_several_links_only_those_that_are_new_become_tasks(house: House) -> None:
    known = await pending(house)
    answer = await house.app.commands.ingest(OWNER, text=f"{film('swharbor1')}\n\n{film('swharbor2')}")
    assert not answer["known"]
    assert answer["tasks"][0]["id"] == known
    assert await house.count("tasks") == 2


async def test_what_is_stored_already_is_a_question_when_a_person_hands_it_in(house: House) -> None:
    await done(house)
    house.film_share("swharbor22", "Silver.Harbor.2021.2160p.mkv")
    (view,) = (await house.app.commands.ingest(OWNER, text=film("swharbor22")))["tasks"]
    await house.settle()
    assert await house.last(view["id"]) == "pending_approval all_stored"
    await house.app.commands.approve(OWNER, view["id"])
    await house.wait(minutes=1)
    assert await house.state(view["id"]) is State.DONE
    assert len(house.files()) == 2


@pytest.mark.parametrize(
    ("text", "key"),
    [("", "text_empty"), (" \n\u200b", "text_empty"), ("好" * 400_000, "text_too_long"), ("hi", "no_offer")],
)
async def test_a_text_that_is_no_use_is_refused(house: House, text: str, key: str) -> None:
    assert (await refused(house.app.commands.ingest(OWNER, text=text)))[0] == key
    assert await house.count("messages") == 0


async def test_again_after_all_was_done_asks_first(house: House) -> None:
    task = await done(house)
    view = await house.app.commands.ingest_again(OWNER, task)
    await house.settle()
    assert view["follows"] == task
    assert (await house.way(view["id"]))[0] == "received ingested_again"
    assert await house.state(view["id"]) is State.PENDING_APPROVAL
    assert await house.state(task) is State.DONE


async def test_again_after_an_unclear_send_looks_a_last_time_and_gives_the_old_one_up(house: House) -> None:
    task = await unclear(house)
    view = await house.app.commands.ingest_again(OWNER, task)
    await house.wait(minutes=1)
    assert await house.last(task) == "skipped abandoned"
    assert await house.state(view["id"]) is State.DONE
    assert house.receives() == 1


async def test_again_when_the_files_have_come_meanwhile_says_so(house: House) -> None:
    house.film_share("swharbor1")
    house.fail("receive", "late", seconds=240)
    task = await house.one(film("swharbor1"))
    await house.wait(minutes=4, seconds=10)
    assert await house.state(task) is State.NEED_MANUAL
    key, _ = await refused(house.app.commands.ingest_again(OWNER, task))
    assert key == "already_landed"
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE
    assert await house.count("tasks") == 1


@pytest.mark.parametrize("way", ["pending_approval", "queued", "saving", "failed", "skipped"])
async def test_again_needs_something_that_was_sent_and_has_come_to_rest(house: House, way: str) -> None:
    task = await WAYS[way][0](house)
    assert (await refused(house.app.commands.ingest_again(OWNER, task)))[0] == "not_allowed"
