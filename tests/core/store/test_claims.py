import sqlite3

import pytest

from custom_components.reelay.core.store import claims

from .rows import add_batch, add_task, add_work

DEMO = ("demo", "/Reelay")


@pytest.fixture
def held(tx: sqlite3.Connection) -> tuple[int, int, int]:
    """Task, batch and work of a claim on S1E1 and S1E2."""
    task, work = add_task(tx), add_work(tx)
    batch = add_batch(tx, task)
    claims.take(tx, *DEMO, [(work, 1, 1), (work, 1, 2)], "share:abc", batch)
    return task, batch, work


@pytest.mark.parametrize(
    ("pairs", "share", "found"),
    [
        ([(1, 2), (1, 3)], "share:new", True),
        ([(1, 3)], "share:new", False),
        ([(1, 3)], "share:abc", True),
        ([], "share:abc", True),
        ([], "share:new", False),
    ],
)
def test_a_claim_is_on_the_share_and_on_each_episode(
    tx: sqlite3.Connection,
    held: tuple[int, int, int],
    pairs: list[tuple[int, int]],
    share: str,
    found: bool,
) -> None:
    task, _, work = held
    holders = claims.holders(tx, *DEMO, [work], pairs, share, 99)
    assert holders == ([task] if found else [])


def test_neither_the_own_claims_nor_those_elsewhere_are_in_the_way(
    tx: sqlite3.Connection, held: tuple[int, int, int]
) -> None:
    task, _, work = held
    other = add_work(tx, "Other")
    assert claims.holders(tx, *DEMO, [work], [(1, 1)], "share:abc", task) == []
    assert claims.holders(tx, "demo", "/else", [work], [(1, 1)], "share:abc", 99) == []
    assert claims.holders(tx, *DEMO, [other], [(1, 1)], "share:new", 99) == []
    assert claims.holders(tx, *DEMO, [other, work], [(1, 1)], "share:new", 99) == [task]


def test_a_task_lets_go_of_all_or_of_one_batch(tx: sqlite3.Connection, held: tuple[int, int, int]) -> None:
    task, _, work = held
    second = add_batch(tx, task, 2)
    claims.take(tx, *DEMO, [(work, 1, 2), (work, 1, 3)], "share:abc", second)
    assert (claims.count(tx), claims.holds(tx, task), claims.holds(tx, 99)) == (4, True, False)
    assert {claim.task for claim in claims.all(tx)} == {task}

    assert claims.release_batch(tx, second) == 2
    assert claims.holds(tx, task)
    assert claims.release(tx, task) == 2
    assert not claims.holds(tx, task)
    assert claims.all(tx) == []


def test_a_batch_can_not_disappear_from_under_its_claims(
    tx: sqlite3.Connection, held: tuple[int, int, int]
) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        tx.execute("DELETE FROM batches")
    assert claims.count(tx) == 2
