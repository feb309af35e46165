"""With a file the drive outlives its process, and no kill makes its log and its tree disagree."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import custom_components.reelay.core
from custom_components.reelay.core.drives.base import ROOT
from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_journal import Journal
from custom_components.reelay.core.drives.memory_shares import make_share
from custom_components.reelay.core.drives.memory_state import Deed, LogLine
from custom_components.reelay.core.model.errors import AlreadyReceived, Busy, Transient, Unknown
from custom_components.reelay.core.model.offer import Kind, Parsed
from tests.fakes.clock import FakeClock

SHARE = make_share("open", {f"E{n:02d}.mkv": 1000 + n for n in range(1, 5)})


def open_drive(clock: FakeClock, path: Path) -> MemoryDrive:
    drive = MemoryDrive(clock, path, landing=(1.0, 2.0))
    drive.shares.add(SHARE)
    return drive


async def busy_hour(drive: MemoryDrive, clock: FakeClock) -> None:
    """One of everything."""
    films = await drive.make_folder(ROOT, "Films")
    sent = tuple(entry.id for entry in (await drive.list_share("open", None)).files)
    await drive.receive("open", None, sent, films)
    await clock.advance(3)
    first, second = await drive.list_folder(films)
    await drive.rename({first.id: "Pilot.mkv"})
    await drive.move((first.id,), ROOT)
    await drive.trash((second.id,))
    await drive.put("Films/mine.mkv", 7)
    await drive.add_downloads(("ed2k://|file|x.mkv|57|31D6CFE0D16AE931B73C59D7E0C089C0|/",), films)


async def test_everything_is_there_in_the_next_process(clock: FakeClock, path: Path) -> None:
    drive = open_drive(clock, path)
    await busy_hour(drive, clock)
    downloads, evidence = await drive.downloads(), await drive.evidence(0)
    await drive.close()
    with pytest.raises(Transient):
        await drive.make_folder(ROOT, "too late")
    again = open_drive(clock, path)
    assert again.log() == drive.log()
    assert (again.tree(), again.bin(), again.landing_files()) == (drive.tree(), drive.bin(), 3)
    assert (await again.downloads(), await again.evidence(0)) == (downloads, evidence)
    await clock.advance(60)
    assert again.tree() == drive.tree()
    assert again.landing_files() == 0
    with pytest.raises(AlreadyReceived):
        await again.receive("open", None, again.log()[1].ids, ROOT)
    assert (await again.make_folder(ROOT, "new")) not in {entry.id for entry in drive.tree()}
    await again.close()


async def test_cooldown_login_and_hints_outlive_the_process(clock: FakeClock, path: Path) -> None:
    drive = open_drive(clock, path)
    parsed = Parsed(is_media=True, kind=Kind.SERIES, title="Tidewater", seasons=(2,), episodes=((3, 5),))
    drive.hint("sw1", "ab12", parsed, True)
    listed = await drive.list_share("sw1", "ab12")
    await drive.cool_down(60)
    await drive.close()
    again = open_drive(clock, path)
    with pytest.raises(Busy):
        await again.space()
    await clock.advance(60)
    assert (await again.list_share("sw1", "ab12")).entries == listed.entries
    await again.log_in(alive=False)
    await again.close()
    third = open_drive(clock, path)
    with pytest.raises(Busy):
        await third.space()
    await third.close()


async def test_a_line_cut_off_is_no_line_and_goes_away(clock: FakeClock, path: Path) -> None:
    drive = open_drive(clock, path)
    await busy_hour(drive, clock)
    await drive.close()
    whole = path.read_bytes()
    for cut in (1, 30, len(whole.splitlines()[-1])):
        path.write_bytes(whole[:-cut])
        again = open_drive(clock, path)
        assert again.log() == drive.log()[:-1]
        await again.make_folder(ROOT, f"after {cut}")
        await again.close()
        lines = Journal(path).read()
        assert len(lines) == len(whole.splitlines())
        assert lines[-1].nodes[0].name == f"after {cut}"


async def test_a_full_disk_is_an_unclear_answer_and_the_file_stays_readable(
    clock: FakeClock, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = open_drive(clock, path)
    await drive.make_folder(ROOT, "before")
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", lambda fd, data, at: os.write(fd, data[:10]))
        with pytest.raises(Unknown):
            await drive.make_folder(ROOT, "during")
    await drive.make_folder(ROOT, "after")
    await drive.close()
    assert [line.nodes[0].name for line in open_drive(clock, path).log()] == ["before", "after"]


async def test_a_cancelled_caller_does_not_lose_the_line(clock: FakeClock, path: Path) -> None:
    drive = open_drive(clock, path)
    await drive.space()
    calls = [asyncio.create_task(drive.make_folder(ROOT, f"f{n}")) for n in range(20)]
    for _ in range(3):
        await asyncio.sleep(0)
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    await drive.close()
    assert open_drive(clock, path).tree() == drive.tree()


async def test_files_are_written_by_its_own_thread_which_ends(clock: FakeClock, path: Path) -> None:
    import threading

    drive = open_drive(clock, path)
    await drive.make_folder(ROOT, "f")
    assert any(thread.name.startswith("reelay_demo") for thread in threading.enumerate())
    await drive.close()
    await drive.close()
    deadline = time.monotonic() + 5
    while any(thread.name.startswith("reelay_demo") for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


ABOVE = Path(custom_components.reelay.core.__file__).parents[1]
# The package above the core imports Home Assistant, which takes seconds; a child does without.
CHILD = """
import asyncio, itertools, random, sys, types
from pathlib import Path
above = sys.modules["custom_components.reelay"] = types.ModuleType("custom_components.reelay")
above.__path__ = [sys.argv[3]]
from custom_components.reelay.core.clock import SystemClock
from custom_components.reelay.core.drives.base import ROOT
from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_shares import make_share

async def main():
    drive = MemoryDrive(SystemClock(), Path(sys.argv[1]), landing=(0.0, 0.0))
    dice = random.Random(int(sys.argv[2]))
    for n in itertools.count(len(drive.log())):
        code = f"sw{n}"
        drive.shares.add(make_share(code, {f"E{k:02d}.mkv": k for k in range(1, 6)}))
        staging = await drive.make_folder(ROOT, code)
        ids = tuple(entry.id for entry in (await drive.list_share(code, None)).files)
        await drive.receive(code, None, ids, staging)
        landed = [entry.id for entry in await drive.list_folder(staging)]
        await drive.rename({landed[0]: f"{code}.mkv"})
        await drive.move((landed[0],), ROOT)
        await drive.trash((dice.choice(landed[1:]),))
        # Told to the parent only after the drive has answered: from now on it must be in the log.
        print(code, flush=True)

asyncio.run(main())
"""


def check(drive: MemoryDrive, told: set[str]) -> None:
    """The log and the tree agree, and everything that was answered is in both."""
    log = drive.log()
    count = Counter(line.deed for line in log)
    received = [line.share for line in log if line.deed is Deed.RECEIVE]
    assert len(received) == len(set(received))
    assert told <= set(received)
    files = [entry for entry in drive.tree() + drive.bin() if not entry.folder]
    assert len(files) == 5 * count[Deed.RECEIVE]
    assert len({entry.id for entry in files}) == len(files)
    assert len(drive.bin()) == count[Deed.TRASH]
    assert sum(entry.folder for entry in drive.tree()) == count[Deed.FOLDER]
    assert sum("/" not in entry.path and not entry.folder for entry in drive.tree()) == count[Deed.MOVE]
    assert drive.dangling() == ()


@pytest.mark.kill
def test_the_log_and_the_tree_agree_after_kills_at_random_instants(path: Path) -> None:
    seed = random.SystemRandom().randrange(1_000_000)
    print(f"seed {seed}")
    dice = random.Random(seed)
    told: set[str] = set()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(12):
        command = [sys.executable, "-c", CHILD, str(path), str(dice.randrange(1_000_000)), str(ABOVE)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
            assert child.stdout
            told.add(child.stdout.readline().strip())
            time.sleep(dice.uniform(0, 0.05))
            child.send_signal(signal.SIGKILL)
            told |= {line.strip() for line in child.stdout if line.endswith("\n")}
        check(MemoryDrive(FakeClock(2**50), path), told)
    assert len(told) >= 12


def test_a_line_survives_its_encoding() -> None:
    line = LogLine(deed=Deed.TRASH, at=1, ids=("1", "2"), data={"标题": [1]})
    assert LogLine.decode(line.encode()) == line
    assert line.encode().count(b"\n") == 1
