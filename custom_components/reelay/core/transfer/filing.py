"""The plan of filing: where each received file goes, decided from the manifest alone and never from a name again."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from ..model.offer import Work
from ..model.share import ManifestFile, Role
from ..policy.schema import Policy
from ..select.roles import disc_root, in_disc
from . import naming

PLANNED = "planned"
PLACED = "placed"
KEPT = "kept"
BINNED = "binned"
ASKED = "asked"
LOST = "lost"
#: Landed, but part of something incomplete: it stays where it is.
LEFT = "left"
#: Followed by the id of the file that the new one takes the place of; its deletion is decided and recorded.
REPLACES = "replaces:"

#: What `placed` says of files that nothing more is done with.
SETTLED = frozenset({PLACED, KEPT, BINNED, LOST, LEFT})


def unit(file: ManifestFile) -> tuple[int, int, int, int]:
    """What belongs together: the videos and companions of one film, or of one file's episodes."""
    return file.work, file.season, file.episode, file.episode_last


def is_main(file: ManifestFile) -> bool:
    """Whether the file is the work itself and no companion."""
    return file.role in (Role.VIDEO, Role.DISC)


def plan(
    files: Iterable[ManifestFile],
    works: Mapping[int, Work],
    policy: Policy,
    taken: Collection[tuple[str, str]] = (),
) -> tuple[ManifestFile, ...]:
    """`files` with folder and name, as far as they were received and aren't settled already.

    Names are unique within the plan and against `taken`, (folder, name) pairs of the same task.
    """
    rows = tuple(files)
    videos: dict[tuple[tuple[int, int, int, int], str], ManifestFile] = {}
    for file in rows:
        if is_main(file):
            videos.setdefault((unit(file), file.part), file)
    used = {(folder, name.casefold()) for folder, name in taken}
    used |= {
        (file.folder or "", (file.name or "").casefold()) for file in rows if file.placed in (PLACED, KEPT)
    }
    places = _Places(works, policy)
    result = []
    for file in sorted(rows, key=lambda file: (not is_main(file), file.path, file.source_id)):
        if file.received_id is None or file.placed in SETTLED or (file.placed or "").startswith(REPLACES):
            result.append(file)
            continue
        folder, name = places.of(file, videos.get((unit(file), file.part)))
        count = 1
        free = name
        while (folder, free.casefold()) in used:
            count += 1
            free = naming.numbered(name, count)
        used.add((folder, free.casefold()))
        result.append(replace(file, folder=folder, name=free, placed=PLANNED))
    return tuple(result)


class _Places:
    """Fills in each template once per season and episode."""

    def __init__(self, works: Mapping[int, Work], policy: Policy) -> None:
        self._works = works
        self._policy = policy
        self._folders: dict[tuple[int, int], str] = {}
        self._bases: dict[tuple[tuple[int, int, int, int], str], str] = {}

    def of(self, file: ManifestFile, video: ManifestFile | None) -> tuple[str, str]:
        """Folder and name of a file; a disc keeps its structure below the folder."""
        work, key = self._works[file.work], (file.work, file.season)
        if (folder := self._folders.get(key)) is None:
            folder = self._folders[key] = naming.folder_of(self._policy, work, file.season)
        if file.role is Role.DISC and disc_root(file.path) is not None:
            *below, name = (naming.clean(part) for part in in_disc(file.path).split("/"))
            return "/".join((folder, *below)), name
        named = (unit(file), file.part)
        if (base := self._bases.get(named)) is None:
            base = self._bases[named] = naming.base_of(self._policy, work, file)
        return folder, naming.clean_file(base, naming.tail_of(file, video))


def open_rows(files: Sequence[ManifestFile]) -> tuple[ManifestFile, ...]:
    """What is still to be done: planned files, recorded deletions whose execution isn't proven."""
    return tuple(
        file
        for file in files
        if file.received_id is not None
        and (file.placed in (PLANNED, BINNED) or (file.placed or "").startswith(REPLACES))
    )
