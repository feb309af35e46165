"""Sends with an unclear end: quiet reads, reminders, a person's verify, and giving up."""

from typing import Any

import pytest

from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.errors import Busy
from custom_components.reelay.core.model.notice import NoticeKind
from custom_components.reelay.core.model.share import Phase
from custom_components.reelay.core.model.states import Lane, State
from custom_components.reelay.core.model.task import Actor
from custom_components.reelay.core.pipeline.recheck import VerifyResult, abandon_effects, verify
from custom_components.reelay.core.pipeline.transition import Step
from custom_components.reelay.core.store import outbox
from tests.core.transfer.world import FILM, GIB, SERIES, World, phases

EPISODES = {f"The.Paper.Comet.S01E{n:02d}.mkv": GIB + n for n in range(1, 5)}
PERSON = Actor(id="user:1", interactive=True)
HOUR = 3600.0


async def unclear(world: World, kind: str = "partial", **how: Any) -> int:
    """A task whose four episodes came in half; it waits in need_manual."""
    world.share("pack", EPISODES)
    world.fail("receive", kind, **how)
    number = await world.task("pack", SERIES)
    await world.work(hours=0.04)
    assert (await world.get(number)).state is State.NEED_MANUAL
    return number


async def ask(world: World, number: int, *, partial: bool = False) -> VerifyResult:
    task = await world.get(number)
    return await verify(task, await world.stage(task), accept_partial=partial, actor=PERSON)


async def give_up(world: World, number: int) -> None:
    task = await world.get(number)

    def change(tx: Any, recorder: Any) -> None:
        due = abandon_effects(tx, task, recorder.now)
        step = Step(to=State.SKIPPED, code=Code.ABANDONED)
        lane = Lane.RECHECK if due is not None else None
        recorder.move(tx, task, (step,), actor=PERSON, lane=lane, due_at=due)

    await world.mover.commit(change)


async def test_rechecks_follow_the_schedule_for_a_day_and_leave_no_trace(world: World) -> None:
    number = await unclear(world)
    lines = len(await world.trace(number))
    reads: list[int] = []
    start = (await world.batches(number))[0].sent or 0
    while (due := await world.next_due()) is not None:
        world.clock.jump((due - world.clock.now()) / 1000)
        reads.append((world.clock.now() - start) // 60_000)
        await world.step()
    assert reads[:6] == [7, 17, 37, 77, 137, 197]
    assert reads[-1] == 24 * 60
    task = await world.get(number)
    assert (task.state, task.lane) == (State.NEED_MANUAL, None)
    assert len(await world.trace(number)) == lines
    assert len(world.receives()) == 1


async def test_one_reminder_after_three_equal_results_and_none_at_the_end(world: World) -> None:
    number = await unclear(world)
    assert await world.notices(number) == []
    await world.work(hours=1)
    assert await world.notices(number) == [NoticeKind.ATTENTION]
    row = (await world.db.read(lambda tx: outbox.due(tx, 1 << 62, 9)))[0]
    assert row.notice.data["reminder"] is True
    await world.db.run(lambda tx: outbox.deliver(tx, row.id, "receipt", world.clock.now()))
    await world.work()
    assert await world.notices(number) == []


async def test_a_pause_ends_with_one_last_look_however_long_it_was(world: World) -> None:
    number = await unclear(world, "late", seconds=30 * HOUR)
    world.gates.pause(True)
    world.clock.jump(40 * HOUR)
    assert not await world.step()
    world.gates.pause(False)
    await world.work()
    assert (await world.get(number)).state is State.DONE


async def test_files_that_come_late_complete_the_task_in_one_transaction(world: World) -> None:
    number = await unclear(world, "late", seconds=3 * HOUR)
    await world.work()
    assert (await world.get(number)).state is State.DONE
    lines = await world.trace(number)
    assert len({line.at for line in lines if line.code == Code.RECHECKED}) == 1
    assert await world.claims() == []


async def test_a_changed_recheck_is_traced_once(world: World) -> None:
    world.drive.landing = (0.0, 1200.0)
    world.share("pack", EPISODES)
    number = await world.task("pack", SERIES)
    world.drive.first_look = lambda files: 0.0  # type: ignore[method-assign]
    await world.work()
    assert (await world.get(number)).state is State.DONE
    changes = [line for line in await world.trace(number) if line.code == Code.RECHECKED]
    assert [line.to_state for line in changes].count(State.NEED_MANUAL) == 1


async def test_verify_says_what_is_missing_and_leaves_the_task_where_it_is(world: World) -> None:
    number = await unclear(world)
    answer = await ask(world, number)
    assert (answer.found, answer.state) == (2, State.NEED_MANUAL)
    assert answer.missing == ("The.Paper.Comet.S01E03.mkv", "The.Paper.Comet.S01E04.mkv")
    assert (await world.get(number)).lane is Lane.RECHECK
    assert await world.claims() != []


async def test_verify_works_under_pause(world: World) -> None:
    number = await unclear(world, "late", seconds=HOUR)
    world.gates.pause(True)
    world.clock.jump(2 * HOUR)
    answer = await ask(world, number)
    assert (answer.missing, answer.state) == ((), State.STORED)
    world.gates.pause(False)
    await world.work()
    assert (await world.get(number)).state is State.DONE


async def test_accepting_what_is_whole_files_it_and_lets_the_rest_be_wanted(world: World) -> None:
    number = await unclear(world)
    answer = await ask(world, number, partial=True)
    assert len(answer.missing) == 2
    await world.work()
    assert (await world.get(number)).state is State.DONE
    assert [name.rpartition("/")[2] for name in sorted(world.files())] == [
        "The Paper Comet - S01E01.mkv",
        "The Paper Comet - S01E02.mkv",
    ]
    line = next(line for line in await world.trace(number) if line.code == Code.ACCEPTED_PARTIAL)
    assert line.detail["missing_count"] == 2
    assert await world.claims() == []
    world.share("again", EPISODES)
    other = await world.task("again", SERIES)
    await world.work()
    assert (await world.get(other)).state is State.DONE
    assert len(world.files()) == 4


async def test_a_film_with_a_missing_part_is_never_accepted_in_part(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.CD1.mkv": GIB, "Silver.Harbor.2021.CD2.mkv": GIB + 1})
    world.fail("receive", "partial")
    number = await world.task("film", FILM)
    await world.work(hours=0.04)
    answer = await ask(world, number, partial=True)
    assert (answer.found, answer.state) == (1, State.NEED_MANUAL)


async def test_verify_tells_a_person_that_the_account_is_refused(world: World) -> None:
    number = await unclear(world)
    await world.drive.cool_down(60)
    with pytest.raises(Busy):
        await ask(world, number)
    assert (await world.get(number)).state is State.NEED_MANUAL


async def test_giving_up_ends_claims_and_reports_late_files_once_without_touching_them(world: World) -> None:
    number = await unclear(world, "late", seconds=2 * HOUR)
    await give_up(world, number)
    assert await world.claims() == []
    assert phases(await world.batches(number, ended=True)) == [Phase.ENDED]
    await world.work()
    task = await world.get(number)
    assert (task.state, task.lane) == (State.SKIPPED, None)
    assert [kind for kind in await world.notices(number) if kind is NoticeKind.LATE_FILES] == [
        NoticeKind.LATE_FILES
    ]
    staging = [path for path in world.files() if path.startswith("_staging/")]
    assert len(staging) == 4
    assert world.drive.bin() == ()


async def test_giving_up_without_late_files_ends_the_watch_silently(world: World) -> None:
    number = await unclear(world, "lost_before")
    await give_up(world, number)
    await world.work()
    assert (await world.get(number)).lane is None
    assert NoticeKind.LATE_FILES not in await world.notices(number)


async def test_giving_up_before_a_send_leaves_nothing_to_watch(world: World) -> None:
    world.share("pack", EPISODES)
    world.fail("receive", "busy_task", seconds=600.0)
    number = await world.task("pack", SERIES)
    await world.work(hours=0)
    await give_up(world, number)
    assert await world.claims() == []
    assert (await world.get(number)).lane is None
    await world.check()


async def test_who_waited_for_an_abandoned_task_goes_on_at_once(world: World) -> None:
    number = await unclear(world, "lost_before")
    world.share("other", EPISODES)
    second = await world.task("other", SERIES)
    await world.work(hours=0)
    assert (await world.get(second)).waits_for == number
    await give_up(world, number)
    await world.work(hours=0.5)
    assert (await world.get(second)).state is State.DONE
