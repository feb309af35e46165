"""What each answer to the one request leads to: state, phase and claims, and never a second request."""

from typing import Any

import pytest

from custom_components.reelay.core.drives.memory_shares import Condition
from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.errors import Transient
from custom_components.reelay.core.model.notice import NoticeKind
from custom_components.reelay.core.model.share import Phase
from custom_components.reelay.core.model.states import Lane, State
from tests.core.transfer.world import GIB, World, phases

# kind, details, state, phase of the batch, claims, lane, executed receives
TABLE: list[tuple[str, dict[str, Any], State, Phase | None, int, Lane | None, int]] = [
    ("lost_before", {}, State.NEED_MANUAL, Phase.UNKNOWN, 1, Lane.RECHECK, 0),
    ("html", {}, State.NEED_MANUAL, Phase.UNKNOWN, 1, Lane.RECHECK, 1),
    ("lost_after", {}, State.NEED_MANUAL, Phase.UNKNOWN, 1, Lane.RECHECK, 1),
    ("refuse_transient", {}, State.FAILED, Phase.DRAFT, 0, Lane.TRANSFER, 0),
    ("refuse_permanent", {}, State.FAILED, Phase.DRAFT, 0, None, 0),
    ("busy_task", {"seconds": 60.0}, State.QUEUED, Phase.PREPARED, 1, Lane.TRANSFER, 0),
    ("busy_account", {"seconds": 60.0}, State.QUEUED, Phase.PREPARED, 1, Lane.TRANSFER, 0),
    ("login_dead", {}, State.QUEUED, Phase.PREPARED, 1, Lane.TRANSFER, 0),
    ("lie_accepted", {}, State.SAVING, Phase.ACCEPTED, 1, Lane.TRANSFER, 0),
    ("partial", {"keep": 0.0}, State.SAVING, Phase.ACCEPTED, 1, Lane.TRANSFER, 1),
]


@pytest.mark.parametrize(("kind", "how", "state", "phase", "claims", "lane", "executed"), TABLE)
async def test_an_answer_decides_state_phase_and_claims_together(
    world: World,
    kind: str,
    how: dict[str, Any],
    state: State,
    phase: Phase,
    claims: int,
    lane: Lane | None,
    executed: int,
) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    world.fail("receive", kind, **how)
    number = await world.task("film")
    await world.work(hours=0)
    task = await world.get(number)
    assert (task.state, task.lane) == (state, lane)
    assert phases(await world.batches(number)) == [phase]
    assert len(await world.claims()) == claims
    assert len(world.receives()) == executed
    assert task.sent == (phase in (Phase.UNKNOWN, Phase.ACCEPTED))
    await world.check()


@pytest.mark.parametrize(
    "kind", ["lost_after", "html", "refuse_transient", "busy_task", "busy_account", "late"]
)
async def test_whatever_the_answer_the_film_arrives_once_in_the_end(world: World, kind: str) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    world.fail("receive", kind, seconds=60.0)
    number = await world.task("film")
    await world.work()
    assert (await world.get(number)).state is State.DONE
    assert len(world.receives()) == 1
    assert len(world.files()) == 1
    await world.check()
    await world.check_library()


async def test_an_unforeseen_error_in_a_drive_is_an_unclear_end(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})

    async def broken(*_: Any) -> str:
        raise RuntimeError("a fault in the drive's code")

    world.drive.receive = broken  # type: ignore[method-assign]
    number = await world.task("film")
    await world.work(hours=0)
    assert (await world.get(number)).state is State.NEED_MANUAL
    assert phases(await world.batches(number)) == [Phase.UNKNOWN]


async def test_three_refusals_and_then_a_person_is_asked(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    world.fail("receive", "refuse_transient", times=None)
    number = await world.task("film")
    await world.work()
    task = await world.get(number)
    assert (task.state, task.lane, task.retry_from) == (State.FAILED, None, State.QUEUED)
    assert world.drive.calls["receive"] == 4
    assert await world.notices(number) == [NoticeKind.ATTENTION]
    assert await world.claims() == []
    assert [row for row in world.drive.tree() if row.folder and "_staging/" in row.path] == []


async def test_already_received_without_an_unclear_send_is_a_question_with_evidence(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    elsewhere = await world.drive.make_folder("0", "elsewhere")
    row = world.drive.shares.find("film").entries(0, None)[0]
    await world.drive.receive("film", None, (row.id,), elsewhere)
    number = await world.task("film")
    await world.work(hours=0)
    task = await world.get(number)
    line = (await world.trace(number))[-1]
    assert (task.state, line.code) == (State.NEED_MANUAL, Code.ALREADY_RECEIVED)
    assert line.detail["evidence"][0]["folder"] == "elsewhere"  # type: ignore[index]
    assert await world.notices(number) == [NoticeKind.ATTENTION]
    await world.work()
    assert (await world.get(number)).state is State.NEED_MANUAL
    assert len(world.receives()) == 1


async def test_a_refusal_that_was_a_lie_is_found_in_staging_and_not_sent_again(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    true = world.drive.receive

    async def lying(*args: Any) -> str:
        await true(*args)
        raise Transient(Code.DRIVE_REFUSED)

    world.drive.receive = lying  # type: ignore[method-assign]
    number = await world.task("film")
    await world.work(hours=0)
    world.drive.receive = true  # type: ignore[method-assign]
    assert (await world.get(number)).state is State.FAILED
    await world.work()
    assert (await world.get(number)).state is State.DONE
    assert len(world.receives()) == 1
    await world.check()


async def test_files_of_strangers_in_a_fresh_staging_folder_stop_the_send(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    await world.drive.put("Reelay/_staging/1-1-t0000001/strange.mkv", 7)
    number = await world.task("film")
    await world.work()
    task = await world.get(number)
    assert (task.state, (await world.trace(number))[-1].code) == (State.FAILED, Code.FOREIGN_STAGING)
    assert world.receives() == []
    assert await world.claims() == []


async def test_a_dead_share_fails_for_good_and_holds_nothing(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB}, condition=Condition.DEAD)
    number = await world.task("film")
    await world.work()
    task = await world.get(number)
    assert (task.state, task.lane, (await world.trace(number))[-1].code) == (
        State.FAILED,
        None,
        Code.SHARE_DEAD,
    )
    assert not task.sent


async def test_while_the_account_cools_down_nothing_is_asked_and_then_it_goes_on(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    await world.drive.cool_down(600)
    number = await world.task("film")
    await world.work(hours=0)
    assert (await world.get(number)).state is State.QUEUED
    calls = world.drive.calls.total()
    await world.work(hours=0)
    assert world.drive.calls.total() == calls
    await world.work()
    assert (await world.get(number)).state is State.DONE
