"""ed2k links as a batch: one cloud download per link, told apart by name and size."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from ..drives.base import Download, Drive
from ..model.decision import Code
from ..model.errors import Busy, Permanent
from ..model.offer import Ed2kLink
from ..model.share import ManifestFile
from .reconcile import normal

FINAL = frozenset({"done", "failed"})


def url(link: Ed2kLink) -> str:
    """The link as a drive takes it."""
    return f"ed2k://|file|{quote(link.name, safe=' ()[]&+,;=@!$~')}|{link.size}|{link.hash}|/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the jobs of a batch are, and a number that grows while something moves.

    `final`: there are jobs and all have ended; `failed`: and none of them well; `whole`: each file has one.
    """

    final: bool
    failed: bool
    whole: bool
    percent: float
    keys: tuple[str, ...]


async def request(drive: Drive, links: Sequence[Ed2kLink], files: Sequence[ManifestFile], into: str) -> str:
    """Start the downloads of a batch; a link whose job still runs for somebody else is busy."""
    wanted = {file.source_id for file in files}
    urls = tuple(url(link) for link in links if link.hash in wanted)
    if len(urls) != len(wanted):
        raise Permanent(Code.NOT_SUPPORTED, links=len(urls), files=len(wanted))
    jobs = await drive.add_downloads(urls, into)
    return f"{len(jobs)} downloads"


async def clear_way(drive: Drive, files: Sequence[ManifestFile]) -> None:
    """Remove records of old finished downloads of the same links; raise Busy while one of them runs.

    Done before the checkpoint: it's no part of the request.
    """
    old = _of(await drive.downloads(), files)
    if any(job.status not in FINAL for job in old):
        raise Busy(Code.DRIVE_REFUSED, jobs=len(old))
    if old:
        await drive.forget_downloads(tuple(job.key for job in old))


async def progress(drive: Drive, files: Sequence[ManifestFile]) -> Progress:
    """Look at the jobs of a batch."""
    jobs = _of(await drive.downloads(), files)
    return Progress(
        final=bool(jobs) and all(job.status in FINAL for job in jobs),
        failed=bool(jobs) and all(job.status == "failed" for job in jobs),
        whole=len({_key(job.name, job.size) for job in jobs}) >= len({_of_file(file) for file in files}),
        percent=round(sum(job.percent for job in jobs), 1),
        keys=tuple(job.key for job in jobs),
    )


def _of(jobs: Sequence[Download], files: Sequence[ManifestFile]) -> list[Download]:
    wanted = {_of_file(file) for file in files}
    return [job for job in jobs if _key(job.name, job.size) in wanted]


def _of_file(file: ManifestFile) -> tuple[str, int]:
    return _key(file.path.rpartition("/")[2], file.size)


def _key(name: str, size: int) -> tuple[str, int]:
    return normal(name), size
