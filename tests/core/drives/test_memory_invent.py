"""Shares nobody prepared list what an uploader could really have put there, always the same."""

import asyncio
from collections import Counter

import pytest

from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_shares import KEPT
from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.errors import Permanent
from custom_components.reelay.core.model.offer import Kind, Parsed, Release
from custom_components.reelay.core.model.share import Listing
from tests.fakes.clock import FakeClock

GIB = 1024**3
SERIES = Parsed(
    is_media=True,
    kind=Kind.SERIES,
    title="潮汐旅店",
    original_title="Tidewater Inn",
    year=2024,
    seasons=(1,),
    episodes=((1, 12),),
    release=Release(resolution="2160p", source="WEB-DL", hdr=("DV",)),
)
FILM = Parsed(is_media=True, kind=Kind.FILM, title="Silver Harbor", year=2021)


async def listing(
    parsed: Parsed | None = None, code: str = "swtest", *, is_media: bool = True, hinted: bool = True
) -> Listing:
    drive = MemoryDrive(FakeClock())
    if hinted:
        drive.hint(code, None, parsed, is_media)
    return await drive.list_share(code, None)


def videos(listing: Listing) -> list[str]:
    return [e.path for e in listing.files if e.path.endswith((".mkv", ".mp4")) and e.size > 300 * 1024**2]


async def test_the_same_share_always_lists_the_same() -> None:
    for parsed in (SERIES, FILM, None):
        assert await listing(parsed) == await listing(parsed)
    assert (await listing(FILM, "swa")).entries != (await listing(FILM, "swb")).entries


async def test_without_a_hint_it_is_a_plausible_film() -> None:
    for n in range(20):
        share = await listing(code=f"sw{n}", hinted=False)
        assert len([path for path in videos(share) if "花絮" not in path]) == 1
        assert all(entry.sha1 and len(entry.sha1) == 40 for entry in share.files)


async def test_a_series_has_season_folders_and_its_episodes_but_for_a_missing_one() -> None:
    extras: Counter[str] = Counter()
    for n in range(200):
        share = await listing(SERIES, f"sw{n}")
        episodes = [path for path in videos(share) if "花絮" not in path]
        assert 10 <= len(episodes) <= 12
        assert all(path.count("/") == 2 for path in episodes)
        assert all(2 * GIB <= e.size <= 7 * GIB for e in share.files if e.path in episodes)
        paths = " ".join(entry.path for entry in share.files)
        extras["missing"] += len(episodes) < 12
        extras["sample"] += "ample" in paths
        extras["subtitles"] += ".ass" in paths
        extras["extras"] += "花絮" in paths
        extras["cards"] += "tvshow.nfo" in paths
    assert set(extras) == {"missing", "sample", "subtitles", "extras", "cards"}
    assert all(5 <= count <= 100 for count in extras.values()), extras


async def test_several_seasons_each_have_a_folder() -> None:
    share = await listing(SERIES.model_copy(update={"seasons": (0, 1, 2), "episodes": (), "complete": True}))
    folders = {entry.path.split("/")[1] for entry in share.files if entry.path.count("/") == 2}
    assert len(folders - {"花絮"}) == 3


async def test_one_episode_lies_alone() -> None:
    share = await listing(SERIES.model_copy(update={"episodes": ((7, 7),)}))
    assert len(videos(share)) == 1
    assert "/" not in share.files[0].path


async def test_a_films_stated_size_is_about_what_it_has() -> None:
    share = await listing(FILM.model_copy(update={"release": Release(size=20 * GIB)}))
    assert abs(max(entry.size for entry in share.files) / (20 * GIB) - 1) <= 0.031


async def test_a_collection_has_several_films_and_software_has_none() -> None:
    assert len(videos(await listing(FILM.model_copy(update={"collection": True})))) >= 3
    assert videos(await listing(FILM, is_media=False)) == []


async def test_a_growing_share_keeps_the_files_it_had() -> None:
    for n in range(50):
        drive = MemoryDrive(FakeClock())
        drive.hint("sw", "ab12", SERIES.model_copy(update={"episodes": ((1, 6 + n % 5),)}), True)
        before = {e.id: (e.size, e.sha1) for e in (await drive.list_share("sw", "ab12")).files}
        drive.hint("sw", "ab12", SERIES.model_copy(update={"episodes": ((12, 12),), "title": "other"}), True)
        after = {e.id: (e.size, e.sha1) for e in (await drive.list_share("sw", "ab12")).files}
        assert before.items() < after.items()


async def test_the_hinted_code_opens_it() -> None:
    drive = MemoryDrive(FakeClock())
    drive.hint("sw", "ab12", SERIES, True)
    for given, code in ((None, Code.CODE_NEEDED), ("zzzz", Code.WRONG_CODE)):
        with pytest.raises(Permanent) as error:
            await drive.list_share("sw", given)
        assert error.value.code == code
    await drive.list_share("sw", "ab12")


async def test_huge_claims_stay_bounded_and_names_are_what_a_drive_takes() -> None:
    share = await listing(
        SERIES.model_copy(update={"episodes": ((1, 100_000),), "original_title": '<A/B: "C">'})
    )
    assert len(share.files) < 3000
    assert not any(set(entry.name) & set('"<>:|?*') for entry in share.entries)


async def test_invented_shares_do_not_pile_up() -> None:
    drive = MemoryDrive(FakeClock())
    first = await drive.list_share("sw0", None)
    await asyncio.gather(*(drive.list_share(f"sw{n}", None) for n in range(KEPT + 10)))
    assert len(drive.shares._invented) == KEPT
    assert await drive.list_share("sw0", None) == first
