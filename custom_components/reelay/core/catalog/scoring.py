"""How well a work of the catalogue fits what a message says, as pure functions with reasons.

Titles say what it may be, years, seasons and episode counts which one of those it is. A contradiction isn't
outweighed by anything: such a work is only shown to the person who is asked.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from ..media import titles
from ..model.offer import Kind, Parsed, Work
from .answers import Details, Row, Season

#: From here on two different spellings may be one title; below, a work isn't even worth a question.
CLOSE, RELATED = 0.88, 0.6
#: Shorter titles must be equal: 人世间 and 人间世 are two works.
SHORTEST_CLOSE = 6
#: A better fit must be this much better.
MARGIN = 0.08
_TITLE, _YEAR, _COUNT = 0.6, 0.3, 0.1
_CONTRADICTED = 0.5
#: Counts differ between cuts of one series; beyond this it's another series.
_SLACK, _MORE = 1.25, 2
_LAST_SEASON = re.compile(
    r"[\s:：·-]*(?:(?:最终|最終|完结|完結)[季篇]|(?:the )?final season)\s*$", re.IGNORECASE
)


class Fit(StrEnum):
    """What fits and what doesn't."""

    TITLE = "title"
    TITLE_CLOSE = "title_close"
    TITLE_DIFFERS = "title_differs"
    YEAR = "year"
    YEAR_NEAR = "year_near"
    YEAR_OF_SEASON = "year_of_season"
    YEAR_DIFFERS = "year_differs"
    SEASON = "season"
    SEASON_MISSING = "season_missing"
    TOTAL = "total"
    TOTAL_DIFFERS = "total_differs"
    EPISODES_EXCEED = "episodes_exceed"
    ID = "id"
    KIND_DIFFERS = "kind_differs"
    REMEMBERED = "remembered"
    SAME_NAME = "same_name"
    MANY_HITS = "many_hits"


_CONTRADICTIONS = frozenset(
    {Fit.TITLE_DIFFERS, Fit.YEAR_DIFFERS, Fit.SEASON_MISSING, Fit.EPISODES_EXCEED, Fit.KIND_DIFFERS}
)
_DATED = frozenset({Fit.YEAR, Fit.YEAR_NEAR, Fit.YEAR_OF_SEASON})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a message says, as far as it tells works apart; `season_year` is one written for a season."""

    kind: Kind
    titles: tuple[str, ...]
    year: int | None = None
    season_year: int | None = None
    seasons: tuple[int, ...] = ()
    last_episode: int | None = None
    total: int | None = None

    @property
    def dated(self) -> bool:
        """Whether any year is stated."""
        return self.year is not None or self.season_year is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A work of the catalogue and how it fits.

    `exact` says that a main title is the very same; `alike` is for the title that fits best, `least` the one that
    fits least.
    """

    kind: Kind
    tmdb: int
    title: str
    year: int | None
    score: float
    fits: tuple[Fit, ...] = ()
    exact: bool = False
    alike: float = 0.0
    least: float = 0.0

    @property
    def contradicted(self) -> bool:
        """Whether anything speaks against it."""
        return not _CONTRADICTIONS.isdisjoint(self.fits)

    @property
    def dated(self) -> bool:
        """Whether a year says that it's this one."""
        return not _DATED.isdisjoint(self.fits)

    def but(self, fit: Fit) -> Candidate:
        """The same with something that speaks against it."""
        return replace(self, fits=(*self.fits, fit), score=round(max(0.0, self.score - _CONTRADICTED), 4))


def asked(parsed: Parsed, work: Work) -> Asked:
    """What is known of a work before the catalogue has been asked."""
    names = (work.title, *work.titles, parsed.title, parsed.original_title, *parsed.other_titles)
    series = work.kind is Kind.SERIES
    distinct: dict[str, str] = {}
    for name in names:
        # A season that goes by a name is none of the catalogue's titles.
        for variant in (name, _LAST_SEASON.sub("", name)) if name and series else (name,):
            if variant and (key := titles.key(variant)):
                distinct.setdefault(key, variant)
    return Asked(
        kind=work.kind,
        titles=tuple(distinct.values())[:8],
        year=work.year,
        season_year=parsed.year if series and parsed.year_of_season else None,
        seasons=tuple(number for number in parsed.seasons if number > 0) if series else (),
        last_episode=max((last for _, last in parsed.episodes), default=None) if series else None,
        total=parsed.declared_total if series else None,
    )


def score(wanted: Asked, found: Details | Row) -> Candidate:
    """How well a work fits; a search's row is judged by what it shows."""
    full = isinstance(found, Details)
    main = found.main if isinstance(found, Details) else found.titles
    alike, mean, least, exact = _titles(wanted.titles, main, found.titles)
    fits = [Fit.TITLE if alike == 1.0 else Fit.TITLE_CLOSE if alike >= CLOSE else Fit.TITLE_DIFFERS]
    if found.kind is not wanted.kind:
        fits.append(Fit.KIND_DIFFERS)
    seasons = found.regular if isinstance(found, Details) else ()
    dated = _year(wanted, found.year, seasons, full=full or found.kind is Kind.FILM)
    counted: list[Fit] = []
    if isinstance(found, Details) and found.kind is Kind.SERIES and wanted.kind is Kind.SERIES:
        counted = _counts(wanted, found)
    fits += [*([dated] if dated else []), *counted]
    years = {Fit.YEAR: 1.0, Fit.YEAR_OF_SEASON: 1.0, Fit.YEAR_NEAR: 0.7, Fit.YEAR_DIFFERS: 0.0, None: 0.4}
    count = 1.0 if Fit.TOTAL in counted else 0.7 if Fit.SEASON in counted else 0.5
    total = _TITLE * (0.8 * alike + 0.2 * mean) + _YEAR * years[dated] + _COUNT * count
    against = _CONTRADICTED if not _CONTRADICTIONS.isdisjoint(fits) else 0.0
    return Candidate(
        kind=found.kind,
        tmdb=found.tmdb,
        title=found.title if isinstance(found, Details) else found.titles[0],
        year=found.year,
        score=round(max(0.0, total - against), 4),
        fits=tuple(fits),
        exact=exact,
        alike=alike,
        least=least,
    )


def best(
    wanted: Asked, candidates: list[Candidate], *, complete: bool
) -> tuple[Candidate | None, Fit | None]:
    """The one that may be taken without asking; else why none may. `complete`: there are no hits that weren't seen."""
    viable = sorted((each for each in candidates if not each.contradicted), key=lambda each: -each.score)
    if not viable:
        return None, None
    first, others = viable[0], viable[1:]
    if Fit.TOTAL in first.fits:
        # Nothing speaks against a series with other counts, but next to one with this very count it's the other.
        others = [each for each in others if Fit.TOTAL_DIFFERS not in each.fits or each.dated]
    if first.least == 1.0:
        # One that has every title of the message is told from one that lacks any.
        others = [each for each in others if each.least >= CLOSE or (each.dated and not first.dated)]
    if others and others[0].score > first.score - MARGIN:
        return None, Fit.SAME_NAME
    if not first.exact and any(each.exact and each.tmdb != first.tmdb for each in candidates):
        # The very title belongs to a work of another year: either the title or the year is wrong.
        return None, Fit.SAME_NAME
    if first.dated:
        return (first, None) if Fit.TITLE in first.fits or Fit.YEAR_NEAR not in first.fits else (None, None)
    if wanted.dated or not first.exact:
        return None, None
    if any(each.exact for each in others):
        return None, Fit.SAME_NAME
    return (first, None) if complete else (None, Fit.MANY_HITS)


def comparable(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether any two titles are written in the same letters, so that a difference means something."""
    return bool({_letters(title) for title in ours} & {_letters(title) for title in theirs})


def _letters(title: str) -> str:
    return "latin" if titles.key(title).isascii() else "other"


def _titles(
    ours: tuple[str, ...], main: tuple[str, ...], theirs: tuple[str, ...]
) -> tuple[float, float, float, bool]:
    """The best, mean and least likeness of our titles, and whether a main title is one of ours."""
    keys, main_keys = {titles.key(each) for each in theirs}, {titles.key(each) for each in main}
    each_best = []
    for title in ours:
        key = titles.key(title)
        if key in keys:
            each_best.append(1.0)
            continue
        alike = max((titles.similarity(title, other) for other in theirs), default=0.0)
        short = min(len(key) * (1 if key.isascii() else 2), 99) < SHORTEST_CLOSE * 2
        each_best.append(min(alike, CLOSE - 0.01) if short else alike)
    if not each_best:
        return 0.0, 0.0, 0.0, False
    exact = any(titles.key(title) in main_keys for title in ours)
    return max(each_best), sum(each_best) / len(each_best), min(each_best), exact


def _year(wanted: Asked, first: int | None, seasons: tuple[Season, ...], *, full: bool) -> Fit | None:
    """What the years say. A series may carry the year of the season it is at."""
    stated = wanted.season_year or wanted.year
    if stated is None:
        return None
    own = [each.year for each in seasons if each.number in wanted.seasons and each.year]
    if wanted.season_year is None:
        if first == stated:
            return Fit.YEAR
        if first is not None and abs(first - stated) == 1 and stated not in own:
            return Fit.YEAR_NEAR
    known = own or ([] if wanted.seasons else [each.year for each in seasons if each.year])
    if stated in known:
        return Fit.YEAR_OF_SEASON
    if own and any(abs(year - stated) == 1 for year in own):
        return Fit.YEAR_NEAR
    if (first is None and not own) or not full:
        return None
    newest = max((each.year for each in seasons if each.year), default=None)
    if wanted.seasons and not own and newest is not None and stated >= newest:
        # A season that the catalogue doesn't have yet.
        return None
    return Fit.YEAR_DIFFERS


def _counts(wanted: Asked, found: Details) -> list[Fit]:
    """What numbers of seasons and episodes say; a running series may be ahead of the catalogue by one season."""
    regular = {season.number: season.episodes for season in found.regular}
    if not regular:
        return []
    fits = []
    if wanted.seasons and max(wanted.seasons) < 100:
        if all(number in regular for number in wanted.seasons):
            fits.append(Fit.SEASON)
        elif max(wanted.seasons) > max(regular) + 1:
            fits.append(Fit.SEASON_MISSING)
    total = sum(regular.values())
    season = wanted.seasons[0] if len(wanted.seasons) == 1 else None
    if wanted.total:
        have = regular.get(season, total) if season else total
        if wanted.total in (have, total):
            fits.append(Fit.TOTAL)
        elif found.over or wanted.total < have or wanted.total > 2 * total:
            fits.append(Fit.TOTAL_DIFFERS)
    most = max(wanted.total or 0, wanted.last_episode or 0)
    if found.over and total and most > total * _SLACK + _MORE:
        fits.append(Fit.EPISODES_EXCEED)
    return fits
