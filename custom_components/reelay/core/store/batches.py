"""Batches and the files of their manifests."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..model.share import Batch, ManifestFile, Phase, Role
from .database import Tx

_COLUMNS = """
id, task, n, phase, provider, root, share, staging_name, staging_id, answer, looks, unchanged, sent"""
_FILE_COLUMNS = """
f.batch, f.source_id, f.path, f.size, f.sha1, f.role, f.work, f.season, f.episode, f.episode_last, f.part,
f.received_id, f.folder, f.name, f.placed"""

DROP_DRAFTS = "DELETE FROM batches WHERE task = ? AND phase = 'draft'"
INSERT = """
INSERT INTO batches (task, n, phase, provider, root, share, staging_name) VALUES (?, ?, ?, ?, ?, ?, ?)"""
OF_TASK = f"SELECT {_COLUMNS} FROM batches WHERE task = ? ORDER BY n, id"
OPEN = f"""
SELECT {_COLUMNS} FROM batches WHERE phase IN ('draft', 'prepared', 'receiving', 'accepted', 'unknown')"""
SAVE = """
UPDATE batches SET phase = ?, staging_name = ?, staging_id = ?, answer = ?, looks = ?, unchanged = ?, sent = ?
WHERE id = ?"""
ADD_FILE = """
INSERT INTO files (batch, source_id, path, size, sha1, role, work, season, episode, episode_last, part, received_id,
  folder, name, placed)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
FILES = f"SELECT {_FILE_COLUMNS} FROM files f WHERE f.batch = ?"
FILES_OF_TASK = f"""
SELECT {_FILE_COLUMNS} FROM batches b CROSS JOIN files f ON f.batch = b.id
WHERE b.task = ? AND b.phase <> 'ended' ORDER BY b.n, b.id"""
SAVE_FILE = """
UPDATE files SET received_id = ?, folder = ?, name = ?, placed = ? WHERE batch = ? AND source_id = ?"""
MANIFESTED = """
SELECT f.source_id FROM batches b CROSS JOIN files f ON f.batch = b.id
WHERE b.share = ? AND b.provider = ? AND b.root = ? AND b.phase = 'landed'
  AND f.received_id IS NOT NULL"""


def drop_drafts(tx: Tx, task: int) -> int:
    """Remove a task's drafts with their files, and tell how many there were."""
    return tx.execute(DROP_DRAFTS, (task,)).rowcount


def insert(
    tx: Tx, task: int, n: int, phase: Phase, provider: str, root: str, share: str, staging_name: str
) -> int:
    """Make a batch and return its id. `n` is unique among a task's batches that haven't ended."""
    cursor = tx.execute(INSERT, (task, n, phase, provider, root, share, staging_name))
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def of_task(tx: Tx, task: int, *, ended: bool = False) -> list[Batch]:
    """A task's batches by number; those given up only when asked for."""
    found = [_batch(row) for row in tx.execute(OF_TASK, (task,)).fetchall()]
    return [batch for batch in found if ended or batch.phase is not Phase.ENDED]


def in_flight(tx: Tx) -> list[Batch]:
    """All batches that are neither landed nor ended."""
    return [_batch(row) for row in tx.execute(OPEN).fetchall()]


def save(tx: Tx, batch: Batch) -> None:
    """Write what can change about a batch: phase, staging, answer, looks and the time of its send."""
    values = (
        batch.phase,
        batch.staging_name,
        batch.staging_id,
        batch.answer,
        batch.looks,
        batch.unchanged,
        batch.sent,
        batch.id,
    )
    tx.execute(SAVE, values)


def add_files(tx: Tx, batch: int, files: Sequence[ManifestFile]) -> None:
    """Put files into a batch's manifest, whatever batch they name themselves."""
    tx.executemany(
        ADD_FILE,
        [
            (
                batch,
                file.source_id,
                file.path,
                file.size,
                file.sha1,
                file.role,
                file.work,
                file.season,
                file.episode,
                file.episode_last,
                file.part,
                file.received_id,
                file.folder,
                file.name,
                file.placed,
            )
            for file in files
        ],
    )


def files(tx: Tx, batch: int) -> list[ManifestFile]:
    """A batch's manifest by path."""
    return _by_path(_file(row) for row in tx.execute(FILES, (batch,)).fetchall())


def files_of_task(tx: Tx, task: int) -> list[ManifestFile]:
    """The manifests of a task's batches that haven't ended, in the order of batches."""
    return [_file(row) for row in tx.execute(FILES_OF_TASK, (task,)).fetchall()]


def save_files(tx: Tx, files: Iterable[ManifestFile]) -> None:
    """Write what can change about files: what was received and where it goes."""
    tx.executemany(
        SAVE_FILE,
        [
            (file.received_id, file.folder, file.name, file.placed, file.batch, file.source_id)
            for file in files
        ],
    )


def manifested(tx: Tx, provider: str, root: str, share: str) -> set[str]:
    """The source ids of all files that landed from a share before."""
    return {row[0] for row in tx.execute(MANIFESTED, (share, provider, root)).fetchall()}


def _by_path(files: Iterable[ManifestFile]) -> list[ManifestFile]:
    return sorted(files, key=lambda file: (file.path, file.source_id))


def _batch(row: tuple[Any, ...]) -> Batch:
    (
        number,
        task,
        n,
        phase,
        provider,
        root,
        share,
        staging_name,
        staging_id,
        answer,
        looks,
        unchanged,
        sent,
    ) = row
    return Batch(
        id=number,
        task=task,
        n=n,
        phase=Phase(phase),
        provider=provider,
        root=root,
        share=share,
        staging_name=staging_name,
        staging_id=staging_id,
        answer=answer,
        looks=looks,
        unchanged=unchanged,
        sent=sent,
    )


def _file(row: tuple[Any, ...]) -> ManifestFile:
    (
        batch,
        source_id,
        path,
        size,
        sha1,
        role,
        work,
        season,
        episode,
        episode_last,
        part,
        received_id,
        folder,
        name,
        placed,
    ) = row
    return ManifestFile(
        batch=batch,
        source_id=source_id,
        path=path,
        size=size,
        sha1=sha1,
        role=Role(role),
        work=work,
        season=season,
        episode=episode,
        episode_last=episode_last,
        part=part,
        received_id=received_id,
        folder=folder,
        name=name,
        placed=placed,
    )
