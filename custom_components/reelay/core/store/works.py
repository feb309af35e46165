"""The rows of works. They are never merged: candidates are found by key, and `media.works.same` decides."""

from collections.abc import Iterable
from typing import Any

from ..media import works as rule
from ..model.offer import Kind, Work
from . import codec
from .database import Tx

_COLUMNS = "id, kind, tmdb, year, title, titles"

BY_TMDB = f"SELECT {_COLUMNS} FROM works WHERE tmdb = ? AND kind = ?"
BY_KEYS = f"""
SELECT {_COLUMNS} FROM works WHERE keys = ? AND kind = ? AND ifnull(year, 0) = ? AND tmdb IS NULL"""
BY_TITLE = f"""
SELECT {", ".join(f"w.{name}" for name in _COLUMNS.split(", "))}
FROM work_titles t CROSS JOIN works w ON w.id = t.work WHERE t.title_key = ?"""
GET = f"SELECT {_COLUMNS} FROM works WHERE id = ?"
INSERT = "INSERT INTO works (kind, tmdb, year, title, titles, keys) VALUES (?, ?, ?, ?, ?, ?)"
EXTEND = "UPDATE works SET titles = ?, keys = ?, year = ifnull(year, ?) WHERE id = ?"
ADD_TITLE = "INSERT INTO work_titles (title_key, work) VALUES (?, ?) ON CONFLICT DO NOTHING"


def intern(tx: Tx, work: Work) -> int:
    """The row of exactly this work, made if there is none.

    With a TMDB id the row of that id and kind, which learns titles it didn't know; else the row without an id that
    has the same kind, year and normalized titles.
    """
    keys = sorted(rule.keys(work))
    if work.tmdb is not None:
        row = tx.execute(BY_TMDB, (work.tmdb, work.kind)).fetchone()
        if row is not None:
            return _extend(tx, row[0], _work(row), work)
    else:
        row = tx.execute(BY_KEYS, (codec.dump(keys), work.kind, work.year or 0)).fetchone()
        if row is not None:
            return int(row[0])
    cursor = tx.execute(
        INSERT, (work.kind, work.tmdb, work.year, work.title, codec.dump(work.titles), codec.dump(keys))
    )
    assert cursor.lastrowid is not None
    _add_titles(tx, cursor.lastrowid, keys)
    return cursor.lastrowid


def same(tx: Tx, work: Work) -> list[tuple[int, bool]]:
    """The rows that are the same work, each with whether that is a weak hit only."""
    rows: dict[int, tuple[Any, ...]] = {}
    if work.tmdb is not None:
        rows.update((row[0], row) for row in tx.execute(BY_TMDB, (work.tmdb, work.kind)).fetchall())
    for title in rule.keys(work):
        rows.update((row[0], row) for row in tx.execute(BY_TITLE, (title,)).fetchall())
    verdicts = ((number, rule.same(work, _work(row))) for number, row in sorted(rows.items()))
    return [
        (number, verdict is rule.Same.WEAK)
        for number, verdict in verdicts
        if verdict is not rule.Same.DIFFERENT
    ]


def get(tx: Tx, id: int) -> Work:
    """A work by its row id; `LookupError` for one that doesn't exist."""
    row = tx.execute(GET, (id,)).fetchone()
    if row is None:
        raise LookupError(f"no work {id}")
    return _work(row)


def _extend(tx: Tx, id: int, known: Work, work: Work) -> int:
    learnt = tuple(
        title
        for title in dict.fromkeys((work.title, *work.titles))
        if title not in (known.title, *known.titles)
    )
    if learnt or (known.year is None and work.year is not None):
        more = known.model_copy(update={"titles": known.titles + learnt})
        keys = sorted(rule.keys(more))
        tx.execute(EXTEND, (codec.dump(more.titles), codec.dump(keys), work.year, id))
        _add_titles(tx, id, keys)
    return id


def _add_titles(tx: Tx, id: int, keys: Iterable[str]) -> None:
    tx.executemany(ADD_TITLE, [(title, id) for title in keys])


def _work(row: tuple[Any, ...]) -> Work:
    _, kind, tmdb, year, title, titles = row
    return Work(kind=Kind(kind), tmdb=tmdb, year=year, title=title, titles=tuple(codec.load(titles)))
