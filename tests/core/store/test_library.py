import sqlite3
from typing import Any

from custom_components.reelay.core.model.share import StoredRow
from custom_components.reelay.core.store import library

from .rows import add_work

DEMO = ("demo", "/Reelay")


def row(work: int, episode: int, **fields: Any) -> StoredRow:
    values: dict[str, Any] = {
        "origin": "transferred",
        "task": 7,
        "file_id": f"f{episode}",
        "release": "1080p",
    }
    return StoredRow(work=work, season=fields.pop("season", 1), episode=episode, **(values | fields))


def test_what_is_stored_is_found_by_work_and_season(tx: sqlite3.Connection) -> None:
    work, other = add_work(tx), add_work(tx, "Other")
    rows = [row(work, 1), row(work, 2), row(work, 1, season=2, file_id="s2")]
    library.add(tx, *DEMO, [*rows, row(other, 1, file_id="o")], 5)
    library.add(tx, "demo", "/else", [row(work, 9)], 5)

    assert library.stored(tx, *DEMO, [work]) == rows
    assert library.stored(tx, *DEMO, [work], 1) == rows[:2]
    assert len(library.stored(tx, *DEMO, [other, work])) == 4
    assert library.stored(tx, *DEMO, []) == []


def test_finding_a_file_again_does_not_forget_how_it_came(tx: sqlite3.Connection) -> None:
    work = add_work(tx)
    library.add(tx, *DEMO, [row(work, 1)], 5)
    library.mark_gone(tx, "f1", True)
    assert library.stored(tx, *DEMO, [work]) == []

    library.add(tx, *DEMO, [row(work, 1, origin="found", task=None, release="?")], 6)

    assert library.stored(tx, *DEMO, [work]) == [row(work, 1)]


def test_a_receipt_replaces_what_was_only_found(tx: sqlite3.Connection) -> None:
    work = add_work(tx)
    library.add(tx, *DEMO, [row(work, 1, origin="found", task=None, release="")], 5)
    library.add(tx, *DEMO, [row(work, 1)], 6)
    assert library.stored(tx, *DEMO, [work]) == [row(work, 1)]


def test_what_a_task_brought_is_listed_gone_or_not(tx: sqlite3.Connection) -> None:
    work = add_work(tx)
    library.add(tx, *DEMO, [row(work, 1), row(work, 2), row(work, 3, task=8)], 5)
    library.mark_gone(tx, "f2", True)
    assert [(one.episode, one.gone) for one in library.of_task(tx, 7)] == [(1, False), (2, True)]


def test_a_file_is_placed_and_forgotten_by_its_id(tx: sqlite3.Connection) -> None:
    work = add_work(tx)
    both = [row(work, 1, file_id="double"), row(work, 2, file_id="double")]
    library.add(tx, *DEMO, both, 5)
    assert library.place_of(tx, "double") is None

    library.place(tx, "double", "Series/X", "x.mkv")
    assert library.place_of(tx, "double") == ("Series/X", "x.mkv")
    assert library.remove(tx, "double") == 2
    assert (library.stored(tx, *DEMO, [work]), library.place_of(tx, "double")) == ([], None)
