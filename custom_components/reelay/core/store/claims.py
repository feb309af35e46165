"""Claims: who holds a share or an episode while a batch of it is on its way."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from .database import Tx

TAKE = """
INSERT INTO claims (provider, root, work, season, episode, share, batch) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING"""
HOLDERS_OF_SHARE = """
SELECT DISTINCT b.task FROM claims c CROSS JOIN batches b ON b.id = c.batch
WHERE c.share = ? AND c.provider = ? AND c.root = ?"""
HOLDERS_OF_WORK = """
SELECT DISTINCT b.task, c.season, c.episode FROM claims c CROSS JOIN batches b ON b.id = c.batch
WHERE c.provider = ? AND c.root = ? AND c.work = ?"""
HOLDS = """
SELECT EXISTS (SELECT 1 FROM batches b CROSS JOIN claims c ON c.batch = b.id WHERE b.task = ?)"""
RELEASE = "DELETE FROM claims WHERE batch IN (SELECT id FROM batches WHERE task = ?)"
RELEASE_BATCH = "DELETE FROM claims WHERE batch = ?"
COUNT = "SELECT count(*) FROM claims"
ALL = """
SELECT c.provider, c.root, c.work, c.season, c.episode, c.share, c.batch, b.task, b.phase
FROM claims c CROSS JOIN batches b ON b.id = c.batch"""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim and who holds it; films use FILM_SEASON and FILM_EPISODE."""

    provider: str
    root: str
    work: int
    season: int
    episode: int
    share: str
    batch: int
    task: int
    phase: str


def take(
    tx: Tx, provider: str, root: str, rows: Iterable[tuple[int, int, int]], share: str, batch: int
) -> None:
    """Hold each (work, season, episode) and the share for a batch; whether they are free is `holders`' answer."""
    tx.executemany(
        TAKE, [(provider, root, work, season, episode, share, batch) for work, season, episode in rows]
    )


def holders(
    tx: Tx,
    provider: str,
    root: str,
    works: Sequence[int],
    pairs: Collection[tuple[int, int]],
    share: str,
    not_task: int,
) -> list[int]:
    """The tasks other than `not_task` that hold the share, or one of the (season, episode) of one of `works`."""
    found = {row[0] for row in tx.execute(HOLDERS_OF_SHARE, (share, provider, root)).fetchall()}
    wanted = set(pairs)
    for work in works:
        rows = tx.execute(HOLDERS_OF_WORK, (provider, root, work)).fetchall()
        found.update(task for task, season, episode in rows if (season, episode) in wanted)
    return sorted(found - {not_task})


def holds(tx: Tx, task: int) -> bool:
    """Whether a task holds any claim."""
    row: tuple[int] = tx.execute(HOLDS, (task,)).fetchone()
    return bool(row[0])


def release(tx: Tx, task: int) -> int:
    """End all claims of a task, and tell how many there were."""
    return tx.execute(RELEASE, (task,)).rowcount


def release_batch(tx: Tx, batch: int) -> int:
    """End the claims of one batch, and tell how many there were."""
    return tx.execute(RELEASE_BATCH, (batch,)).rowcount


def count(tx: Tx) -> int:
    """How many claims there are; their number is that of the episodes on their way."""
    row: tuple[int] = tx.execute(COUNT).fetchone()
    return row[0]


def all(tx: Tx) -> list[Claim]:
    """Every claim."""
    return [Claim(*row) for row in tx.execute(ALL).fetchall()]
