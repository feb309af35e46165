"""Recognising what already lies in the library, put there by whomever."""

from collections.abc import Iterable

from ..media.episodes import from_name
from ..model.share import FILM_EPISODE, FILM_SEASON, Entry, StoredRow
from ..select.roles import is_video


def recognise(rows: Iterable[Entry], work: int, season: int) -> list[StoredRow]:
    """Library rows for the videos of a work's folder; what states no episode isn't recognised."""
    result: list[StoredRow] = []
    for row in rows:
        if row.folder or not is_video(row.path):
            continue
        facts = from_name(row.name)
        if facts.extra is not None:
            continue
        if season == FILM_SEASON:
            result.append(_row(work, FILM_SEASON, FILM_EPISODE, row))
        elif facts.first is not None and facts.season in (None, season):
            last = facts.last if facts.last is not None else facts.first
            result += [_row(work, season, episode, row) for episode in range(facts.first, last + 1)]
    return result


def _row(work: int, season: int, episode: int, file: Entry) -> StoredRow:
    return StoredRow(work=work, season=season, episode=episode, origin="found", task=None, file_id=file.id)
