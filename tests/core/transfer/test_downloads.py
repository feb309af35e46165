"""ed2k links: the same steps with cloud downloads."""

from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.states import State
from tests.core.transfer.world import FILM, GIB, SERIES, World


def link(name: str, size: int, number: int) -> str:
    return f"ed2k://|file|{name}|{size}|{number:032x}|/"


PACK = "\n".join(link(f"The.Paper.Comet.S01E0{n}.mkv", GIB + n, n) for n in (1, 2, 3, 4))


async def test_links_are_downloaded_filed_and_their_jobs_forgotten(world: World) -> None:
    number = await world.task("pack", SERIES, text=PACK)
    await world.work()
    assert (await world.get(number)).state is State.DONE, await world.trace(number)
    assert len(world.files()) == 4
    assert await world.drive.downloads() == ()
    assert await world.claims() == []


async def test_missing_downloads_are_named_and_whole_episodes_go_on(world: World) -> None:
    world.fail("add_downloads", "partial")
    number = await world.task("pack", SERIES, text=PACK)
    await world.work()
    assert (await world.get(number)).state is State.DONE
    assert len(world.files()) == 2
    line = next(line for line in await world.trace(number) if line.code == Code.LANDED_PARTLY)
    assert line.detail["missing_count"] == 2


async def test_a_film_with_a_missing_part_is_a_question(world: World) -> None:
    text = "\n".join(link(f"Silver.Harbor.2021.CD{n}.mkv", GIB + n, n) for n in (1, 2))
    world.fail("add_downloads", "partial")
    number = await world.task("film", FILM, text=text)
    await world.work()
    assert (await world.get(number)).state is State.NEED_MANUAL
    assert not any(path.startswith("Films/") for path in world.files())


async def test_when_all_downloads_fail_the_task_has_failed(world: World) -> None:
    world.fail("add_downloads", "partial", keep=0.0)
    number = await world.task("pack", SERIES, text=PACK)
    await world.work()
    task = await world.get(number)
    assert (task.state, task.lane) == (State.FAILED, None)
    assert await world.claims() == []
    await world.check()


async def test_a_download_of_the_same_link_that_runs_elsewhere_is_waited_for(world: World) -> None:
    folder = await world.drive.make_folder("0", "elsewhere")
    await world.drive.add_downloads((PACK.splitlines()[0],), folder)
    number = await world.task("pack", SERIES, text=PACK)
    await world.work(hours=0)
    assert (await world.get(number)).state is State.QUEUED
    await world.work()
    assert (await world.get(number)).state is State.DONE


async def test_a_lost_answer_to_the_request_starts_no_second_one(world: World) -> None:
    world.fail("add_downloads", "lost_after")
    number = await world.task("pack", SERIES, text=PACK)
    await world.work()
    assert (await world.get(number)).state is State.DONE
    assert world.drive.calls["add_downloads"] == 1


async def test_a_download_that_ends_between_two_looks_is_not_taken_for_lost(world: World) -> None:
    """The jobs are read after the staging folder: what came in between must still be found, not asked for anew."""
    drive, look = world.drive, world.drive.downloads
    waited = False

    async def downloads_after_a_while() -> object:
        nonlocal waited
        if drive.calls["add_downloads"] and not waited:
            waited = True
            await world.clock.advance(3600)
        return await look()

    drive.downloads = downloads_after_a_while  # type: ignore[method-assign,assignment]
    number = await world.task("pack", SERIES, text=PACK)
    await world.work()
    assert waited
    assert (await world.get(number)).state is State.DONE, await world.trace(number)
    assert len(world.files()) == 4
    assert drive.calls["add_downloads"] == 1
    await world.check()
