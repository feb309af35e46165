"""Recognition: which work of the catalogue a message means, or that it can't be told, and then nothing is changed.

Searches by all title variants, looks closely at few hits and takes one only if nothing speaks against it and no other
fits nearly as well (`scoring`). What was recognised is remembered by what the message said, never by its bare title.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..media import titles as words
from ..model.offer import Kind, Parsed, Work
from ..remote.cache import Cache
from ..remote.errors import RemoteError
from . import answers
from .answers import Details, Group, Row, Season
from .client import DAY, Client
from .scoring import CLOSE, RELATED, Asked, Candidate, Fit, asked, best, comparable, score

REGION = "tmdb.recognize"
#: How many titles are searched for, how many hits are looked at closely, how many pages are read, how many are shown.
QUERIES, CLOSELY, PAGES, SHOWN = 4, 4, 2, 5
#: Titles that go on with the work; a task's context stays small.
KEPT_TITLES, KEPT_CHARACTERS = 24, 1_200


class Status(StrEnum):
    """How a recognition ended; only `found` changes anything."""

    FOUND = "found"
    AMBIGUOUS = "ambiguous"
    UNKNOWN = "unknown"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """The answer. What describes the work is there when found, `candidates` (best first) when it was looked for.

    `reason` names what kept an ambiguous one from being taken, `why` an error, `until` (ms) when it may be over.
    `by` tells what found it: `id`, `search`, `cache` or `person`.
    """

    status: Status
    work: Work | None = None
    title: str | None = None
    titles: tuple[str, ...] = ()
    year: int | None = None
    kind: Kind | None = None
    seasons: tuple[Season, ...] = ()
    over: bool = False
    poster: str | None = None
    score: float = 0.0
    by: str | None = None
    candidates: tuple[Candidate, ...] = ()
    reason: Fit | None = None
    why: str | None = None
    until: int | None = None


class Titles:
    """Typed answers of the catalogue."""

    def __init__(self, client: Client, cache: Cache) -> None:
        self._client = client
        self._cache = cache

    @property
    def ready(self) -> bool:
        """Whether the owner gave a key; without one nothing is recognised and nothing is wrong."""
        return self._client.ready

    async def recognise(
        self, parsed: Parsed, work: Work, *, force: bool = False, followed: bool = False
    ) -> Recognition:
        """Find the work that a message means. Never raises for what the catalogue does.

        `force` asks anew instead of remembering; `followed` (a subscribed work) keeps its details in the cache.
        """
        wanted = asked(parsed, work)
        try:
            search = _Search(self._client, wanted, force=force, followed=followed)
            name = _name(parsed, work.kind, self._client.options.language)
            kept = None if force else await self._kept(name, wanted.kind)
            if kept is not None:
                answer = await search.kept(*kept)
                if answer is not None:
                    return answer
            number = work.tmdb or parsed.tmdb_id
            if number is not None:
                return await search.by_id(number, trusted=parsed.parser == "person")
            answer = await search.by_titles()
        except RemoteError as error:
            return Recognition(status=Status.ERROR, why=error.why.value, until=error.until)
        if answer.status is Status.FOUND and answer.work is not None and answer.work.tmdb and search.lasting:
            await self._keep(name, answer.work.kind, answer.work.tmdb, by="search")
        elif answer.status is Status.UNKNOWN:
            await self._keep(name, wanted.kind, 0, by="search")
        return answer

    async def remember(self, parsed: Parsed, work: Work) -> bool:
        """Keep a person's identification for messages that say the same; `parsed` is what was read before they spoke.

        Refused, with False, where there's no catalogue number, no title, or the message says the other kind.
        """
        if work.tmdb is None or not parsed.title or parsed.kind not in (None, work.kind):
            return False
        name = _name(parsed, work.kind, self._client.options.language)
        await self._keep(name, work.kind, work.tmdb, by="person")
        return True

    async def details(self, kind: Kind, number: int, *, followed: bool = False) -> Details | None:
        """A work by its number. Raises `RemoteError`."""
        return answers.details(await self._client.details(kind, number, followed=followed), kind)

    async def find(self, number: str) -> tuple[Row, ...]:
        """The works that a number of IMDb (`tt…`) or TVDB stands for. Raises `RemoteError`."""
        found = await self._client.find(number)
        films = answers.rows({"results": found.get("movie_results")}, Kind.FILM)
        return films + answers.rows({"results": found.get("tv_results")}, Kind.SERIES)

    async def groups(self, series: int, *, most: int = 4) -> tuple[Group, ...]:
        """The other orders of a series' episodes, those by seasons first. Raises `RemoteError`."""
        found = []
        for number in answers.group_ids(await self._client.episode_groups(series))[:most]:
            if (group := answers.group(await self._client.episode_group(number))) is not None:
                found.append(group)
        return tuple(found)

    async def _kept(self, name: str, kind: Kind) -> tuple[int, str] | None:
        """The remembered number, 0 for none, and who said so; one of the other kind is forgotten."""
        found = await self._cache.get(REGION, name)
        entry: Any = found[0] if found else None
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), int):
            return None
        if entry["id"] and entry.get("kind") != kind:
            await self._cache.drop(REGION, name)
            return None
        return entry["id"], str(entry.get("by"))

    async def _keep(self, name: str, kind: Kind, number: int, *, by: str) -> None:
        options = self._client.options
        ttl = (options.search_days if number else options.miss_days) * DAY
        entry = {"id": number, "kind": kind.value, "by": by}
        await self._cache.put(REGION, name, entry, ttl=ttl, limit=options.most)


class _Search:
    """One recognition on its way; `lasting`: what was found follows from what the cache's key holds."""

    def __init__(self, client: Client, wanted: Asked, *, force: bool, followed: bool) -> None:
        self._client = client
        self._wanted = wanted
        self._force = force
        self._followed = followed
        self._seen: dict[tuple[Kind, int], tuple[Candidate, Details | None]] = {}
        self.lasting = True

    async def kept(self, number: int, by: str) -> Recognition | None:
        """What was remembered, unless the message contradicts it; a person's word is only checked for its kind."""
        if number == 0:
            return Recognition(status=Status.UNKNOWN, by="cache")
        found = await self._details(self._wanted.kind, number)
        if found is None:
            return None
        candidate = score(self._wanted, found)
        if by == "person":
            return _found(found, candidate, self._wanted, "person")
        return None if candidate.contradicted else _found(found, candidate, self._wanted, "cache")

    async def by_id(self, number: int, *, trusted: bool) -> Recognition:
        """A number in the message, or a person's: it wins unless the rest of the message contradicts it."""
        found = await self._details(self._wanted.kind, number)
        if found is not None:
            candidate = score(self._wanted, found)
            if trusted or not _contradicts(self._wanted, found, candidate):
                return _found(found, candidate, self._wanted, "id")
            against: Candidate | None = candidate
            shown = [candidate.but(Fit.ID)]
        else:
            other = await self._details(_other(self._wanted.kind), number)
            against = score(self._wanted, other) if other is not None else None
            shown = [against] if against is not None and against.alike >= RELATED else []
        reason = next(
            (fit for fit in (*_WORST, Fit.ID) if against is not None and fit in against.fits), Fit.ID
        )
        await self.by_titles()
        return _ambiguous([*shown, *self._candidates()], reason)

    async def by_titles(self) -> Recognition:
        """Search by one title after another until one work can be taken."""
        reason: Fit | None = None
        for query in _queries(self._wanted.titles):
            rows, complete = await self._rows(query)
            complete = await self._look(rows) and complete
            first, reason = best(self._wanted, self._candidates(), complete=complete)
            if first is None and self._wanted.year is not None and not complete:
                await self._look(await self._rows_of_year(query, self._wanted.year))
                first, reason = best(self._wanted, self._candidates(), complete=complete)
            if first is not None:
                self.lasting = first.dated or not any(
                    each.exact and each.tmdb != first.tmdb for each in self._candidates()
                )
                found = self._seen[first.kind, first.tmdb][1]
                if found is not None:
                    return _found(found, first, self._wanted, "search", tuple(self._shown()))
        return await self._not_found(reason)

    async def _not_found(self, reason: Fit | None) -> Recognition:
        shown = self._shown()
        if not any(each.alike >= CLOSE for each in shown):
            other = await self._other_kind()
            if other:
                return _ambiguous([*other, *shown], Fit.KIND_DIFFERS)
        if not shown:
            return Recognition(status=Status.UNKNOWN, by="search")
        fits = shown[0].fits
        return _ambiguous(shown, reason or next((fit for fit in _WORST if fit in fits), None))

    async def _other_kind(self) -> list[Candidate]:
        """Works of the other kind with this very title and no other year: is a film posted as a series?"""
        query = next(iter(_queries(self._wanted.titles)), None)
        if query is None:
            return []
        kind = _other(self._wanted.kind)
        answer = await self._client.search(kind, query, fresh=self._force)
        found = [score(self._wanted, row) for row in answers.rows(answer, kind)]
        return [each for each in found if each.exact and Fit.YEAR_DIFFERS not in each.fits][:SHOWN]

    async def _rows(self, query: str) -> tuple[list[Row], bool]:
        """The hits, and whether these are all. Further pages matter only where no year tells works apart."""
        kind, last = self._wanted.kind, 1
        found: list[Row] = []
        for page in range(1, PAGES + 1):
            answer = await self._client.search(kind, query, page=page, fresh=self._force)
            found += answers.rows(answer, kind)
            last = answers.pages(answer)
            if page >= last or self._wanted.dated:
                break
        return found, last <= (1 if self._wanted.dated else PAGES)

    async def _rows_of_year(self, query: str, year: int) -> list[Row]:
        answer = await self._client.search(self._wanted.kind, query, year=year, fresh=self._force)
        return list(answers.rows(answer, self._wanted.kind))

    async def _look(self, rows: list[Row]) -> bool:
        """Look closely at what resembles; at other hits where that won't do or no year is stated.

        Their other titles may be the same: a search shows one title of a work, and finds it by all of them. Tells
        whether every hit that might matter was seen.
        """
        judged = [(score(self._wanted, row), row) for row in rows if (row.kind, row.tmdb) not in self._seen]
        close = [each for each in judged if each[0].alike >= CLOSE]
        close.sort(key=lambda each: -each[0].score)
        await self._closely([row for candidate, row in close if Fit.YEAR_DIFFERS not in candidate.fits])
        for candidate, row in close:
            self._seen.setdefault((row.kind, row.tmdb), (candidate, None))
        if self._wanted.dated and any(not each.contradicted for each in self._candidates()):
            return True
        rest = [(candidate, row) for candidate, row in judged if candidate.alike < CLOSE]
        most = CLOSELY if self._wanted.dated else 2 * CLOSELY
        await self._closely([row for candidate, row in rest if Fit.YEAR_DIFFERS not in candidate.fits], most)
        return max(len(close), len(rest)) <= most

    async def _closely(self, rows: list[Row], most: int = CLOSELY) -> None:
        for row in rows[:most]:
            found = await self._details(row.kind, row.tmdb)
            if found is not None:
                self._seen[row.kind, row.tmdb] = (score(self._wanted, found), found)

    async def _details(self, kind: Kind, number: int) -> Details | None:
        """A work; one whose kept seasons don't reach what the message offers is asked for anew, once a day at most."""
        answer = await self._client.details(kind, number, fresh=self._force, followed=self._followed)
        found = answers.details(answer, kind)
        if found is None or self._force or not _outgrown(self._wanted, found):
            return found
        try:
            answer = await self._client.details(kind, number, max_age=DAY, followed=self._followed)
        except RemoteError:
            return found
        return answers.details(answer, kind) or found

    def _candidates(self) -> list[Candidate]:
        return [candidate for candidate, _ in self._seen.values()]

    def _shown(self) -> list[Candidate]:
        """What is worth showing to a person, best first."""
        related = [each for each in self._candidates() if each.alike >= RELATED]
        return sorted(related, key=lambda each: -each.score)[:SHOWN]


_WORST = (Fit.KIND_DIFFERS, Fit.TITLE_DIFFERS, Fit.YEAR_DIFFERS, Fit.EPISODES_EXCEED, Fit.SEASON_MISSING)


def _contradicts(wanted: Asked, found: Details, candidate: Candidate) -> bool:
    """Whether a message contradicts the number it names; seasons may be counted in another way there."""
    if candidate.alike < RELATED and (comparable(wanted.titles, found.titles) or not candidate.dated):
        return True
    return Fit.YEAR_DIFFERS in candidate.fits or Fit.EPISODES_EXCEED in candidate.fits


def _outgrown(wanted: Asked, found: Details) -> bool:
    """Whether the message offers a season or an episode that isn't in the catalogue's answer."""
    if found.kind is not Kind.SERIES or wanted.kind is not Kind.SERIES:
        return False
    regular = {season.number: season.episodes for season in found.regular}
    if any(number not in regular for number in wanted.seasons):
        return True
    room = sum(regular.values())
    if len(wanted.seasons) == 1:
        room = regular[wanted.seasons[0]]
    return (wanted.last_episode or 0) > room


def _found(
    found: Details, candidate: Candidate, wanted: Asked, by: str, shown: tuple[Candidate, ...] = ()
) -> Recognition:
    names = _for_context(found, wanted)
    work = Work(kind=found.kind, title=found.title, titles=names, year=found.year, tmdb=found.tmdb)
    return Recognition(
        status=Status.FOUND,
        work=work,
        title=found.title,
        titles=found.titles,
        year=found.year,
        kind=found.kind,
        seasons=found.seasons,
        over=found.over,
        poster=found.poster,
        score=candidate.score,
        by=by,
        candidates=shown or (candidate,),
    )


def _for_context(found: Details, wanted: Asked) -> tuple[str, ...]:
    """The titles that go on: the main ones, those of the message, then the others while there's room."""
    kept: dict[str, str] = {words.key(found.title): found.title}
    room = KEPT_CHARACTERS
    for title in (*found.main, *wanted.titles, *found.titles):
        key = words.key(title)
        if key and key not in kept and len(title) <= room and len(kept) <= KEPT_TITLES:
            kept[key] = title
            room -= len(title)
    return tuple(kept.values())[1:]


def _ambiguous(candidates: list[Candidate], reason: Fit | None) -> Recognition:
    distinct = {(each.kind, each.tmdb): each for each in reversed(candidates)}
    shown = tuple(distinct.values())[::-1][:SHOWN]
    return Recognition(status=Status.AMBIGUOUS, candidates=shown, reason=reason)


def _queries(titles: tuple[str, ...]) -> tuple[str, ...]:
    """What to search for: each title as it stands and in simplified characters; the catalogue tells them apart."""
    found: dict[str, None] = {}
    for title in titles:
        written = " ".join(title.split())[:200]
        for query in (written, words.simplify(written)):
            found.setdefault(query)
    return tuple(found)[:QUERIES]


def _name(parsed: Parsed, kind: Kind, language: str) -> str:
    """The key of a recognition: everything the message says that tells works apart, in one order."""
    said = [parsed.title or "", parsed.original_title or "", *sorted(parsed.other_titles)]
    title = "|".join(dict.fromkeys(key for name in said if (key := words.key(name))))
    number = f"{parsed.tmdb_id}:" if parsed.tmdb_id else ""
    year = f"{'s' if parsed.year_of_season else ''}{parsed.year or ''}"
    seasons = ",".join(str(season) for season in parsed.seasons[:20])
    return f"[{kind.value}][{language}]{number}{title[:300]}-{year}-{seasons}"


def _other(kind: Kind) -> Kind:
    return Kind.SERIES if kind is Kind.FILM else Kind.FILM
