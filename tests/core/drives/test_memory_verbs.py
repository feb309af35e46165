"""The in-memory drive answers the way the real one does."""

import asyncio

import pytest

from custom_components.reelay.core.drives.base import ROOT, Drive, Limits
from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_shares import Condition, make_share
from custom_components.reelay.core.drives.memory_state import Deed
from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.errors import AlreadyReceived, Busy, Permanent, Scope, Transient
from tests.fakes.clock import FakeClock

GIB = 1024**3


async def ids(drive: MemoryDrive, code: str, receive_code: str | None = None) -> tuple[str, ...]:
    return tuple(entry.id for entry in (await drive.list_share(code, receive_code)).files)


def names(entries: tuple) -> list[str]:
    return [entry.path for entry in entries]


def test_it_has_the_verbs_of_a_drive(drive: MemoryDrive) -> None:
    anything: Drive = drive
    assert anything.name == "demo"


async def test_a_share_lists_folders_before_what_is_in_them(drive: MemoryDrive) -> None:
    listing = await drive.list_share("film", "ab12")
    assert names(listing.entries) == ["Film (2001)", "Film (2001)/Film.mkv", "Film (2001)/Film.srt"]
    folder, video, _ = listing.entries
    assert (folder.folder, folder.parent, folder.size) == (True, ROOT, 0)
    assert video.parent == folder.id
    assert video.sha1 == video.sha1.upper()
    assert len(video.sha1) == 40
    assert listing.title == "Film (2001)"
    assert await drive.list_share("film", "ab12") == listing


@pytest.mark.parametrize(
    ("given", "code"), [(None, Code.CODE_NEEDED), ("", Code.CODE_NEEDED), ("zzzz", Code.WRONG_CODE)]
)
async def test_a_share_with_a_code_opens_for_that_code_only(
    drive: MemoryDrive, given: str | None, code: Code
) -> None:
    with pytest.raises(Permanent) as listed:
        await drive.list_share("film", given)
    with pytest.raises(Permanent) as received:
        await drive.receive("film", given, ("1",), ROOT)
    assert listed.value.code == received.value.code == code


async def test_an_open_share_needs_no_code(drive: MemoryDrive) -> None:
    assert len(await ids(drive, "open")) == len(await ids(drive, "open", "zzzz")) == 4


async def test_a_share_can_die_and_be_audited(drive: MemoryDrive) -> None:
    drive.shares.change("open", Condition.DEAD)
    with pytest.raises(Permanent) as dead:
        await drive.list_share("open", None)
    assert dead.value.code == Code.SHARE_DEAD
    drive.shares.change("open", Condition.AUDIT)
    with pytest.raises(Transient) as audit:
        await drive.list_share("open", None)
    assert audit.value.code == Code.SHARE_AUDIT


async def test_a_share_grows_with_time_and_after_a_first_receive(
    drive: MemoryDrive, clock: FakeClock
) -> None:
    first = await ids(drive, "growing")
    assert len(first) == 1
    await clock.advance(60)
    assert len(await ids(drive, "growing")) == 2
    await drive.receive("growing", None, first, ROOT)
    await clock.advance(29)
    assert len(await ids(drive, "growing")) == 2
    await clock.advance(1)
    assert (await ids(drive, "growing"))[0] == first[0]
    drive.shares.grow("growing", {"Show/E04.mkv": GIB})
    assert len(await ids(drive, "growing")) == 4


async def test_received_files_appear_one_after_the_other_with_new_ids(
    drive: MemoryDrive, clock: FakeClock
) -> None:
    staging = await drive.make_folder(ROOT, "staging")
    sent = await ids(drive, "open")
    assert await drive.receive("open", None, sent, staging) == "accepted"
    assert await drive.list_folder(staging) == ()
    assert drive.landing_files() == 4
    await clock.advance(1)
    assert names(await drive.list_folder(staging)) == ["one.mkv"]
    await clock.advance(4)
    assert names(await drive.list_folder(staging)) == ["one.mkv", "two.mkv", "three.mkv"]
    await clock.advance(2)
    landed = await drive.list_folder(staging)
    assert drive.landing_files() == 0
    assert not {entry.id for entry in landed} & set(sent)
    source = (await drive.list_share("open", None)).files
    assert [(e.path, e.size, e.sha1) for e in landed] == [(e.path, e.size, e.sha1) for e in source]
    assert drive.first_look(4) == 9


async def test_a_received_folder_brings_its_subtree_and_a_file_comes_alone(
    drive: MemoryDrive, clock: FakeClock
) -> None:
    folder, video, _ = (await drive.list_share("film", "ab12")).entries
    await drive.receive("film", "ab12", (video.id,), ROOT)
    await clock.advance(60)
    assert names(drive.tree()) == ["Film.mkv"]
    whole = await drive.make_folder(ROOT, "whole")
    await drive.receive("film", "ab12", (folder.id,), whole)
    await clock.advance(60)
    assert names(await drive.list_tree(whole)) == ["Film (2001)/Film.mkv", "Film (2001)/Film.srt"]
    assert names(await drive.list_folder(whole)) == ["Film (2001)"]


async def test_what_was_received_before_is_refused_even_when_it_is_gone(
    drive: MemoryDrive, clock: FakeClock
) -> None:
    sent = await ids(drive, "open")
    await drive.receive("open", None, sent[:2], ROOT)
    await clock.advance(60)
    await drive.trash(tuple(entry.id for entry in drive.tree()))
    with pytest.raises(AlreadyReceived):
        await drive.receive("open", None, sent[:2], await drive.make_folder(ROOT, "other"))
    await drive.receive("open", None, sent[1:3], ROOT)
    await clock.advance(60)
    assert names(drive.tree()) == ["other", "two.mkv", "three.mkv"]


async def test_the_memory_can_be_stricter_or_absent(clock: FakeClock) -> None:
    for already, refused in (("any", True), (None, False)):
        drive = MemoryDrive(clock, already=already)
        drive.shares.add(make_share("open", {"a.mkv": 1, "b.mkv": 1}))
        sent = await ids(drive, "open")
        await drive.receive("open", None, sent[:1], ROOT)
        if refused:
            with pytest.raises(AlreadyReceived):
                await drive.receive("open", None, sent, ROOT)
        else:
            await drive.receive("open", None, sent, ROOT)


async def test_a_receive_above_the_limit_without_ids_or_with_foreign_ids_is_refused(clock: FakeClock) -> None:
    drive = MemoryDrive(clock, limits=Limits(receive=3))
    drive.shares.add(make_share("big", {f"all/{n}.mkv": 1 for n in range(4)}))
    folder = (await drive.list_share("big", None)).entries[0]
    with pytest.raises(Permanent) as above:
        await drive.receive("big", None, (folder.id,), ROOT)
    assert above.value.code == Code.NOT_SUPPORTED
    for wrong in ((), ("1",)):
        with pytest.raises(Permanent) as refused:
            await drive.receive("big", None, wrong, ROOT)
        assert refused.value.code == Code.DRIVE_REFUSED
    assert drive.log() == ()


async def test_a_full_drive_refuses(clock: FakeClock) -> None:
    drive = MemoryDrive(clock, total=10)
    drive.shares.add(make_share("open", {"a.mkv": 6, "b.mkv": 6}))
    first, second = await ids(drive, "open")
    await drive.receive("open", None, (first,), ROOT)
    assert (await drive.space()).free == 4
    with pytest.raises(Permanent) as full:
        await drive.receive("open", None, (second,), ROOT)
    assert full.value.code == Code.NO_SPACE


async def test_an_unknown_folder_lists_the_root_and_the_verb_notices(drive: MemoryDrive) -> None:
    await drive.put("mine.mkv", 1)
    assert drive._raw_rows("404")[0] == ROOT
    for verb in (drive.list_folder, drive.list_tree):
        with pytest.raises(Permanent) as error:
            await verb("404")
        assert error.value.code == Code.DRIVE_ERROR


async def test_a_folder_is_made_once_and_found_by_path(drive: MemoryDrive) -> None:
    films = await drive.make_folder(ROOT, "Films")
    assert await drive.make_folder(ROOT, "Films") == films
    inner = await drive.make_folder(films, "F (2001)")
    assert await drive.find_folder(ROOT, "Films/F (2001)") == inner
    assert await drive.find_folder(ROOT, "/Films/") == films
    assert await drive.find_folder(ROOT, "films") is None
    assert await drive.find_folder("404", "Films") is None
    assert [line.deed for line in drive.log()] == [Deed.FOLDER, Deed.FOLDER]
    for name in ("", 'a"b', "a/b", "x" * 256):
        with pytest.raises(Permanent):
            await drive.make_folder(ROOT, name)
    with pytest.raises(Permanent):
        await drive.make_folder("404", "x")


async def test_equal_names_lie_side_by_side(drive: MemoryDrive) -> None:
    first, second = await drive.put("a/f.mkv", 1), await drive.put("b/f.mkv", 2)
    target = await drive.make_folder(ROOT, "target")
    await drive.move((first, second), target)
    assert names(await drive.list_folder(target)) == ["f.mkv", "f.mkv"]
    await drive.rename({first: "g.mkv"})
    assert names(await drive.list_folder(target)) == ["g.mkv", "f.mkv"]


async def test_a_rename_keeps_the_extension_a_file_has(drive: MemoryDrive) -> None:
    file, folder = await drive.put("old.mkv", 1), await drive.make_folder(ROOT, "folder")
    await drive.rename({file: "New S01E01.mp4", folder: "v1.5"})
    assert names(await drive.list_folder(ROOT)) == ["New S01E01.mkv", "v1.5"]
    await drive.rename({file: "bare"})
    assert "bare.mkv" in names(await drive.list_folder(ROOT))
    with pytest.raises(Permanent):
        await drive.rename({"404": "x"})


async def test_things_moved_to_nowhere_dangle(drive: MemoryDrive) -> None:
    file = await drive.put("f.mkv", 1)
    await drive.move((file,), "404")
    assert drive.tree() == ()
    assert [entry.id for entry in drive.dangling()] == [file]


async def test_a_folder_cannot_move_into_itself(drive: MemoryDrive) -> None:
    outer = await drive.make_folder(ROOT, "outer")
    inner = await drive.make_folder(outer, "inner")
    with pytest.raises(Permanent):
        await drive.move((outer,), inner)


async def test_the_deletion_of_a_full_folder_keeps_the_next_one_waiting(clock: FakeClock) -> None:
    drive = MemoryDrive(clock, deletion=10.0)
    file, other = await drive.put("full/f.mkv", 1), await drive.put("other.mkv", 1)
    empty, full = await drive.make_folder(ROOT, "empty"), await drive.find_folder(ROOT, "full")
    await drive.trash((empty,))
    await drive.trash((full,))
    with pytest.raises(Busy) as busy:
        await drive.trash((other,))
    assert (busy.value.code, busy.value.scope) == (Code.DELETION_RUNNING, Scope.ACCOUNT)
    assert busy.value.until == clock.now() + 10_000
    await clock.advance(10)
    await drive.trash((other, file))
    assert names(drive.bin()) == ["empty", "full", "full/f.mkv", "other.mkv"]
    assert drive.tree() == ()


async def test_the_receive_history_is_evidence(drive: MemoryDrive, clock: FakeClock) -> None:
    staging = await drive.make_folder(ROOT, "staging")
    folder = (await drive.list_share("film", "ab12")).entries[0]
    await drive.receive("film", "ab12", (folder.id,), staging)
    (row,) = await drive.evidence(clock.now() - 1)
    assert (row.name, row.folder, row.size) == ("Film (2001)", "staging", 4 * GIB + 900)
    assert await drive.evidence(clock.now() + 1) == ()


async def test_cloud_downloads_run_end_and_are_forgotten(clock: FakeClock) -> None:
    drive = MemoryDrive(clock, download=10.0)
    into = await drive.make_folder(ROOT, "in")
    url = "ed2k://|file|My%20Film.mkv|57|31D6CFE0D16AE931B73C59D7E0C089C0|/"
    (job,) = await drive.add_downloads((url,), into)
    assert (job.name, job.size, job.status, job.file_id) == ("My Film.mkv", 57, "waiting", None)
    await clock.advance(5)
    assert [(j.status, j.percent) for j in await drive.downloads()] == [("running", 50.0)]
    assert await drive.list_folder(into) == ()
    await clock.advance(5)
    (done,) = await drive.add_downloads((url,), into)
    assert (done.key, done.status) == (job.key, "done")
    assert [entry.id for entry in await drive.list_folder(into)] == [done.file_id]
    assert sum(line.deed is Deed.DOWNLOAD for line in drive.log()) == 1
    await drive.forget_downloads((done.key, "other"))
    assert await drive.downloads() == ()
    assert len(await drive.list_folder(into)) == 1
    with pytest.raises(Permanent):
        await drive.add_downloads(("ed2k://|file|cut",), into)


async def test_cooldown_and_a_dead_login_refuse_every_verb(drive: MemoryDrive, clock: FakeClock) -> None:
    await drive.cool_down(30)
    with pytest.raises(Busy) as cool:
        await drive.list_folder(ROOT)
    assert (cool.value.code, cool.value.scope) == (Code.COOLDOWN, Scope.ACCOUNT)
    assert cool.value.until == clock.now() + 30_000
    await clock.advance(30)
    await drive.list_folder(ROOT)
    await drive.log_in(alive=False)
    with pytest.raises(Busy) as dead:
        await drive.space()
    assert (dead.value.code, dead.value.until) == (Code.LOGIN_DEAD, None)
    await drive.log_in()
    await drive.space()
    assert drive.calls == {"list_folder": 2, "space": 2}


async def test_what_the_drive_lost_is_nowhere(drive: MemoryDrive) -> None:
    file = await drive.put("folder/f.mkv", 5)
    await drive.lose(file)
    assert names(drive.tree()) == ["folder"]
    assert drive.bin() == drive.dangling() == ()
    with pytest.raises(Permanent):
        await drive.move((file,), ROOT)


async def test_a_cancelled_request_may_have_been_executed(drive: MemoryDrive) -> None:
    sent = await ids(drive, "open")
    request = asyncio.create_task(drive.receive("open", None, sent, ROOT))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    assert [line.deed for line in drive.log()] == [Deed.RECEIVE]
