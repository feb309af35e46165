import asyncio
from pathlib import Path

import pytest

from custom_components.reelay.core.model.errors import StoreError
from custom_components.reelay.core.store import line
from custom_components.reelay.core.store.database import Database
from tests.fakes.clock import FakeClock

from .threads import behind, keys, keys_in, put, queue, threads


async def test_every_thread_has_its_name_and_is_gone_afterwards(path: Path, clock: FakeClock) -> None:
    db = await Database.open(path, clock=clock)
    assert sorted(threads()) == [
        "reelay_db_cache",
        "reelay_db_maintenance",
        "reelay_db_reader_background",
        "reelay_db_reader_interactive",
        "reelay_db_writer",
    ]
    await db.close()
    assert threads() == []
    assert [file.name for file in sorted(path.parent.iterdir())] == ["reelay.db", "reelay.lock"]


async def test_closing_may_be_asked_for_any_number_of_times(path: Path, clock: FakeClock) -> None:
    db = await Database.open(path, clock=clock)
    await asyncio.gather(db.close(), db.close())
    await db.close()


async def test_what_was_accepted_is_finished_and_the_rest_refused(path: Path, clock: FakeClock) -> None:
    db = await Database.open(path, clock=clock)
    door, first = await behind(db.run)
    reading_door, reading = await behind(db.read)
    calls = await queue(*(db.run(put(f"k{number:03}")) for number in range(line.BACKGROUND + 5)))
    [closing] = await queue(db.close())
    with pytest.raises(StoreError, match="database_closed"):
        await db.run(put("late"), interactive=True)
    door.open()
    reading_door.open()

    answers = await asyncio.gather(first, reading, *calls, return_exceptions=True)
    await closing

    done = [answer for answer in answers[2:] if isinstance(answer, str)]
    refused = [answer for answer in answers[2:] if isinstance(answer, StoreError)]
    assert len(done) == line.BACKGROUND - 1
    assert {error.key for error in refused} == {"database_closed"}
    assert len(refused) == 6
    assert keys_in(path) == done


async def test_a_closed_database_refuses_everything(path: Path, clock: FakeClock) -> None:
    db = await Database.open(path, clock=clock)
    await db.close()
    for call in (db.run(put("a")), db.read(lambda tx: 1), db.checkpoint(True)):
        with pytest.raises(StoreError, match="database_closed"):
            await call


async def test_a_cancelled_close_goes_on(path: Path, clock: FakeClock) -> None:
    db = await Database.open(path, clock=clock)
    door, first = await behind(db.run)
    [closing] = await queue(db.close())
    closing.cancel()
    door.open()
    await first
    await db.close()
    assert threads() == []


async def test_an_opening_that_is_cancelled_leaves_nothing_behind(path: Path, clock: FakeClock) -> None:
    for turns in range(12):
        [opening] = await queue(Database.open(path, clock=clock))
        for _ in range(turns):
            await asyncio.sleep(0.001)
        opening.cancel()
        answer = (await asyncio.gather(opening, return_exceptions=True))[0]
        if isinstance(answer, Database):
            await answer.close()
        assert threads() == []
    db = await Database.open(path, clock=clock)
    assert await keys(db) == []
    await db.close()
