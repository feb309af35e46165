"""Both kinds of callers have their own bounded room, and a cancelled call neither loses nor halves anything."""

import asyncio

import pytest

from custom_components.reelay.core.store import line
from custom_components.reelay.core.store.database import Database

from .threads import behind, keys, put, queue


async def test_a_crowd_in_the_background_leaves_a_persons_room_alone(db: Database) -> None:
    door, first = await behind(db.run)
    crowd = await queue(*(db.run(put(f"k{number:03}")) for number in range(line.BACKGROUND * 2)))
    person = await queue(db.run(put("person"), interactive=True))
    door.open()
    await person[0]
    # The person's function went with the first group: at most its 16 functions have been run.
    assert sum(call.done() for call in crowd) < 16
    await asyncio.gather(first, *crowd)
    assert len(await keys(db)) == line.BACKGROUND * 2 + 1


@pytest.mark.parametrize(("interactive", "places"), [(True, line.INTERACTIVE), (False, line.BACKGROUND)])
async def test_callers_beyond_the_bound_wait_their_turn(db: Database, interactive: bool, places: int) -> None:
    order: list[int] = []
    door, first = await behind(lambda fn: db.run(fn, interactive=interactive))
    calls = await queue(
        *(db.run(lambda tx, n=n: order.append(n), interactive=interactive) for n in range(places + 9))  # type: ignore[misc]
    )
    door.open()
    await asyncio.gather(first, *calls)
    assert order == list(range(places + 9))


async def test_a_call_that_was_not_started_is_withdrawn(db: Database) -> None:
    door, first = await behind(db.run)
    calls = await queue(*(db.run(put(f"k{number}")) for number in range(3)))
    calls[1].cancel()
    door.open()
    answers = await asyncio.gather(first, *calls, return_exceptions=True)
    assert isinstance(answers[2], asyncio.CancelledError)
    assert await keys(db) == ["k0", "k2"]


async def test_a_call_that_was_started_is_committed_all_the_same(db: Database) -> None:
    door, first = await behind(db.run)
    [rest] = await queue(db.run(put("rest")))
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    door.open()
    await rest
    assert db.functions == 2


async def test_a_cancelled_call_keeps_its_place_until_its_transaction_has_ended(db: Database) -> None:
    async def person(fn: object) -> object:
        return await db.run(fn, interactive=True)  # type: ignore[arg-type]

    door, first = await behind(person)
    waiting = await queue(*(person(put(f"k{number:02}")) for number in range(line.INTERACTIVE)))
    # One is in the function, the others fill the line, the last has no place.
    first.cancel()
    [late] = await queue(person(put("late")))
    waiting[-1].cancel()
    waiting[0].cancel()
    door.open()
    await late
    await asyncio.gather(first, *waiting, return_exceptions=True)

    assert await keys(db) == [f"k{number:02}" for number in range(1, line.INTERACTIVE - 1)] + ["late"]
    # All places are free again.
    again = await asyncio.gather(*(person(put(f"n{number}")) for number in range(line.INTERACTIVE + 1)))
    assert len(again) == line.INTERACTIVE + 1


async def test_cancelling_readers_frees_their_places(db: Database) -> None:
    door, first = await behind(db.read)
    calls = await queue(*(db.read(lambda tx: 1) for _ in range(line.BACKGROUND + 5)))
    for call in calls:
        call.cancel()
    first.cancel()
    door.open()
    await asyncio.gather(first, *calls, return_exceptions=True)
    assert await asyncio.gather(*(db.read(lambda tx: 2) for _ in range(line.BACKGROUND + 5)))
