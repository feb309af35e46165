"""The one function that turns a share's file list into what is wanted of it. Pure; below 0.5 s for 5,000 files."""

from collections.abc import Collection, Sequence

from ..model.context import Assignment
from ..model.decision import Code, Problem
from ..model.offer import Kind, Parsed, Work
from ..model.share import Entry
from .companions import attach
from .films import choose_films
from .outcome import Problems, Selection
from .series import choose_episodes
from .sieve import sieve

__all__ = ["Problems", "Selection", "select"]


def select(
    listing_files: Sequence[Entry],
    parsed: Parsed,
    work: Work,
    stored: Collection[tuple[int, int]] = (),
    *,
    assignments: Sequence[Assignment] = (),
    known: frozenset[str] = frozenset(),
) -> Selection | Problems:
    """Choose files, each with its own identity.

    `stored` are (season, episode) pairs of `work` that the library has as good or better; `known` are ids that
    came with earlier transfers of this share. A person's `assignments` are constraints here like any other.
    """
    wrong = _unknown_paths(listing_files, assignments)
    if wrong:
        return Problems(problems=(Problem(code=Code.WRONG_ASSIGNMENT, paths=wrong),))
    sieved = sieve(listing_files, known, assignments)
    if not sieved.videos and not sieved.discs:
        if sieved.left_out:
            return Selection(works=(work,), files=(), dropped=sieved.dropped)
        return Problems(problems=(Problem(code=Code.NO_VIDEO),))
    chosen = (
        choose_films(sieved, parsed, work, stored)
        if work.kind is Kind.FILM
        else choose_episodes(sieved, parsed, work, stored)
    )
    return chosen if isinstance(chosen, Problems) else attach(chosen, sieved.companions)


def _unknown_paths(files: Sequence[Entry], assignments: Sequence[Assignment]) -> tuple[str, ...]:
    if not assignments:
        return ()
    paths = {file.path for file in files}
    return tuple(word.path for word in assignments if word.path not in paths)
