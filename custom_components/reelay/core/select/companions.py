"""Subtitles and sound tracks follow the video they belong to, and are nothing without one."""

from collections.abc import Sequence
from dataclasses import replace

from ..media.episodes import from_name
from ..model.share import FILM_SEASON, Chosen, Entry, Role
from . import roles
from .outcome import Selection

_TAGS = 3


def attach(selection: Selection, companions: Sequence[Entry]) -> Selection:
    """The selection together with the companions of its videos; the others are dropped."""
    if not companions:
        return selection
    finder = _Finder(selection)
    files, dropped = list(selection.files), dict(selection.dropped)
    for file in companions:
        video = finder.video_of(file)
        if video is None:
            dropped[file.path] = "no_video"
            continue
        role = Role.SUBTITLE if roles.extension(file.path) in roles.SUBTITLE else Role.COMPANION
        files.append(
            replace(video, source_id=file.id, path=file.path, size=file.size, sha1=file.sha1, role=role)
        )
    return replace(selection, files=tuple(files), dropped=dropped)


class _Finder:
    """Finds a companion's video: by name in its folder or the one above, then by episode, then the only one."""

    def __init__(self, selection: Selection) -> None:
        videos = [file for file in selection.files if file.role is Role.VIDEO]
        self._by_stem = {(roles.folder(file.path), roles.stem(file.path).casefold()): file for file in videos}
        self._by_episode: dict[tuple[int, int], Chosen | None] = {}
        for file in videos:
            if file.season != FILM_SEASON:
                for episode in file.episodes:
                    key = (file.season, episode)
                    self._by_episode[key] = None if key in self._by_episode else file
        films = [file for file in videos if file.season == FILM_SEASON]
        self._only = films[0] if len(videos) == 1 and films else None
        seasons = {season for season, _ in self._by_episode}
        self._season = seasons.pop() if len(seasons) == 1 else None
        self._dropped_stems = {
            (roles.folder(path), roles.stem(path).casefold())
            for path in selection.dropped
            if roles.is_video(path)
        }

    def video_of(self, file: Entry) -> Chosen | None:
        """The chosen video that the file belongs to."""
        folder, name = roles.folder(file.path), roles.stem(file.path).casefold()
        for _ in range(_TAGS + 1):
            for place in (folder, roles.folder(folder)):
                if (video := self._by_stem.get((place, name))) is not None:
                    return video
                if (place, name) in self._dropped_stems:
                    return None
            name, dot, _ = name.rpartition(".")
            if not dot:
                break
        return self._by_number(file) or self._only

    def _by_number(self, file: Entry) -> Chosen | None:
        if not self._by_episode:
            return None
        facts = from_name(file.name)
        season = facts.season if facts.season is not None else self._season
        if season is None or facts.first is None:
            return None
        return self._by_episode.get((season, facts.first))
