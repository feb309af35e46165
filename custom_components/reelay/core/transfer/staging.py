"""Staging folders: one per batch, below the library root, made before a send and removed when empty."""

from collections.abc import Iterable

from ..drives.base import ROOT, Drive
from ..model.errors import Permanent, ReelayError
from ..model.points import Point
from ..ports import Probe
from .naming import STAGING, root_parts


async def ensure(drive: Drive, parts: Iterable[str], parent: str = ROOT) -> str:
    """The id of a folder path, made where it is missing."""
    names = tuple(parts)
    found = await drive.find_folder(parent, "/".join(names)) if names else parent
    if found is not None:
        return found
    for name in names:
        parent = await drive.make_folder(parent, name)
    return parent


async def make(drive: Drive, root: str, name: str, probe: Probe) -> str:
    """The id of a batch's staging folder; making it twice is the same as once."""
    parent = await ensure(drive, (*root_parts(root), STAGING))
    await probe(Point.BEFORE_STAGING_FOLDER)
    folder = await drive.make_folder(parent, name)
    await probe(Point.AFTER_STAGING_FOLDER)
    return folder


async def remove_empty(drive: Drive, folder: str, probe: Probe) -> bool:
    """Put a staging folder into the recycle bin if nothing is in it; tells whether it's gone.

    Failing here is no failure of a transfer: an empty folder is left behind.
    """
    try:
        if await drive.list_folder(folder):
            return False
    except Permanent:
        return True
    except ReelayError:
        return False
    await probe(Point.BEFORE_TRASH)
    try:
        await drive.trash((folder,))
    except ReelayError:
        return False
    await probe(Point.AFTER_TRASH)
    return True
