"""What is known to be stored: one row per episode (or film), release and file."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..model.share import StoredRow
from .database import Tx

_COLUMNS = "work, season, episode, origin, task, file_id, release, gone"

# What a receipt knows about a file outlives finding the same file again.
ADD = """
INSERT INTO library (work, season, episode, provider, root, file_id, origin, task, release, added)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (work, season, episode, provider, root, file_id) DO UPDATE SET
  gone = 0,
  origin = CASE WHEN excluded.origin = 'found' THEN origin ELSE excluded.origin END,
  task = CASE WHEN excluded.origin = 'found' THEN task ELSE excluded.task END,
  release = CASE WHEN excluded.origin = 'found' AND release <> '' THEN release ELSE excluded.release END"""
STORED = f"""
SELECT {_COLUMNS} FROM library WHERE work = ? AND provider = ? AND root = ? AND gone = 0"""
STORED_SEASON = f"""
SELECT {_COLUMNS} FROM library WHERE work = ? AND season = ? AND provider = ? AND root = ? AND gone = 0"""
OF_TASK = f"SELECT {_COLUMNS} FROM library WHERE task = ? ORDER BY work, season, episode, file_id"
PLACE = "UPDATE library SET folder = ?, name = ?, gone = 0 WHERE file_id = ?"
PLACE_OF = "SELECT folder, name FROM library WHERE file_id = ? LIMIT 1"
REMOVE = "DELETE FROM library WHERE file_id = ?"
MARK_GONE = "UPDATE library SET gone = ? WHERE file_id = ?"


def add(tx: Tx, provider: str, root: str, rows: Iterable[StoredRow], now: int) -> None:
    """Note what is stored; a file that was known for an episode keeps its row and isn't gone any more."""
    tx.executemany(
        ADD,
        [
            (
                row.work,
                row.season,
                row.episode,
                provider,
                root,
                row.file_id,
                row.origin,
                row.task,
                row.release,
                now,
            )
            for row in rows
        ],
    )


def stored(
    tx: Tx, provider: str, root: str, works: Sequence[int], season: int | None = None
) -> list[StoredRow]:
    """What is stored of any of `works` and not gone; None means all seasons."""
    found: list[StoredRow] = []
    for work in works:
        if season is None:
            rows = tx.execute(STORED, (work, provider, root)).fetchall()
        else:
            rows = tx.execute(STORED_SEASON, (work, season, provider, root)).fetchall()
        found += [_row(row) for row in rows]
    return found


def of_task(tx: Tx, task: int) -> list[StoredRow]:
    """What a task brought, gone or not."""
    return [_row(row) for row in tx.execute(OF_TASK, (task,)).fetchall()]


def place(tx: Tx, file_id: str, folder: str, name: str) -> None:
    """Note where a file is: its folder below the library root, and its name. What is there isn't gone."""
    tx.execute(PLACE, (folder, name, file_id))


def place_of(tx: Tx, file_id: str) -> tuple[str, str] | None:
    """Folder and name of a file, None while it hasn't been placed."""
    row: tuple[str | None, str | None] | None = tx.execute(PLACE_OF, (file_id,)).fetchone()
    if row is None or row[0] is None or row[1] is None:
        return None
    return row[0], row[1]


def remove(tx: Tx, file_id: str) -> int:
    """Forget a file that Reelay itself replaced or put into the recycle bin."""
    return tx.execute(REMOVE, (file_id,)).rowcount


def mark_gone(tx: Tx, file_id: str, gone: bool) -> int:
    """Note that the owner removed a file, or that it is back."""
    return tx.execute(MARK_GONE, (gone, file_id)).rowcount


def _row(row: tuple[Any, ...]) -> StoredRow:
    work, season, episode, origin, task, file_id, release, gone = row
    return StoredRow(
        work=work,
        season=season,
        episode=episode,
        origin=origin,
        task=task,
        file_id=file_id,
        release=release,
        gone=bool(gone),
    )
