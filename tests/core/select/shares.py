"""Shares in short for selection tests."""

from collections.abc import Mapping
from typing import Any

from custom_components.reelay.core.model.offer import Kind, Parsed, Work
from custom_components.reelay.core.model.share import Chosen, Entry
from custom_components.reelay.core.select.outcome import Problems, Selection
from custom_components.reelay.core.select.select import select

MIB = 1024**2
GIB = 1024**3
FILM = Work(kind=Kind.FILM, title="流浪地球", titles=("The Wandering Earth",), year=2019)
SERIES = Work(kind=Kind.SERIES, title="The Paper Comet", year=2019)


def entries(files: Mapping[str, int] | list[str]) -> list[Entry]:
    sizes = files if isinstance(files, Mapping) else {path: GIB + n for n, path in enumerate(files)}
    return [Entry(f"i{n}", path, size, f"{n:040X}") for n, (path, size) in enumerate(sizes.items())]


def said(work: Work, **fields: Any) -> Parsed:
    return Parsed(is_media=True, kind=work.kind, title=work.title, **fields)


def choose(
    files: Mapping[str, int] | list[str],
    work: Work = SERIES,
    parsed: Parsed | None = None,
    stored: set[tuple[int, int]] | None = None,
    **more: Any,
) -> Selection:
    found = select(entries(files), parsed or said(work), work, stored or set(), **more)
    assert isinstance(found, Selection), found
    return found


def problems(
    files: Mapping[str, int] | list[str], work: Work = SERIES, parsed: Parsed | None = None, **more: Any
) -> list[str]:
    found = select(entries(files), parsed or said(work), work, **more)
    assert isinstance(found, Problems), found
    return [problem.code.value for problem in found.problems]


def numbers(selection: Selection) -> list[tuple[int, int]]:
    return sorted((file.season, episode) for file in selection.videos for episode in file.episodes)


def by_path(selection: Selection) -> dict[str, Chosen]:
    return {file.path: file for file in selection.files}
