"""The context is written with every change of state: it holds conclusions, never the files of a share."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from custom_components.reelay.core.app import App, Build, Surroundings
from custom_components.reelay.core.clock import SystemClock
from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_shares import make_share
from custom_components.reelay.core.dryrun import FixedSettings
from custom_components.reelay.core.model.message import Message
from custom_components.reelay.core.model.states import ACTIVE, State
from custom_components.reelay.core.pipeline.transition import Change
from custom_components.reelay.core.plugin_api import Contribution, ExtensionPoint, Plugin
from custom_components.reelay.core.store.codec import dump_context

LIMIT = 8 * 1024
FILES = 5_000
SHOW = "The Paper Comet (1999)"


async def test_a_share_of_5000_files_is_filed_with_a_small_context(tmp_path: Path) -> None:
    episodes = {
        f"{SHOW}/Season {season:02d}/The.Paper.Comet.S{season:02d}E{episode:02d}.1080p.WEB-DL.{kind}": size
        for season in range(1, 51)
        for episode in range(1, 51)
        for kind, size in (
            ("mkv", 1_500_000_000 + season * 1_000_003 + episode),
            ("chs.srt", 60_000 + episode),
        )
    }

    state, sizes = await way(tmp_path, episodes, f"{SHOW} S01-S50 全50季")

    assert state is State.DONE
    assert max(sizes) <= LIMIT


async def test_a_question_about_5000_files_has_a_small_context(tmp_path: Path) -> None:
    long = "很长的名字" * 20
    nameless = {f"{SHOW}/{long}/{long}{letter(n)}.mkv": 1_500_000_000 + n for n in range(FILES)}

    state, sizes = await way(tmp_path, nameless, f"{SHOW} 第1季")

    assert state is State.FAILED
    assert max(sizes) <= LIMIT


def letter(number: int) -> str:
    """A name without any digit."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


async def way(folder: Path, files: Mapping[str, int], title: str) -> tuple[State, list[int]]:
    """Where a task with such a share comes to rest, and the size of its context after every change."""
    assert len(files) == FILES
    clock = SystemClock()
    drive = MemoryDrive(clock, landing=(0.0, 0.0))
    drive.shares.add(make_share("swbigshare1", files, receive_code="ab12"))

    def storage(around: Surroundings) -> MemoryDrive:
        return drive

    point = Contribution(point=ExtensionPoint.STORAGE, name="demo", provider=storage)
    plugin = Plugin(name="drive", contributions=(point,))
    build = Build(folder=folder, clock=clock, settings=FixedSettings(addressees=()), plugins=(plugin,))
    app = await App.start(build)
    changes: list[Change] = []
    rests = asyncio.Event()

    def listen(new: tuple[Change, ...]) -> None:
        changes.extend(new)
        if changes[-1].new.state not in ACTIVE:
            rests.set()

    app.mover.listeners.append(listen)
    try:
        text = f"📺 电视剧：{title}\n🔗 链接: https://115cdn.com/s/swbigshare1?password=ab12"
        await app.intake.deliver((Message(source="telegram:1", message_id="1", posted=1, text=text),))
        await asyncio.wait_for(rests.wait(), 50)
    finally:
        await app.stop()
    return changes[-1].new.state, [len(dump_context(change.new.context).encode()) for change in changes]
