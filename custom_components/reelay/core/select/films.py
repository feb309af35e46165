"""Choosing films: one main feature, all parts of it or none, or a collection's films each by its own name."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ..media import titles, works
from ..media.episodes import NameFacts, from_name
from ..model.decision import Code, Problem
from ..model.offer import Kind, Parsed, Work
from ..model.share import FILM_EPISODE, FILM_SEASON, Chosen, Entry, Role
from . import roles
from .outcome import Problems, Selection
from .sieve import Sieved, Video
from .versions import best

#: A feature this many times larger than anything else is the main one.
_MAIN = 5
_PATHS = 20
_PARTS = {"上": 1, "中": 2, "下": 3}
_PART_WORD = re.compile(
    r"[\s._\-]*[\[(（]?(?:(?<![a-z])(?:cd|dis[ck]|part|pt)[\s._-]?[1-9](?![\da-z])|[上中下][集部篇]?(?=$|[\s._\-\])）]))[\])）]?",
    re.IGNORECASE,
)
_PHYSICAL = re.compile(r"(?<![a-z])(?:cd|dis[ck])[\s._-]?[1-9](?![\da-z])", re.IGNORECASE)
_COLLECTION = re.compile(r"合集|部曲|系列|collection|trilogy|anthology|\[\d{1,2}-\d{1,2}\]", re.IGNORECASE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff][^A-Za-z]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Feature:
    """A film as it lies in the share: one file, its parts in order, or a disc."""

    files: tuple[Entry, ...]
    facts: NameFacts
    parts: tuple[str, ...] = ()
    disc: bool = False

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def identity(self) -> tuple[str, int | None]:
        return titles.key(self.facts.title), self.facts.year


def choose_films(
    sieved: Sieved, parsed: Parsed, work: Work, stored: Collection[tuple[int, int]]
) -> Selection | Problems:
    """The film, or the films of a collection; `stored` is about `work` alone."""
    features, problems = _features(sieved)
    if problems:
        return Problems(problems=problems)
    if not features:
        return Problems(problems=(Problem(code=Code.NO_VIDEO),))
    if any(video.said is not None for video in sieved.videos):
        said = {video.file.id for video in sieved.videos if video.said is not None}
        features = [one for one in features if any(file.id in said for file in one.files)]
    pairs = _collection(features, work) if parsed.collection else _single(features, work)
    if isinstance(pairs, Problems):
        return pairs
    dropped = dict(sieved.dropped)
    found: list[Work] = []
    files: list[Chosen] = []
    for feature, its_work in pairs:
        if its_work is work and (FILM_SEASON, FILM_EPISODE) in stored:
            dropped.update({file.path: "stored" for file in feature.files})
            continue
        files += _chosen(feature, len(found))
        found.append(its_work)
    kept = {file.path for file in files} | dropped.keys()
    for feature in features:
        dropped.update({file.path: "worse" for file in feature.files if file.path not in kept})
    return Selection(works=tuple(found) or (work,), files=tuple(files), dropped=dropped)


def _features(sieved: Sieved) -> tuple[list[_Feature], tuple[Problem, ...]]:
    """Single files, discs, and files that are parts of one film put together."""
    result = [
        _Feature(files=tuple(files), facts=from_name(root.rpartition("/")[2] or "disc"), disc=True)
        for root, files in sieved.discs.items()
    ]
    parts: dict[tuple[str, str], list[tuple[str, Entry, NameFacts]]] = {}
    for video in sieved.videos:
        part = video.facts.part
        if part:
            bare = _PART_WORD.sub("", roles.stem(video.file.path)).casefold()
            key = (roles.folder(video.file.path), bare)
            parts.setdefault(key, []).append((part, video.file, video.facts))
        else:
            result.append(_Feature(files=(video.file,), facts=_named(video)))
    problems = []
    for group in parts.values():
        group.sort(key=lambda row: _PARTS.get(row[0], 0) or int(row[0]))
        numbers = [_PARTS.get(part, 0) or int(part) for part, _, _ in group]
        files = tuple(file for _, file, _ in group)
        alone = len(group) == 1 and not _PHYSICAL.search(files[0].path)
        if alone:
            # "Part 2" of a title: the film is whole.
            result.append(_Feature(files=files, facts=group[0][2]))
        elif len(group) > 1 and _whole([part for part, _, _ in group], numbers):
            names = tuple(str(index) for index in range(1, len(group) + 1))
            result.append(_Feature(files=files, facts=group[0][2], parts=names))
        else:
            paths = tuple(file.path for file in files)[:_PATHS]
            problems.append(Problem(code=Code.MISSING_PART, paths=paths))
    return result, tuple(problems)


def _named(video: Video) -> NameFacts:
    """What the file's name states; where it is only a number, the folder of this one film names it."""
    if video.facts.title or video.facts.year is not None:
        return video.facts
    folder = roles.folder(video.file.path).rpartition("/")[2]
    above = from_name(folder)
    if above.year is None or not above.title or _COLLECTION.search(folder):
        return video.facts
    return replace(video.facts, adopted=above.title, year=above.year)


def _whole(parts: list[str], numbers: list[int]) -> bool:
    """1, 2, 3 … without a gap or double; 上 and 下 without 中 are whole, too."""
    return numbers == list(range(1, len(numbers) + 1)) or parts == ["上", "下"]


def _single(features: list[_Feature], work: Work) -> list[tuple[_Feature, Work]] | Problems:
    """The one main feature, the one that bears the work's name, or the best of several versions."""
    ordered = sorted(features, key=lambda one: one.size, reverse=True)
    if len(ordered) == 1 or ordered[0].size >= _MAIN * ordered[1].size:
        return [(ordered[0], work)]
    large = [one for one in ordered if one.size * _MAIN > ordered[0].size]
    keys = works.keys(work)
    named = [one for one in large if _names(one, keys, work.year)]
    winner = _best(named if named and len(named) < len(large) else large, strict=not named)
    return [(winner, work)] if winner is not None else _several(large)


def _names(feature: _Feature, keys: frozenset[str], year: int | None) -> bool:
    title, its_year = feature.identity
    spoken = any(titles.key(one) in keys for one in _titles(feature.facts.title)) or title in keys
    return spoken and (year is None or its_year is None or its_year == year)


def _best(features: Sequence[_Feature], *, strict: bool) -> _Feature | None:
    """The best of several versions of one film; None if they may be different films."""
    if strict and len({one.identity for one in features}) > 1:
        return None
    return best(
        features,
        path=lambda one: one.files[0].path,
        content=lambda one: (one.files[0].sha1, one.size),
        version=lambda one: one.facts.version,
    )


def _several(features: Sequence[_Feature]) -> Problems:
    paths = tuple(one.files[0].path for one in features)[:_PATHS]
    return Problems(problems=(Problem(code=Code.SEVERAL_FEATURES, paths=paths),))


def _collection(features: list[_Feature], work: Work) -> list[tuple[_Feature, Work]] | Problems:
    """Each film by the name of its own file; a collection's folder never decides that."""
    groups: dict[tuple[str, int | None], list[_Feature]] = {}
    for feature in features:
        groups.setdefault(feature.identity, []).append(feature)
    if len(groups) == 1:
        return _single(features, work)
    if any(not title for title, _ in groups):
        return _several([one for (title, _), group in groups.items() if not title for one in group])
    result = []
    for group in groups.values():
        winner = _best(group, strict=True)
        if winner is None:
            return _several(group)
        result.append((winner, _work(winner, work)))
    return result


def _work(feature: _Feature, work: Work) -> Work:
    """The film a file's name states; the message's own work where it is the same one."""
    known = _titles(feature.facts.title)
    own = Work(kind=Kind.FILM, title=known[0], titles=known[1:], year=feature.facts.year)
    same = works.same(own, work)
    return work if same is works.Same.SAME else own


def _titles(title: str) -> tuple[str, ...]:
    """A name's titles: the Chinese or Japanese one, then the Latin one, where both stand together."""
    found = _CJK.search(title)
    if found is None:
        return (title,)
    local = found[0].strip(" .-_")
    rest = (title[: found.start()] + title[found.end() :]).strip(" .-_")
    return tuple(dict.fromkeys(part for part in (local, rest) if part)) or (title,)


def _chosen(feature: _Feature, work: int) -> list[Chosen]:
    disc = feature.disc or roles.extension(feature.files[0].path) == "iso"
    return [
        Chosen(
            source_id=file.id,
            path=file.path,
            size=file.size,
            sha1=file.sha1,
            role=Role.DISC if disc else Role.VIDEO,
            part=feature.parts[index] if feature.parts else "",
            work=work,
        )
        for index, file in enumerate(feature.files)
    ]
