"""The first pass over a share's files: what may be wanted at all, sorted by kind, each name read once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ..media.episodes import NameFacts, from_name, season_of_folder
from ..model.context import Assignment
from ..model.share import Entry
from . import roles


@dataclass(frozen=True, slots=True, kw_only=True)
class Video:
    """A video file with what its name states and what a person said about it."""

    file: Entry
    facts: NameFacts
    said: Assignment | None = None


@dataclass(slots=True, kw_only=True)
class Sieved:
    """Files by kind. `discs` are grouped by the folder that holds them; `dropped` says why by path."""

    videos: list[Video] = field(default_factory=list)
    companions: list[Entry] = field(default_factory=list)
    discs: dict[str, list[Entry]] = field(default_factory=dict)
    dropped: dict[str, str] = field(default_factory=dict)
    left_out: bool = False


def sieve(files: Iterable[Entry], known: frozenset[str], assignments: Sequence[Assignment]) -> Sieved:
    """Sort `files`; those whose id is `known` came with an earlier transfer of the share.

    A folder for extras counts only where there are videos outside of it, because a work may be called "Extras".
    """
    said = {assignment.path: assignment for assignment in assignments}
    rows = [file for file in files if not file.folder]
    outside = any(roles.is_video(file.path) and not roles.is_aside(file.path) for file in rows) or any(
        roles.disc_root(file.path) is not None for file in rows
    )
    result = Sieved()
    aside: list[Video] = []
    for file in rows:
        reason = _refuse(file, known, said, outside)
        if reason is not None:
            result.dropped[file.path] = reason
            result.left_out |= reason in ("known", "left_out")
        elif (disc := roles.disc_root(file.path)) is not None:
            result.discs.setdefault(disc, []).append(file)
        elif roles.is_video(file.path):
            _video(result, aside, file, said)
        elif roles.extension(file.path) in roles.SUBTITLE | roles.SOUND:
            result.companions.append(file)
        else:
            result.dropped[file.path] = "other"
    if not result.videos and not result.discs:
        _take_back(result, aside)
    return result


def _take_back(result: Sieved, aside: list[Video]) -> None:
    """Where everything looks like an extra, the work's title is such a word: what states an episode counts."""
    for video in aside:
        if video.facts.season is not None and video.facts.first is not None:
            del result.dropped[video.file.path]
            result.videos.append(video)


def _refuse(file: Entry, known: frozenset[str], said: Mapping[str, Assignment], outside: bool) -> str | None:
    word = said.get(file.path)
    if word is not None:
        return "left_out" if word.leave_out else None
    if file.id in known:
        return "known"
    if roles.disc_root(file.path) is None and (
        (outside and roles.is_aside(file.path)) or roles.is_advert(file.path)
    ):
        return "aside"
    return None


def _video(result: Sieved, aside: list[Video], file: Entry, said: Mapping[str, Assignment]) -> None:
    facts = from_name(file.name, in_season=_is_season(roles.folder(file.path)))
    video = Video(file=file, facts=facts, said=said.get(file.path))
    recap = facts.half and facts.first is None
    if video.said is None and (facts.extra is not None or recap):
        result.dropped[file.path] = "aside"
        aside.append(video)
    else:
        result.videos.append(video)


@lru_cache(maxsize=4096)
def _is_season(folder: str) -> bool:
    return season_of_folder(folder.rpartition("/")[2]) is not None
