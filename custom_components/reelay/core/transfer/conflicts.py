"""What becomes of a file whose name is taken in the library: a pure decision per film or episode."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..model.share import Entry, ManifestFile
from ..policy.schema import Conflict
from . import naming
from .filing import REPLACES, is_main, unit


class Fate(StrEnum):
    """What is done with a file."""

    PLACE = "place"
    KEEP_BOTH = "keep_both"
    BIN = "bin"
    ASK = "ask"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A file's fate and the name it gets. `rival` is the id of the file it takes the place of.

    `kept_worse`: the policy wanted the better one, but the old one may not be touched or isn't worse.
    """

    file: ManifestFile
    fate: Fate
    name: str
    rival: str | None = None
    kept_worse: bool = False


def rule(
    files: Sequence[ManifestFile],
    here: Iterable[Entry],
    own: Collection[str],
    conflict: Conflict,
    better: Callable[[ManifestFile, Entry], bool],
) -> tuple[Ruling, ...]:
    """Decide for the files of one folder. `here` is what lies in it, `own` are ids that this task brought.

    `better` tells whether a file may take the place of a rival: it has an own receipt and is worse.
    """
    rows = {row.id: row for row in here}
    mine = {file.received_id for file in files}
    names = _Names(rows, mine)
    units: dict[tuple[int, int, int, int], list[ManifestFile]] = {}
    for file in files:
        units.setdefault(unit(file), []).append(file)
    result: list[Ruling] = []
    for group in units.values():
        result += _rule_unit(group, rows, names, own, conflict, better)
    return tuple(result)


class _Names:
    """The names of a folder that are taken, by files of others and by rulings made before."""

    def __init__(self, rows: Mapping[str, Entry], mine: Collection[str | None]) -> None:
        self._rivals = {row.name.casefold(): row for row in rows.values() if row.id not in mine}
        self._given: set[str] = set()

    def rival(self, name: str) -> Entry | None:
        return self._rivals.get(name.casefold())

    def give(self, name: str) -> str:
        """`name` if it's free, else with the lowest number that is."""
        free, count = name, 1
        while free.casefold() in self._rivals or free.casefold() in self._given:
            count += 1
            free = naming.numbered(name, count)
        self._given.add(free.casefold())
        return free

    def keep(self, name: str) -> str:
        self._given.add(name.casefold())
        return name


def _rule_unit(
    group: Sequence[ManifestFile],
    rows: Mapping[str, Entry],
    names: _Names,
    own: Collection[str],
    conflict: Conflict,
    better: Callable[[ManifestFile, Entry], bool],
) -> list[Ruling]:
    mains = [file for file in group if is_main(file)]
    rivals = {file.source_id: names.rival(file.name or "") for file in mains}
    foreign = [rival for rival in rivals.values() if rival is not None and rival.id not in own]
    if foreign and conflict in (Conflict.SKIP, Conflict.ASK):
        fate = Fate.BIN if conflict is Conflict.SKIP else Fate.ASK
        open_ = [file for file in group if not (file.placed or "").startswith(REPLACES)]
        return [Ruling(file=file, fate=fate, name=file.name or "") for file in open_]
    result = []
    renamed: dict[str, str] = {}
    for file in mains:
        ruling = _rule_main(file, rivals[file.source_id], rows, names, own, conflict, better)
        if ruling.fate is not Fate.REPLACE and ruling.name != file.name:
            renamed[_stem(file.name or "")] = _stem(ruling.name)
        result.append(ruling)
    for file in group:
        if not is_main(file):
            result.append(_rule_companion(file, rows, names, renamed, own, conflict, bool(mains)))
    return result


def _rule_main(
    file: ManifestFile,
    rival: Entry | None,
    rows: Mapping[str, Entry],
    names: _Names,
    own: Collection[str],
    conflict: Conflict,
    better: Callable[[ManifestFile, Entry], bool],
) -> Ruling:
    name = file.name or ""
    here = rows.get(file.received_id or "")
    if (file.placed or "").startswith(REPLACES):
        old = (file.placed or "")[len(REPLACES) :]
        # Until the old one is gone, the new one keeps the name it has beside it.
        own_name = here.name if here is not None and old in rows else name
        return Ruling(file=file, fate=Fate.REPLACE, name=own_name, rival=old)
    if rival is None:
        return Ruling(file=file, fate=Fate.PLACE, name=names.give(name))
    free = (
        names.keep(here.name)
        if here is not None and naming.is_numbered(here.name, name)
        else names.give(name)
    )
    if rival.id in own:
        return Ruling(file=file, fate=Fate.PLACE, name=free)
    replacing = conflict is Conflict.REPLACE_IF_BETTER
    if replacing and not rival.folder and better(file, rival):
        return Ruling(file=file, fate=Fate.REPLACE, name=free, rival=rival.id)
    return Ruling(file=file, fate=Fate.KEEP_BOTH, name=free, kept_worse=replacing)


def _rule_companion(
    file: ManifestFile,
    rows: Mapping[str, Entry],
    names: _Names,
    renamed: Mapping[str, str],
    own: Collection[str],
    conflict: Conflict,
    with_video: bool,
) -> Ruling:
    name = file.name or ""
    for old, new in renamed.items():
        if name.startswith(old):
            name = new + name[len(old) :]
            break
    rival = names.rival(name)
    if rival is None:
        return Ruling(file=file, fate=Fate.PLACE, name=names.give(name))
    if conflict is Conflict.SKIP and rival.id not in own and not with_video:
        return Ruling(file=file, fate=Fate.BIN, name=name)
    here = rows.get(file.received_id or "")
    if here is not None and naming.is_numbered(here.name, name):
        return Ruling(file=file, fate=Fate.KEEP_BOTH, name=names.keep(here.name))
    return Ruling(file=file, fate=Fate.KEEP_BOTH, name=names.give(name))


def _stem(name: str) -> str:
    return name.rpartition(".")[0] or name
