"""A commit waits for the disk, and on an SD card that is what a task's time consists of: their number is a promise."""

import asyncio
from pathlib import Path

from custom_components.reelay.core.app import App, Build, Surroundings
from custom_components.reelay.core.clock import SystemClock
from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_shares import make_share
from custom_components.reelay.core.dryrun import Collector, FixedSettings
from custom_components.reelay.core.model.message import Message
from custom_components.reelay.core.model.notice import NoticeKind
from custom_components.reelay.core.model.states import State
from custom_components.reelay.core.plugin_api import Contribution, ExtensionPoint, Plugin

COMMITS = 8
FILM = Message(
    source="telegram:1",
    message_id="1",
    posted=1,
    text=(
        "🎬 电影：大都会 (1927)\n⭐️ 评分: 8.3\n🎞️ 质量: 1080p BluRay HEVC\n💾 大小: 11.6 GB\n\n"
        "🔗 链接: https://115cdn.com/s/swmetropol1?password=ab12"
    ),
)


async def test_a_film_of_one_file_takes_eight_commits_from_the_post_to_the_delivered_notice(
    tmp_path: Path,
) -> None:
    clock = SystemClock()
    drive = MemoryDrive(clock, landing=(0.0, 0.0))
    path = "大都会 (1927)/Metropolis.1927.1080p.BluRay.x265-RIVER.mkv"
    drive.shares.add(make_share("swmetropol1", {path: 12_455_405_158}, receive_code="ab12"))

    def storage(around: Surroundings) -> MemoryDrive:
        return drive

    point = Contribution(point=ExtensionPoint.STORAGE, name="demo", provider=storage)
    people = Collector()
    app = await App.start(
        Build(
            folder=tmp_path,
            clock=clock,
            settings=FixedSettings(),
            notifiers={"collect": people},
            plugins=(Plugin(name="drive", contributions=(point,)),),
        )
    )
    try:
        told = asyncio.Event()
        app.on_snapshot(
            lambda now: (
                told.set() if people.sent and not now.outbox_backlog and State.DONE in now.counts else None
            )
        )
        app.begin()
        before = app._db.commits
        await app.intake.deliver((FILM,))
        await asyncio.wait_for(told.wait(), 20)
        commits = app._db.commits - before
    finally:
        await app.stop()

    assert app.snapshot.counts == {State.DONE: 1}
    assert [notice.kind for notice in people.sent] == [NoticeKind.RESULT]
    assert commits <= COMMITS
