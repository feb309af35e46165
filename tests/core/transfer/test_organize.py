"""Filing: name conflicts, lost and foreign files, faults in between."""

import pytest

from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.notice import NoticeKind
from custom_components.reelay.core.model.states import State
from custom_components.reelay.core.model.task import Actor
from custom_components.reelay.core.pipeline.recheck import forget_plan
from custom_components.reelay.core.pipeline.transition import Step
from custom_components.reelay.core.policy.schema import Conflict
from custom_components.reelay.core.store import library, policies
from tests.core.transfer.world import GIB, SERIES, World

FOLDER = "Films/Silver Harbor (2021)"
NAME = f"{FOLDER}/Silver Harbor (2021).mkv"
SECOND = f"{FOLDER}/Silver Harbor (2021) (2).mkv"


def under(world: World, conflict: Conflict) -> None:
    world.policy = world.policy.model_copy(update={"conflict": conflict})


async def reorganize(world: World, number: int, conflict: str | None = None) -> None:
    task = await world.get(number)
    back = (State.QUEUED, State.SAVING, State.STORED)
    path = back if task.state is State.NEED_MANUAL else (State.STORED,)
    await world.mover.move(
        task,
        *(Step(to=state, code=Code.REORGANIZED) for state in path),
        actor=Actor(id="user:1"),
        context=task.context.model_copy(update={"conflict": conflict}),
        attempts=0,
        also=lambda tx: forget_plan(tx, number),
    )


async def test_keep_both_gives_the_new_file_a_number(world: World) -> None:
    number = await world.start_conflict()
    await world.work()
    assert world.files() == {NAME: 2 * GIB, SECOND: 8 * GIB}
    assert (await world.trace(number))[-1].detail["kept_both"] == 1


async def test_skip_puts_the_received_duplicate_into_the_bin_and_forgets_it(world: World) -> None:
    under(world, Conflict.SKIP)
    number = await world.start_conflict()
    await world.work()
    assert world.files() == {NAME: 2 * GIB}
    assert [row.size for row in world.drive.bin() if not row.folder] == [8 * GIB]
    assert await world.db.read(lambda tx: library.of_task(tx, number)) == []
    assert (await world.get(number)).state is State.DONE


async def test_replace_if_better_takes_the_place_of_a_worse_own_file(world: World) -> None:
    under(world, Conflict.REPLACE_IF_BETTER)
    number = await world.start_conflict()
    await world.work()
    assert world.files() == {NAME: 8 * GIB}
    assert [row.size for row in world.drive.bin() if not row.folder] == [2 * GIB]
    assert await world.db.read(lambda tx: library.of_task(tx, 1)) == []
    assert (await world.trace(number))[-1].detail["replaced"] == 1
    await world.check_library()


async def test_replace_if_better_never_touches_a_file_of_the_owner(world: World) -> None:
    under(world, Conflict.REPLACE_IF_BETTER)
    await world.drive.put(f"Reelay/{NAME}", 1 * GIB)
    world.share("new", {"Silver.Harbor.2021.2160p.mkv": 8 * GIB})
    number = await world.task("new", approved=True, decision=None)
    await world.work()
    assert (await world.get(number)).state is State.SKIPPED
    under(world, Conflict.REPLACE_IF_BETTER)
    world.drive.shares.grow("new", {"Silver.Harbor.2021.2160p.REMUX.mkv": 60 * GIB})
    number = await world.start_conflict()
    await world.work()
    assert {NAME: GIB}.items() <= world.files().items()
    assert world.drive.bin() == () or all(row.folder for row in world.drive.bin())


async def test_ask_leaves_the_file_in_staging_until_a_person_answers(world: World) -> None:
    under(world, Conflict.ASK)
    number = await world.start_conflict()
    await world.work()
    task = await world.get(number)
    assert (task.state, (await world.trace(number))[-1].code) == (State.NEED_MANUAL, Code.NAME_CONFLICT)
    assert NoticeKind.ATTENTION in await world.notices(number)
    assert set(world.files()) > {NAME}
    await reorganize(world, number, "keep_both")
    await world.work()
    assert (await world.get(number)).state is State.DONE
    assert world.files() == {NAME: 2 * GIB, SECOND: 8 * GIB}
    assert len(world.receives()) == 2


@pytest.mark.parametrize(("answer", "left"), [("skip", 2 * GIB), ("replace_if_better", 8 * GIB)])
async def test_each_answer_to_a_name_conflict_is_carried_out(world: World, answer: str, left: int) -> None:
    under(world, Conflict.ASK)
    number = await world.start_conflict()
    await world.work()
    await reorganize(world, number, answer)
    await world.work()
    assert world.files() == {NAME: left}


async def test_a_file_that_the_drive_lost_is_looked_for_again_and_then_asked_about(world: World) -> None:
    world.share("pack", {f"The.Paper.Comet.S01E0{n}.mkv": GIB + n for n in (1, 2)})
    number = await world.task("pack", SERIES)
    await world.work(until=lambda: bool(world.receives()), hours=0)
    await world.step() if (await world.get(number)).state is State.SAVING else None
    lost = next(row for row in world.drive.tree() if row.name.endswith("E02.mkv"))
    await world.drive.lose(lost.id)
    await world.work()
    task = await world.get(number)
    assert (task.state, (await world.trace(number))[-1].code) == (State.NEED_MANUAL, Code.DRIVE_LOST_FILE)
    assert [path for path in world.files() if path.endswith("E01.mkv")]
    rows = await world.db.read(lambda tx: library.of_task(tx, number))
    assert [(row.episode, row.gone) for row in rows] == [(1, False), (2, True)]


@pytest.mark.parametrize("verb", ["rename", "move", "make_folder", "list_folder", "find_folder", "trash"])
@pytest.mark.parametrize(
    "kind", ["lost_before", "lost_after", "refuse_transient", "busy_task", "busy_account"]
)
async def test_a_fault_while_filing_is_overcome_without_loss(world: World, verb: str, kind: str) -> None:
    world.share("pack", {f"The.Paper.Comet.S0{s}E01.mkv": GIB + s for s in (1, 2)})
    number = await world.task("pack", SERIES)
    while (await world.get(number)).state is not State.ORGANIZING:
        await world.step()
    world.fail(verb, kind, seconds=30.0)
    await world.work()
    assert (await world.get(number)).state is State.DONE
    assert set(world.files()) == {
        f"Series/The Paper Comet (2019)/Season 0{s}/The Paper Comet - S0{s}E01.mkv" for s in (1, 2)
    }
    await world.check_library()


async def test_with_the_gate_closed_the_receipt_is_written_and_filing_waits(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    number = await world.task("film")
    list_tree = world.drive.list_tree

    async def last_read(folder: str):  # type: ignore[no-untyped-def]
        rows = await list_tree(folder)
        if rows:
            world.gates.pause(True)
        return rows

    world.drive.list_tree = last_read  # type: ignore[method-assign]
    await world.work()
    assert (await world.get(number)).state is State.STORED
    world.drive.list_tree = list_tree  # type: ignore[method-assign]
    world.gates.pause(False)
    await world.work()
    assert (await world.get(number)).state is State.DONE


async def test_reorganizing_files_again_under_todays_names(world: World) -> None:
    under(world, Conflict.ASK)
    number = await world.start_conflict()
    await world.work()
    task = await world.get(number)
    changed = world.policy.model_copy(
        update={"film_folder": "Movies/{title}", "conflict": Conflict.KEEP_BOTH}
    )
    key = await world.db.run(lambda tx: policies.put(tx, changed))
    await world.mover.move(
        task,
        *(Step(to=state, code=Code.REORGANIZED) for state in (State.QUEUED, State.SAVING, State.STORED)),
        policy=key,
        also=lambda tx: forget_plan(tx, number),
    )
    await world.work()
    assert set(world.files()) == {NAME, "Movies/Silver Harbor/Silver Harbor (2021).mkv"}


async def test_what_nobody_asked_for_stays_in_staging(world: World) -> None:
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    number = await world.task("film")
    while (await world.get(number)).state is not State.ORGANIZING:
        await world.step()
    folder = next(row for row in world.drive.tree() if row.folder and "_staging/" in row.path)
    await world.drive.put(f"{folder.path}/mine.txt", 5)
    await world.work()
    assert (await world.get(number)).state is State.DONE
    assert any(path.endswith("mine.txt") for path in world.files())
