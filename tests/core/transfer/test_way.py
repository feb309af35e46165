"""The undisturbed way of a task from the queue into the library."""

from pathlib import Path

from custom_components.reelay.core.drives.base import Limits
from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.notice import NoticeKind
from custom_components.reelay.core.model.offer import Kind, Parsed
from custom_components.reelay.core.model.share import Phase
from custom_components.reelay.core.model.states import State
from tests.core.transfer.world import FILM, GIB, SERIES, World, phases

FOLDER = "Films/Silver Harbor (2021)"
EPISODES = {f"Comet/The.Paper.Comet.S01E{n:02d}.1080p.mkv": GIB + n for n in range(1, 8)}


async def test_a_film_is_filed_under_its_clean_name_with_its_subtitle(world: World) -> None:
    world.share(
        "film",
        {
            "Silver.Harbor.2021.1080p/Silver.Harbor.2021.1080p.mkv": 4 * GIB,
            "Silver.Harbor.2021.1080p/Silver.Harbor.2021.1080p.chs.srt": 900,
            "Silver.Harbor.2021.1080p/Sample/sample.mkv": 9_000_000,
            "Silver.Harbor.2021.1080p/poster.jpg": 500,
        },
    )
    task = await world.task("film")
    await world.work()
    assert await world.way(task) == ["saving", "stored", "organizing", "done"]
    assert world.files() == {
        f"{FOLDER}/Silver Harbor (2021).mkv": 4 * GIB,
        f"{FOLDER}/Silver Harbor (2021).chs.srt": 900,
    }
    assert await world.claims() == []
    assert await world.notices(task) == [NoticeKind.RESULT]
    assert [row.path for row in world.drive.tree() if row.folder and "_staging/" in row.path] == []
    await world.check()
    await world.check_library()


async def test_a_film_takes_five_commits_from_the_queue_to_done(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    await world.task("film")
    before = world.db.functions
    await world.work()
    assert world.db.functions - before == 5


async def test_a_share_above_the_receive_limit_goes_in_batches_one_after_the_other(tmp_path: Path) -> None:
    world = await World(tmp_path, limits=Limits(receive=3)).start()
    world.share("pack", EPISODES)
    task = await world.task("pack", SERIES)
    await world.work()
    assert (await world.get(task)).state is State.DONE
    assert [len(sources) for _, sources in world.receives()] == [3, 3, 1]
    assert phases(await world.batches(task)) == [Phase.LANDED] * 3
    season = "Series/The Paper Comet (2019)/Season 01"
    assert set(world.files()) == {f"{season}/The Paper Comet - S01E{n:02d}.mkv" for n in range(1, 8)}
    await world.check()
    await world.check_library()
    await world.stop()


async def test_a_manifest_of_many_rows_is_written_in_slices_and_arrives_whole(tmp_path: Path) -> None:
    world = await World(tmp_path).start()
    world.share("long", {f"Comet/The.Paper.Comet.S01E{n:04d}.mkv": 1000 + n for n in range(1, 1101)})
    task = await world.task("long", SERIES)
    await world.work()
    assert (await world.get(task)).state is State.DONE
    assert len(world.files()) == 1100
    await world.check()
    await world.stop()


async def test_slow_landing_is_waited_for_without_a_question(tmp_path: Path) -> None:
    world = await World(tmp_path, landing=(20.0, 1.0)).start()
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    task = await world.task("film")
    await world.work()
    assert await world.way(task) == ["saving", "stored", "organizing", "done"]
    await world.stop()


async def test_very_slow_landing_resolves_itself_through_quiet_rechecks(world: World) -> None:
    world.fail("receive", "late", seconds=900.0)
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    task = await world.task("film")
    await world.work()
    assert await world.way(task) == [
        *("saving", "need_manual", "queued", "saving", "stored", "organizing", "done")
    ]
    assert await world.notices(task) == [NoticeKind.RESULT]
    assert len(world.receives()) == 1


async def test_a_growing_share_brings_only_what_is_new(world: World) -> None:
    world.share("grow", dict(list(EPISODES.items())[:2]))
    await world.task("grow", SERIES)
    await world.work()
    world.drive.shares.grow("grow", dict(list(EPISODES.items())[2:4]))
    second = await world.task("grow", SERIES)
    await world.work()
    assert (await world.get(second)).state is State.DONE
    assert [len(sources) for _, sources in world.receives()] == [2, 2]


async def test_a_share_with_nothing_new_is_skipped_without_a_request(world: World) -> None:
    world.share("grow", dict(list(EPISODES.items())[:2]))
    await world.task("grow", SERIES)
    await world.work()
    second = await world.task("grow", SERIES)
    await world.work()
    assert (await world.get(second)).state is State.SKIPPED
    assert (await world.trace(second))[-1].code == Code.NOTHING_NEW
    assert len(world.receives()) == 1


async def test_what_the_owner_put_into_the_library_counts_as_stored(world: World) -> None:
    await world.drive.put(f"Reelay/{FOLDER}/Silver Harbor.mkv", 3 * GIB)
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    task = await world.task("film")
    await world.work()
    assert (await world.get(task)).state is State.SKIPPED
    assert (await world.trace(task))[-1].code == Code.ALL_STORED
    assert world.receives() == []


async def test_an_episode_on_its_way_makes_the_next_offer_of_it_wait_and_then_skip(tmp_path: Path) -> None:
    world = await World(tmp_path, landing=(30.0, 0.0)).start()
    world.share("one", {"The.Paper.Comet.S01E01.1080p.mkv": GIB})
    world.share("two", {"The.Paper.Comet.S01E01.2160p.mkv": 2 * GIB})
    first = await world.task("one", SERIES)
    second = await world.task("two", SERIES)
    await world.work(hours=0)
    waiting = await world.get(second)
    assert (waiting.state, waiting.waits_for) == (State.QUEUED, first)
    await world.work(hours=2)
    assert (await world.get(first)).state is State.DONE
    assert (await world.get(second)).state is State.SKIPPED
    assert len(world.receives()) == 1
    await world.check()
    await world.stop()


async def test_problems_of_selection_fail_before_any_transfer_and_are_named(world: World) -> None:
    world.share("two", {"a/Silver.Harbor.2021.mkv": 4 * GIB, "b/Other.Film.2020.mkv": 4 * GIB})
    other = FILM.model_copy(update={"title": "Neither"})
    task = await world.task("two", other)
    await world.work()
    found = await world.get(task)
    assert found.state is State.FAILED
    assert [reason.code for reason in found.context.problems] == [Code.SEVERAL_FEATURES]
    assert await world.notices(task) == [NoticeKind.ATTENTION]
    assert world.receives() == []
    assert await world.claims() == []


async def test_a_collection_files_each_film_under_its_own_name(world: World) -> None:
    world.share(
        "box",
        {
            "Harbor Trilogy/Silver.Harbor.2021.mkv": 4 * GIB,
            "Harbor Trilogy/Golden.Harbor.2023.mkv": 4 * GIB,
        },
    )
    parsed = Parsed(is_media=True, kind=Kind.FILM, title="Harbor Trilogy", collection=True)
    await world.task("box", FILM.model_copy(update={"title": "Harbor Trilogy", "year": None}), parsed)
    await world.work()
    assert set(world.files()) == {
        "Films/Silver Harbor (2021)/Silver Harbor (2021).mkv",
        "Films/Golden Harbor (2023)/Golden Harbor (2023).mkv",
    }


async def test_not_enough_space_is_said_before_anything_is_sent(tmp_path: Path) -> None:
    world = await World(tmp_path, total=GIB).start()
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    task = await world.task("film")
    await world.work()
    assert (await world.get(task)).state is State.FAILED
    assert (await world.trace(task))[-1].code == Code.NO_SPACE
    assert world.receives() == []
    await world.stop()
