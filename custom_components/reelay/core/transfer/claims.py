"""Claims: an exclusive hold on a share and on episodes, taken all or none inside a transaction."""

from collections.abc import Iterable, Mapping, Sequence

from ..model.offer import Work
from ..model.share import Batch, ManifestFile
from ..store import claims, library, works
from ..store.database import Tx
from .filing import is_main

Row = tuple[int, int, int]


class Taken(Exception):
    """Somebody else holds what is wanted; `task` is who."""

    def __init__(self, task: int) -> None:
        super().__init__(f"held by task {task}")
        self.task = task


class Stale(Exception):
    """Something wanted has been stored since the manifest was written: prepare anew."""


def rows_of(files: Iterable[ManifestFile]) -> list[Row]:
    """The (work, season, episode) of the videos among `files`, each once."""
    return sorted(
        {
            (file.work, file.season, episode)
            for file in files
            if is_main(file)
            for episode in range(file.episode, file.episode_last + 1)
        }
    )


def check(tx: Tx, batch: Batch, rows: Sequence[Row], known: Mapping[int, Work]) -> None:
    """Raise `Taken` if another task holds the share or any of the episodes, under any row of the same work."""
    for work, pairs in _by_work(rows).items():
        same = {row for row, _ in works.same(tx, known[work])} | {work}
        found = claims.holders(tx, batch.provider, batch.root, sorted(same), pairs, batch.share, batch.task)
        if found:
            raise Taken(found[0])


def take(tx: Tx, parts: Sequence[tuple[Batch, Sequence[ManifestFile]]], known: Mapping[int, Work]) -> None:
    """All claims for all batches of a task, or none."""
    if not parts:
        return
    check(tx, parts[0][0], rows_of(file for _, files in parts for file in files), known)
    for batch, files in parts:
        claims.take(tx, batch.provider, batch.root, rows_of(files), batch.share, batch.id)


def look_again(
    tx: Tx,
    batch: Batch,
    files: Sequence[ManifestFile],
    known: Mapping[int, Work],
    seen: frozenset[str],
) -> None:
    """Raise `Stale` if an episode of `files` is stored in a file that wasn't known when they were chosen."""
    for work, pairs in _by_work(rows_of(files)).items():
        same = {row for row, weak in works.same(tx, known[work]) if not weak} | {work}
        for row in library.stored(tx, batch.provider, batch.root, sorted(same)):
            if (row.season, row.episode) in pairs and row.file_id not in seen and row.task != batch.task:
                raise Stale


def _by_work(rows: Sequence[Row]) -> dict[int, set[tuple[int, int]]]:
    result: dict[int, set[tuple[int, int]]] = {}
    for work, season, episode in rows:
        result.setdefault(work, set()).add((season, episode))
    return result
