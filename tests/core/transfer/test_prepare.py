"""Preparing: claims, what counts as stored, looks into shares, and what happens around them."""

from pathlib import Path
from typing import Any

from custom_components.reelay.core.drives.base import Limits
from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.offer import ShareRef
from custom_components.reelay.core.model.share import Phase, StoredRow
from custom_components.reelay.core.model.states import State
from custom_components.reelay.core.model.task import Actor
from custom_components.reelay.core.pipeline.recheck import verify
from custom_components.reelay.core.pipeline.transition import Step
from custom_components.reelay.core.store import batches, library, works
from custom_components.reelay.core.transfer.inspect import Inspector, facts
from custom_components.reelay.core.transfer.prepare import drop_preparation
from tests.core.transfer.world import FILM, GIB, SERIES, World, phases


async def store(world: World, work: Any, season: int, episode: int, file_id: str = "f") -> None:
    def add(tx: Any) -> None:
        row = works.intern(tx, work)
        stored = StoredRow(
            work=row, season=season, episode=episode, origin="found", task=None, file_id=file_id
        )
        library.add(tx, "demo", "/Reelay", [stored], 1)

    await world.db.run(add)


async def test_only_episodes_that_are_not_stored_are_asked_for(world: World) -> None:
    await store(world, SERIES, 1, 1)
    world.share("pack", {f"The.Paper.Comet.S01E0{n}.mkv": GIB + n for n in (1, 2, 3)})
    await world.task("pack", SERIES)
    await world.work()
    assert [len(sources) for _, sources in world.receives()] == [2]


async def test_a_weak_hit_is_a_question_and_never_a_reason_to_skip(world: World) -> None:
    await store(world, FILM.model_copy(update={"year": None}), -1, -1)
    world.share("film", {"Silver.Harbor.2021.mkv": GIB})
    number = await world.task("film")
    await world.work()
    assert ((await world.get(number)).state, (await world.trace(number))[-1].code) == (
        State.FAILED,
        Code.MAYBE_STORED,
    )
    approved = await world.task("film", approved=True)
    await world.work()
    assert (await world.get(approved)).state is State.DONE


async def test_two_claims_of_the_same_film_under_different_titles_meet(world: World) -> None:
    world.share("one", {"a.mkv": GIB})
    world.share("two", {"b.mkv": GIB})
    world.fail("receive", "busy_task", seconds=60.0, share="one")
    first = await world.task("one", FILM.model_copy(update={"tmdb": 7}))
    await world.work(hours=0)
    other = FILM.model_copy(update={"title": "银港", "titles": ("SILVER　HARBOR!",)})
    second = await world.task("two", other)
    await world.work(hours=0)
    assert (await world.get(second)).waits_for == first
    await world.work()
    assert len(world.receives()) == 1


async def test_content_stored_between_preparing_and_sending_stops_the_send(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": GIB})
    number = await world.task("film")
    make_folder = world.drive.make_folder

    async def meanwhile(parent: str, name: str) -> str:
        await store(world, FILM, -1, -1)
        return await make_folder(parent, name)

    world.drive.make_folder = meanwhile  # type: ignore[method-assign]
    await world.work()
    assert (await world.get(number)).state is State.SKIPPED
    assert world.receives() == []
    assert await world.claims() == []
    assert [one for one in world.drive.tree() if one.folder and "_staging/" in one.path] == []


async def test_what_another_task_files_while_the_library_is_read_does_not_come_again(world: World) -> None:
    world.share("pack", {"The.Paper.Comet.S01E01.mkv": GIB})
    number = await world.task("pack", SERIES)
    find = world.drive.find_folder

    async def find_late(parent: str, path: str) -> str | None:
        if path.endswith("Season 01") and not world.receives():
            place = f"{path}/The Paper Comet - S01E01.mkv"
            await store(world, SERIES, 1, 1, await world.drive.put(place, GIB + 1))
        return await find(parent, path)

    world.drive.find_folder = find_late  # type: ignore[method-assign]
    await world.work()
    assert (await world.get(number)).state is State.SKIPPED
    assert not world.receives()


async def test_who_is_moved_on_while_preparing_leaves_no_claim_behind(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": GIB})
    number = await world.task("film")
    task = await world.get(number)
    space = world.drive.space

    async def meanwhile() -> Any:
        await world.mover.move(task, Step(to=State.SKIPPED, code=Code.ABANDONED))
        return await space()

    world.drive.space = meanwhile  # type: ignore[method-assign]
    await world.work()
    assert (await world.get(number)).state is State.SKIPPED
    assert await world.claims() == []
    assert world.receives() == []


async def test_a_later_batch_that_cannot_be_had_leaves_the_first_to_a_person(tmp_path: Path) -> None:
    world = await World(tmp_path, limits=Limits(receive=2)).start()
    world.share("pack", {f"The.Paper.Comet.S01E0{n}.mkv": GIB + n for n in (1, 2, 3)})
    count = 0

    def second(call: Any) -> bool:
        nonlocal count
        count += 1
        return count == 2

    world.fail("receive", "refuse_permanent", when=second, code=Code.SHARE_DEAD)
    number = await world.task("pack", SERIES)
    await world.work()
    task = await world.get(number)
    assert (task.state, (await world.trace(number))[-1].code) == (State.NEED_MANUAL, Code.SHARE_DEAD)
    assert await world.claims() == []
    answer = await verify(task, await world.stage(task), accept_partial=True, actor=Actor(id="user:1"))
    assert answer.missing == ("The.Paper.Comet.S01E03.mkv",)
    await world.work()
    assert (await world.get(number)).state is State.DONE
    assert len(world.files()) == 2
    await world.check()
    await world.stop()


async def test_a_dropped_preparation_holds_nothing(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": GIB})
    world.fail("make_folder", "busy_task", seconds=600.0)
    number = await world.task("film")
    await world.work(hours=0)
    assert phases(await world.batches(number)) == [Phase.PREPARED]
    await world.db.run(lambda tx: drop_preparation(tx, number))
    assert await world.claims() == []
    assert await world.db.read(batches.in_flight) == []


async def test_a_look_into_a_share_is_remembered_for_a_quarter_of_an_hour(world: World) -> None:
    world.share("film", {"a.mkv": GIB, "poster.jpg": 5})
    inspector = Inspector(world.clock)
    first = await inspector.look(world.drive, ShareRef(code="film"))
    assert await inspector.look(world.drive, ShareRef(code="film")) is first
    assert world.drive.calls["list_share"] == 1
    world.clock.jump(901)
    world.drive.shares.grow("film", {"b.mkv": GIB})
    second = await inspector.look(world.drive, ShareRef(code="film"))
    assert (facts(first).videos, facts(second).videos) == (1, 2)
    assert facts(first).files_hash != facts(second).files_hash


async def test_a_person_who_wants_it_again_gets_it_although_it_is_stored(world: World) -> None:
    number = await world.start_conflict()
    await world.work()
    assert (await world.get(number)).state is State.DONE
    assert len(world.receives()) == 2
