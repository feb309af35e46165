"""A crash at every named point: everything is built anew, goes on from the record, and ends as if nothing was."""

from pathlib import Path

import pytest

from custom_components.reelay.core.drives.base import Limits
from custom_components.reelay.core.model.points import Point
from custom_components.reelay.core.model.states import State
from custom_components.reelay.core.policy.schema import Conflict
from tests.core.transfer.world import GIB, SERIES, Crash, Probe, World

EPISODES = {f"Comet/The.Paper.Comet.S{s:02d}E{n:02d}.1080p.mkv": GIB + n for s in (1, 2) for n in (1, 2)}

#: Points on the way of a film; the others need a conflict.
DELETING = (Point.BEFORE_DELETION_COMMIT, Point.AFTER_DELETION_COMMIT)
#: Before the request the checkpoint is set already: whether it was sent can't be known any more.
UNCLEAR = (Point.AFTER_CHECKPOINT_COMMIT, Point.BEFORE_SEND)


async def crash_and_go_on(world: World, point: Point, visit: int) -> bool:
    """Crash at a visit of a point and finish after a restart; False if there is no such visit."""
    world.probe.at, world.probe.visit = point, visit
    try:
        await world.work()
        return False
    except Crash:
        await world.check()
    await world.restart()
    await world.work()
    await world.check()
    await world.check_library()
    return True


@pytest.mark.parametrize("point", [one for one in Point if one not in DELETING])
async def test_a_series_in_two_batches_survives_a_crash_at(tmp_path: Path, point: Point) -> None:
    for visit in range(1, 9):
        path = tmp_path / f"{visit}"
        world = await World(path, limits=Limits(receive=2)).start()
        world.share("pack", EPISODES)
        number = await world.task("pack", SERIES)
        crashed = await crash_and_go_on(world, point, visit)
        task = await world.get(number)
        if point in UNCLEAR and crashed:
            # Nothing landed, and nothing is sent again: a person decides.
            assert task.state is State.NEED_MANUAL
            assert len(world.receives()) == visit - 1
        else:
            assert task.state is State.DONE, (visit, await world.trace(number))
            assert len(world.receives()) == 2
            assert len(world.files()) == 4
            assert await world.claims() == []
        await world.stop()
        if not crashed:
            assert visit > 1
            return
    raise AssertionError("more visits than expected")


NOT_VISITED = {
    *((Conflict.KEEP_BOTH, point) for point in DELETING),
    *((Conflict.SKIP, point) for point in (Point.BEFORE_RENAME, Point.AFTER_RENAME)),
    *((Conflict.SKIP, point) for point in (Point.BEFORE_MOVE, Point.AFTER_MOVE)),
}


@pytest.mark.parametrize("conflict", [Conflict.KEEP_BOTH, Conflict.SKIP, Conflict.REPLACE_IF_BETTER])
@pytest.mark.parametrize(
    "point",
    [
        *DELETING,
        *(Point.BEFORE_RENAME, Point.AFTER_RENAME, Point.BEFORE_MOVE, Point.AFTER_MOVE),
        *(Point.BEFORE_TRASH, Point.AFTER_TRASH, Point.BEFORE_DONE_COMMIT, Point.AFTER_DONE_COMMIT),
    ],
)
async def test_a_name_conflict_survives_a_crash_at(tmp_path: Path, point: Point, conflict: Conflict) -> None:
    for visit in range(1, 9):
        world = await World(tmp_path / f"{visit}").start()
        world.policy = world.policy.model_copy(update={"conflict": conflict})
        await world.start_conflict()
        crashed = await crash_and_go_on(world, point, visit)
        expected = {
            Conflict.KEEP_BOTH: {2 * GIB, 8 * GIB},
            Conflict.SKIP: {2 * GIB},
            Conflict.REPLACE_IF_BETTER: {8 * GIB},
        }[conflict]
        assert set(world.files().values()) == expected, (visit, world.files())
        in_bin = {row.size for row in world.drive.bin() if not row.folder}
        assert in_bin == {2 * GIB, 8 * GIB} - expected
        assert (await world.get(2)).state is State.DONE
        await world.stop()
        if not crashed:
            assert visit > 1 or (conflict, point) in NOT_VISITED
            return
    raise AssertionError("more visits than expected")


async def test_a_second_crash_at_the_same_place_is_survived_too(tmp_path: Path) -> None:
    world = await World(tmp_path).start()
    world.share("film", {"Silver.Harbor.2021.mkv": 4 * GIB})
    number = await world.task("film")
    for point in (Point.AFTER_SEND, Point.BEFORE_RECEIPT_COMMIT, Point.AFTER_MOVE, Point.AFTER_TRASH):
        world.probe.at = point
        with pytest.raises(Crash):
            await world.work()
        await world.restart()
        world.probe = Probe()
    await world.work()
    assert (await world.get(number)).state is State.DONE
    assert len(world.receives()) == 1
    await world.check_library()
    await world.stop()
