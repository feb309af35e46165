"""Each sample has the share its post speaks of, and the drive behind it does what the sample shows."""

import re
from pathlib import Path

import pytest

from custom_components.reelay.core.drives.base import ROOT
from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.errors import Permanent, Unknown
from custom_components.reelay.core.model.message import Message
from custom_components.reelay.core.sources.later import later_sample, later_share
from custom_components.reelay.core.sources.sample import ACCESS, Sample
from custom_components.reelay.core.sources.samples import SAMPLES, demo_drive
from tests.fakes.clock import FakeClock

BY_NAME = {sample.name: sample for sample in SAMPLES}


def codes(message: Message) -> set[str]:
    urls = [entity.url or "" for entity in message.entities]
    urls += [button.url or "" for row in message.buttons for button in row]
    return set(re.findall(r"/s/(\w+)", message.text + " ".join(urls), re.ASCII))


async def send(drive: MemoryDrive, name: str, into: str = ROOT) -> tuple[str, ...]:
    (code,) = codes(BY_NAME[name].message(0))
    listing = await drive.list_share(code, ACCESS)
    await drive.receive(code, ACCESS, tuple(entry.id for entry in listing.files), into)
    return tuple(entry.path for entry in listing.files)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_sample_has_its_links_where_its_words_are(sample: Sample) -> None:
    message = sample.message(7)
    for entity in message.entities:
        spoken = message.text.encode("utf-16-le")[2 * entity.offset : 2 * (entity.offset + entity.length)]
        assert spoken.decode("utf-16-le") == sample.words
    assert {share.code for share in sample.shares} <= codes(message)
    assert (sample.shows, codes(message)) != ("", set())


def test_the_samples_show_everything_in_time_order() -> None:
    assert {sample.shows for sample in SAMPLES} >= {
        "saved at once",
        "rejected",
        "skipped",
        "asked",
        "failed",
        "saved after a while",
        "asked about a name",
        "only what is new is saved",
        "needs attention",
    }
    assert [sample.at for sample in SAMPLES] == sorted(sample.at for sample in SAMPLES)
    assert SAMPLES[-1].at <= 120


def test_sizes_tell_the_files_of_a_sample_apart() -> None:
    for sample in SAMPLES:
        for share in sample.shares:
            assert len({file.size for file in share.files}) == len(share.files)
            assert len({file.sha1 for file in share.files}) == len(share.files)


async def test_the_growing_share_brings_more_after_it_was_received() -> None:
    clock = FakeClock()
    drive = demo_drive(clock)
    assert len(await send(drive, "growing")) == 4
    (code,) = codes(BY_NAME["growing-more"].message(0))
    assert len((await drive.list_share(code, ACCESS)).files) == 6


async def test_what_goes_wrong_goes_wrong() -> None:
    clock = FakeClock()
    drive = demo_drive(clock, root="/Mine/")
    with pytest.raises(Permanent) as dead:
        await send(drive, "dead")
    assert dead.value.code == Code.SHARE_DEAD
    with pytest.raises(Unknown):
        await send(drive, "unclear")
    await send(drive, "slow")
    await send(drive, "partly", await drive.make_folder(ROOT, "partly"))
    await send(drive, "conflict")
    await clock.advance(20)
    paths = [entry.path for entry in drive.tree()]
    assert "Mine/Films/Nosferatu (1922)/Nosferatu (1922).mkv" in paths
    assert not any("General" in path for path in paths)
    await clock.advance(600)
    assert any("General" in entry.path for entry in drive.tree())
    assert sum(entry.path.startswith("partly/") for entry in drive.tree()) == 3


async def test_pace_shortens_all_waiting(tmp_path: Path) -> None:
    clock = FakeClock()
    drive = demo_drive(clock, tmp_path / "drive.jsonl", pace=0.01)
    await send(drive, "slow")
    await clock.advance(0.5)
    assert drive.landing_files() == 0
    await drive.close()


async def test_later_messages_are_all_different_and_have_their_shares() -> None:
    start = FakeClock().now() // 600_000
    drive = demo_drive(FakeClock())
    texts = set()
    for slot in range(start, start + 500):
        message = later_sample(slot).message(0)
        texts.add(message.text.replace(str(slot), ""))
        (code,) = codes(message)
        (video,) = (await drive.list_share(code, ACCESS)).files
        title = re.search(r"：(.+?) \(", message.text)
        assert title
        assert title[1].replace(" ", ".") in video.name
        with pytest.raises(Permanent):
            await drive.list_share(code, None)
    assert len(texts) == 500
    assert later_share("swlaterx") is None
    assert later_share("swother") is None
