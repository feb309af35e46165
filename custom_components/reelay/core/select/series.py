"""Choosing episodes: season and number from the file's name, then its folders, then the message."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from ..media.episodes import season_of_folder
from ..model.decision import Code, Problem
from ..model.offer import Parsed, Work, expand
from ..model.share import SPECIALS, Chosen, Entry, Role
from . import roles
from .outcome import Problems, Selection
from .sieve import Sieved, Video
from .versions import best

#: A video without a number that is this much smaller than the usual episode is none.
_JUNK = 0.08
_PATHS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbered:
    video: Video
    season: int
    first: int
    last: int
    part: str

    @property
    def file(self) -> Entry:
        return self.video.file

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return [(self.season, episode) for episode in range(self.first, self.last + 1)]


def choose_episodes(
    sieved: Sieved, parsed: Parsed, work: Work, stored: Collection[tuple[int, int]]
) -> Selection | Problems:
    """The episodes that the share has, of the seasons the message speaks of, without what is stored.

    The share's list is the truth about episodes: a message that names fewer than there are belongs to a share
    that has grown since.
    """
    dropped = dict(sieved.dropped)
    problems: list[Problem] = []
    if sieved.discs:
        paths = tuple(files[0].path for files in sieved.discs.values())
        problems.append(Problem(code=Code.NO_NUMBER, paths=paths[:_PATHS]))
    numbered = _number(sieved.videos, parsed, dropped, problems)
    numbered = _of_seasons(numbered, parsed, dropped)
    stored = frozenset(stored)
    wanted = []
    for one in numbered:
        if stored and all(pair in stored for pair in one.pairs):
            dropped[one.file.path] = "stored"
        else:
            wanted.append(one)
    kept = _without_doubles(wanted, dropped, problems)
    if problems:
        return Problems(problems=tuple(problems))
    return Selection(works=(work,), files=tuple(map(_chosen, kept)), dropped=dropped)


def _number(
    videos: list[Video], parsed: Parsed, dropped: dict[str, str], problems: list[Problem]
) -> list[_Numbered]:
    stated = {video.file.id: _stated_season(video) for video in videos}
    fallback = _fallback_season(parsed, {season for season in stated.values() if season})
    result: list[_Numbered] = []
    numberless: list[Video] = []
    homeless: list[Video] = []
    for video in videos:
        first, last = _episodes(video)
        season = stated[video.file.id]
        if first is None or last is None:
            numberless.append(video)
        elif season is None and fallback is None:
            homeless.append(video)
        else:
            season = season if season is not None else fallback
            if season is not None:
                part = _part(video)
                result.append(_Numbered(video=video, season=season, first=first, last=last, part=part))
    if homeless:
        problems.append(_problem(Code.NO_SEASON, homeless))
    rest = _drop_junk(numberless, result, dropped)
    if rest and not result and len(rest) == 1 and (only := _only_episode(parsed)) is not None:
        season = stated[rest[0].file.id]
        season = season if season is not None else fallback
        if season is not None:
            return [_Numbered(video=rest[0], season=season, first=only, last=only, part="")]
    if rest:
        problems.append(_problem(Code.NO_NUMBER, rest))
    return result


def _problem(code: Code, videos: Iterable[Video]) -> Problem:
    return Problem(code=code, paths=tuple(video.file.path for video in videos)[:_PATHS])


def _episodes(video: Video) -> tuple[int | None, int | None]:
    if video.said is not None and video.said.episode is not None:
        return video.said.episode, video.said.episode_last or video.said.episode
    if video.facts.first is None and video.facts.issue is not None:
        return video.facts.issue, video.facts.issue
    return video.facts.first, video.facts.last


def _stated_season(video: Video) -> int | None:
    """The season by a person's word, the file's name, its folders from inside out."""
    if video.said is not None and video.said.season is not None:
        return video.said.season
    if video.facts.season is not None:
        return video.facts.season
    if video.facts.special:
        return SPECIALS
    return _season_of_path(roles.folder(video.file.path))


@lru_cache(maxsize=4096)
def _season_of_path(folder: str) -> int | None:
    while folder:
        folder, _, name = folder.rpartition("/")
        if (season := season_of_folder(name)) is not None:
            return season
    return None


def _fallback_season(parsed: Parsed, seen: set[int]) -> int | None:
    """The season of files that state none; None where more than one could be meant."""
    regular = {season for season in parsed.seasons if season != SPECIALS}
    if len(regular) == 1:
        return regular.pop()
    if regular:
        return None
    if parsed.seasons:
        return SPECIALS
    return next(iter(seen), 1) if len(seen) <= 1 else None


def _only_episode(parsed: Parsed) -> int | None:
    numbers = expand(parsed.episodes) if parsed.episodes else frozenset()
    return next(iter(numbers)) if len(numbers) == 1 else None


def _part(video: Video) -> str:
    return {"上": "1", "中": "2", "下": "3"}.get(video.facts.part, video.facts.part)


def _drop_junk(numberless: list[Video], numbered: list[_Numbered], dropped: dict[str, str]) -> list[Video]:
    if not numbered:
        return numberless
    usual = median(one.file.size for one in numbered)
    rest = []
    for video in numberless:
        if video.said is None and video.file.size < usual * _JUNK:
            dropped[video.file.path] = "aside"
        else:
            rest.append(video)
    return rest


def _of_seasons(numbered: list[_Numbered], parsed: Parsed, dropped: dict[str, str]) -> list[_Numbered]:
    """Without other seasons than the message names, where it names any the share has; specials stay."""
    named = frozenset(parsed.seasons)
    if not named or not any(one.season in named for one in numbered):
        return numbered
    kept = []
    for one in numbered:
        if one.season in named or one.season == SPECIALS or one.video.said is not None:
            kept.append(one)
        else:
            dropped[one.file.path] = "other_season"
    return kept


def _without_doubles(
    numbered: list[_Numbered], dropped: dict[str, str], problems: list[Problem]
) -> list[_Numbered]:
    groups: dict[tuple[int, int, int, str], list[_Numbered]] = {}
    for one in numbered:
        groups.setdefault((one.season, one.first, one.last, one.part), []).append(one)
    kept: list[_Numbered] = []
    for (season, first, _, _), group in groups.items():
        winner = best(
            group,
            path=lambda one: one.file.path,
            content=lambda one: (one.file.sha1, one.file.size),
            version=lambda one: one.video.facts.version,
        )
        if winner is None:
            paths = tuple(one.file.path for one in group)[:_PATHS]
            problems.append(Problem(code=Code.SEVERAL_FILES, paths=paths, season=season, episode=first))
            continue
        kept.append(winner)
        dropped.update({one.file.path: "worse" for one in group if one is not winner})
    return _without_covered(kept, dropped)


def _without_covered(kept: list[_Numbered], dropped: dict[str, str]) -> list[_Numbered]:
    """A file of several episodes is left out where each of them has a file of its own."""
    single = {(one.season, one.first) for one in kept if one.first == one.last}
    result = []
    for one in kept:
        if one.first != one.last and all(pair in single for pair in one.pairs):
            dropped[one.file.path] = "worse"
        else:
            result.append(one)
    return result


def _chosen(one: _Numbered) -> Chosen:
    disc = roles.extension(one.file.path) == "iso"
    return Chosen(
        source_id=one.file.id,
        path=one.file.path,
        size=one.file.size,
        sha1=one.file.sha1,
        role=Role.DISC if disc else Role.VIDEO,
        season=one.season,
        episode=one.first,
        episode_last=one.last,
        part=one.part,
    )
