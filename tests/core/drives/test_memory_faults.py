"""Each fault does what its name says, as often as asked, to the calls it is meant for."""

import asyncio

import pytest

from custom_components.reelay.core.drives.base import ROOT
from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_faults import Fault, FaultKind
from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.errors import Busy, Permanent, ReelayError, Scope, Transient, Unknown
from tests.fakes.clock import FakeClock


async def receive(drive: MemoryDrive, code: str = "open") -> ReelayError | str:
    sent = tuple(entry.id for entry in (await drive.list_share(code, None)).files)
    try:
        return await drive.receive(code, None, sent, ROOT)
    except ReelayError as err:
        return err


@pytest.mark.parametrize(
    ("kind", "answer", "executed"),
    [
        (FaultKind.LOST_BEFORE, Unknown, False),
        (FaultKind.LOST_AFTER, Unknown, True),
        (FaultKind.HTML, Unknown, True),
        (FaultKind.LIE_ACCEPTED, str, False),
        (FaultKind.REFUSE_TRANSIENT, Transient, False),
        (FaultKind.REFUSE_PERMANENT, Permanent, False),
        (FaultKind.BUSY_TASK, Busy, False),
        (FaultKind.BUSY_ACCOUNT, Busy, False),
        (FaultKind.LOGIN_DEAD, Busy, False),
        (FaultKind.PARTIAL, str, True),
        (FaultKind.LATE, str, True),
    ],
)
async def test_a_receive_goes_wrong_and_the_log_tells_whether_it_was_executed(
    drive: MemoryDrive, kind: FaultKind, answer: type, executed: bool
) -> None:
    drive.faults.append(Fault(verb="receive", kind=kind))
    assert isinstance(await receive(drive), answer)
    assert bool(drive.log()) is executed
    assert drive.faults[0].times == 0


async def test_an_account_fault_stays_until_it_is_over(drive: MemoryDrive, clock: FakeClock) -> None:
    drive.faults.append(Fault(verb="receive", kind=FaultKind.BUSY_ACCOUNT, seconds=60))
    busy = await receive(drive)
    assert isinstance(busy, Busy)
    assert (busy.code, busy.scope, busy.until) == (Code.COOLDOWN, Scope.ACCOUNT, clock.now() + 60_000)
    with pytest.raises(Busy):
        await drive.list_folder(ROOT)
    await clock.advance(60)
    drive.faults.append(Fault(verb="list_folder", kind=FaultKind.LOGIN_DEAD))
    for _ in range(2):
        with pytest.raises(Busy) as dead:
            await drive.list_folder(ROOT)
        assert dead.value.code == Code.LOGIN_DEAD
    await drive.log_in()
    await drive.list_folder(ROOT)


async def test_a_busy_task_names_its_time_and_leaves_others_alone(
    drive: MemoryDrive, clock: FakeClock
) -> None:
    drive.faults.append(Fault(verb="receive", kind=FaultKind.BUSY_TASK, seconds=5))
    busy = await receive(drive)
    assert isinstance(busy, Busy)
    assert (busy.code, busy.scope, busy.until) == (Code.DELETION_RUNNING, Scope.TASK, clock.now() + 5_000)
    assert await receive(drive) == "accepted"


async def test_an_error_page_opens_the_breaker_when_asked(drive: MemoryDrive) -> None:
    drive.faults.append(Fault(verb="receive", kind=FaultKind.HTML, seconds=60))
    assert isinstance(await receive(drive), Unknown)
    with pytest.raises(Busy):
        await drive.space()


async def test_only_part_of_it_ever_lands(drive: MemoryDrive, clock: FakeClock) -> None:
    drive.faults.append(Fault(verb="receive", kind=FaultKind.PARTIAL, keep=0.75))
    await receive(drive)
    await clock.advance(3600)
    assert len(drive.tree()) == 3
    assert len(drive.log()[0].sources) == 4


async def test_it_lands_late(drive: MemoryDrive, clock: FakeClock) -> None:
    drive.faults.append(Fault(verb="receive", kind=FaultKind.LATE, seconds=40))
    await receive(drive)
    await clock.advance(40)
    assert drive.tree() == ()
    await clock.advance(1)
    assert len(drive.tree()) == 1


async def test_a_slow_answer_takes_its_time(drive: MemoryDrive, clock: FakeClock) -> None:
    drive.faults.append(Fault(verb="space", kind=FaultKind.SLOW, seconds=10))
    call = asyncio.create_task(drive.space())
    await clock.advance(9)
    assert not call.done()
    await clock.advance(1)
    assert call.done()


async def test_a_listing_that_answers_with_the_root_is_an_error(drive: MemoryDrive) -> None:
    folder = await drive.make_folder(ROOT, "folder")
    drive.faults.append(Fault(verb="list_folder", kind=FaultKind.WRONG_FOLDER))
    with pytest.raises(Permanent) as error:
        await drive.list_folder(folder)
    assert error.value.code == Code.DRIVE_ERROR
    assert await drive.list_folder(folder) == ()


async def test_a_failed_read_is_transient(drive: MemoryDrive) -> None:
    for kind in (FaultKind.LOST_BEFORE, FaultKind.LOST_AFTER, FaultKind.HTML):
        drive.faults.append(Fault(verb="list_share", kind=kind))
        with pytest.raises(Transient):
            await drive.list_share("open", None)


async def test_faults_choose_by_share_verb_predicate_and_count(drive: MemoryDrive) -> None:
    drive.faults += [
        Fault(verb="receive", kind="lost_after", share="film"),
        Fault(verb="*", kind="refuse_transient", when=lambda call: call.into == "404", times=None),
        Fault(verb="receive", kind="lost_before", times=2, share="open", code=Code.DRIVE_ERROR),
    ]
    for _ in range(2):
        lost = await receive(drive)
        assert isinstance(lost, Unknown)
        assert lost.code == Code.DRIVE_ERROR
        with pytest.raises(Transient):
            await drive.list_folder("404")
    assert await receive(drive) == "accepted"
    assert drive.faults[0].times == 1


async def test_an_answer_lost_on_a_folder_leaves_the_folder(drive: MemoryDrive) -> None:
    drive.faults.append(Fault(verb="make_folder", kind="lost_after"))
    with pytest.raises(Unknown):
        await drive.make_folder(ROOT, "staging")
    assert await drive.find_folder(ROOT, "staging") == await drive.make_folder(ROOT, "staging")


async def test_some_downloads_fail(drive: MemoryDrive, clock: FakeClock) -> None:
    urls = tuple(f"ed2k://|file|E0{n}.mkv|57|{n:032X}|/" for n in range(1, 4))
    drive.faults.append(Fault(verb="add_downloads", kind="partial", keep=0.5))
    await drive.add_downloads(urls, ROOT)
    await clock.advance(3600)
    assert [job.status for job in await drive.downloads()] == ["done", "done", "failed"]
    assert [entry.path for entry in drive.tree()] == ["E01.mkv", "E02.mkv"]
