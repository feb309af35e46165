"""A task's transfer record as one value: its batches, their files, the works they belong to."""

from dataclasses import dataclass, replace

from ..model.offer import Offer, Work
from ..model.share import CHECKPOINTS, Batch, ManifestFile, Phase
from ..store import batches, works
from ..store.database import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What the store knows about a task's transfer. `ended` batches are left out unless asked for."""

    batches: tuple[Batch, ...] = ()
    files: dict[int, tuple[ManifestFile, ...]]
    works: dict[int, Work]

    @property
    def open(self) -> Batch | None:
        """The batch whose request may have been executed and isn't verified; at most one at a time."""
        return next((batch for batch in self.batches if batch.phase in CHECKPOINTS), None)

    @property
    def waiting(self) -> tuple[Batch, ...]:
        """Batches with a manifest and claims that were not sent."""
        return tuple(batch for batch in self.batches if batch.phase is Phase.PREPARED)

    @property
    def landed(self) -> bool:
        """Whether there is a receipt for everything."""
        return bool(self.batches) and all(batch.phase is Phase.LANDED for batch in self.batches)

    def all_files(self) -> tuple[ManifestFile, ...]:
        """The files of all batches."""
        return tuple(file for batch in self.batches for file in self.files.get(batch.id, ()))

    def with_batch(self, batch: Batch, files: tuple[ManifestFile, ...] | None = None) -> Record:
        """The record with one batch changed."""
        changed = tuple(batch if old.id == batch.id else old for old in self.batches)
        return replace(
            self,
            batches=changed,
            files=self.files if files is None else self.files | {batch.id: files},
        )


def share_of(offer: Offer) -> str:
    """How a batch and its claims name the share: its code, for ed2k links the digest of all of them."""
    return offer.share.code if offer.share is not None else offer.key


def read(tx: Tx, task: int, *, ended: bool = False) -> Record:
    """The transfer record of a task."""
    found = tuple(batches.of_task(tx, task, ended=ended))
    files = {batch.id: tuple(batches.files(tx, batch.id)) for batch in found}
    known = {file.work for rows in files.values() for file in rows}
    return Record(batches=found, files=files, works={work: works.get(tx, work) for work in known})
