"""Group commit: what waits together is committed together, and nobody notices but the disk."""

import asyncio
import sqlite3
from functools import partial
from typing import Any

import pytest

from custom_components.reelay.core import priority
from custom_components.reelay.core.store.database import Database, Tx
from tests.fakes.clock import FakeClock

from .rows import add_task
from .threads import Door, behind, fail, keys, put, queue


async def test_functions_that_wait_share_a_commit(db: Database) -> None:
    door, first = await behind(db.run)
    calls = await queue(*(db.run(put(f"k{number:02}")) for number in range(10)))
    door.open()

    assert await asyncio.gather(*calls) == [f"k{number:02}" for number in range(10)]
    assert await first == "through"
    assert (db.commits, db.functions) == (1, 11)
    assert len(await keys(db)) == 10


async def test_a_group_is_at_most_sixteen_functions(db: Database) -> None:
    door, first = await behind(db.run)
    calls = await queue(*(db.run(put(f"k{number}")) for number in range(40)))
    door.open()
    await asyncio.gather(first, *calls)
    assert (db.commits, db.functions) == (3, 41)


async def test_a_group_ends_after_ten_milliseconds(db: Database, clock: FakeClock) -> None:
    def slow(tx: Tx) -> None:
        put("slow")(tx)
        clock.jump(0.011)

    door, first = await behind(db.run)
    calls = await queue(db.run(put("a")), db.run(slow), db.run(put("b")), db.run(put("c")))
    door.open()
    await asyncio.gather(first, *calls)
    assert db.commits == 2


async def test_one_function_alone_costs_a_begin_and_a_commit(db: Database) -> None:
    statements: list[str] = []
    db.on_statement = statements.append
    await db.run(put("a"))
    with pytest.raises(ValueError, match="no"):
        await db.run(fail(ValueError("no")))
    db.on_statement = None
    await db.run(put("b"))

    assert [statement.split()[0] for statement in statements] == [
        "BEGIN",
        "INSERT",
        "COMMIT",
        "BEGIN",
        "ROLLBACK",
    ]


async def test_commits_that_change_nothing_do_not_count(db: Database) -> None:
    assert await db.run(lambda tx: tx.execute("SELECT 1").fetchone()) == (1,)
    with pytest.raises(ValueError, match="no"):
        await db.run(fail(ValueError("no"), "key"))
    assert (db.commits, db.functions) == (0, 2)


@pytest.mark.parametrize("place", [0, 1, 2, 3])
async def test_a_function_that_raises_is_undone_alone(db: Database, place: int) -> None:
    error = ValueError("no")
    functions = [put("a"), put("b"), put("c")]
    functions.insert(place, fail(error, "never"))  # type: ignore[arg-type]
    door, first = await behind(db.run)
    calls = await queue(*(db.run(fn) for fn in functions))
    door.open()

    answers = await asyncio.gather(first, *calls, return_exceptions=True)

    assert answers.pop(place + 1) is error
    assert answers == ["through", "a", "b", "c"]
    assert await keys(db) == ["a", "b", "c"]
    assert db.commits == 1


async def test_every_function_of_a_group_may_raise(db: Database) -> None:
    door, first = await behind(db.run, None)
    calls = await queue(*(db.run(fail(ValueError(str(number)), "never")) for number in range(5)))
    door.open()
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert [str(answer) for answer in answers] == ["0", "1", "2", "3", "4"]
    assert (await first, await keys(db), db.commits) == ("through", [], 0)


async def test_nothing_is_answered_before_the_commit(db: Database) -> None:
    doors = [Door(), Door()]
    calls = await queue(db.run(doors[0]), db.run(put("a")), db.run(fail(ValueError("no"))), db.run(doors[1]))
    doors[0].open()
    assert await asyncio.to_thread(doors[1].entered.wait, 10)

    await asyncio.sleep(0.01)
    assert not any(call.done() for call in calls)
    assert await keys(db) == []

    doors[1].open()
    await asyncio.gather(*calls, return_exceptions=True)
    assert await keys(db) == ["a"]


async def test_a_group_is_answered_in_one_go(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    hops: list[object] = []
    door, first = await behind(db.run)
    calls = await queue(*(db.run(put(str(number))) for number in range(10)))
    real = loop.call_soon_threadsafe

    def count(*args: Any) -> None:
        hops.append(args)
        real(*args)

    with monkeypatch.context() as patch:
        patch.setattr(loop, "call_soon_threadsafe", count)
        door.open()
        await asyncio.gather(first, *calls)
    assert len(hops) == 1


def note(order: list[str], name: str, tx: Tx) -> None:
    order.append(name)


async def test_a_persons_function_goes_first(db: Database) -> None:
    order: list[str] = []
    door, first = await behind(db.run)
    calls = await queue(
        db.run(partial(note, order, "lane 1")),
        db.run(partial(note, order, "lane 2"), interactive=False),
        db.run(partial(note, order, "person 1"), interactive=True),
    )
    with priority.interactive():
        calls += await queue(
            db.run(partial(note, order, "person 2")),
            db.run(partial(note, order, "lane 3"), interactive=False),
        )
    door.open()
    await asyncio.gather(first, *calls)

    assert order == ["person 1", "person 2", "lane 1", "lane 2", "lane 3"]


async def test_a_person_who_comes_while_a_group_runs_is_next(db: Database) -> None:
    order: list[str] = []
    door, first = await behind(db.run)
    calls = await queue(*(db.run(partial(note, order, f"lane {number}")) for number in range(40)))
    calls += await queue(db.run(partial(note, order, "person"), interactive=True))
    door.open()
    await asyncio.gather(first, *calls)
    assert order[0] == "person"


async def test_mistakes_in_sql_are_the_callers_own(db: Database) -> None:
    await db.run(add_task)
    with pytest.raises(sqlite3.IntegrityError):
        await db.run(add_task)
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        await db.run(lambda tx: tx.execute("SELECT * FROM nowhere"))


async def test_even_strange_exceptions_are_answers(db: Database) -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        await db.run(fail(StopIteration()))
    with pytest.raises(SystemExit):
        await db.run(fail(SystemExit()))
    assert await db.run(put("a")) == "a"


async def test_a_reader_sees_one_snapshot_and_can_not_write(db: Database) -> None:
    door = Door()

    def count(tx: Tx) -> int:
        return int(tx.execute("SELECT count(*) FROM marks").fetchone()[0])

    def twice(tx: Tx) -> tuple[int, int]:
        before = count(tx)
        door(tx)
        return before, count(tx)

    reading = asyncio.ensure_future(db.read(twice))
    assert await asyncio.to_thread(door.entered.wait, 10)
    await db.run(put("a"))
    door.open()

    assert await reading == (0, 0)
    assert await db.read(count) == 1
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        await db.read(put("b"))


async def test_a_slow_background_read_holds_nobody_else_up(db: Database) -> None:
    door, reading = await behind(db.read)
    assert await asyncio.wait_for(db.run(put("a")), 5) == "a"
    assert await asyncio.wait_for(db.read(lambda tx: 1, interactive=True), 5) == 1
    door.open()
    await reading
