"""What is written when a batch has landed, in the transaction that moves its task."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..media import release
from ..model.share import Batch, ManifestFile, Phase, Role, StoredRow
from ..store import batches, claims, library, resources
from ..store.database import Tx
from .filing import LEFT, is_main, unit


def record(tx: Tx, batch: Batch, files: Sequence[ManifestFile], now: int) -> None:
    """The receipt: received ids and plan, library rows, end of the batch and of its claims."""
    batches.save_files(tx, files)
    batches.save(tx, replace(batch, phase=Phase.LANDED))
    library.add(tx, batch.provider, batch.root, stored_rows(batch.task, files), now)
    claims.release_batch(tx, batch.id)


def stored_rows(task: int, files: Iterable[ManifestFile]) -> list[StoredRow]:
    """The library rows of landed videos: one per episode they hold."""
    return [
        StoredRow(
            work=file.work,
            season=file.season,
            episode=episode,
            origin="transferred",
            task=task,
            file_id=file.received_id,
            release=release_text(file.path),
        )
        for file in _mains(files)
        if file.received_id is not None
        for episode in range(file.episode, file.episode_last + 1)
    ]


def _mains(files: Iterable[ManifestFile]) -> list[ManifestFile]:
    """The landed videos that go on; of a disc its largest file stands for all."""
    discs: dict[tuple[int, int, int, int], ManifestFile] = {}
    result = []
    for file in files:
        if file.received_id is None or file.placed == LEFT or not is_main(file):
            continue
        if file.role is not Role.DISC:
            result.append(file)
        elif (known := discs.get(unit(file))) is None or known.size < file.size:
            discs[unit(file)] = file
    return [*result, *discs.values()]


def release_text(path: str) -> str:
    """How a file is packed, as the library keeps it."""
    words = " ".join(path.split("/")[-2:])
    return release.parse(words).model_dump_json(exclude_defaults=True)


def resource(tx: Tx, batch: Batch, key: str, files_hash: str) -> None:
    """Note that everything wanted of a share has landed, and what the share held then."""
    resources.put(tx, batch.provider, batch.root, key, batch.task, files_hash)
