"""A server on loopback that answers like TMDB v3, with works to be confused and faults to be met.

Works are made by `film` and `series`; searching finds a work by any of its titles, as TMDB does, and shows the title of
the language asked for. Each request is kept in `asked` (path and query without the key).
"""

import asyncio
import json
import unicodedata
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

KEY = "0123456789abcdef0123456789abcdef"
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJhdWQiOiJ0ZXN0In0.c2lnbmF0dXJl"

type Answer = tuple[int, Any, dict[str, str]]


@dataclass
class Entry:
    """A work; `names` are translations by `language-COUNTRY`, `other` alternative titles by country."""

    kind: str
    id: int
    original: str
    date: str
    names: dict[str, str] = field(default_factory=dict)
    other: list[tuple[str, str]] = field(default_factory=list)
    seasons: list[tuple[int, int, str]] = field(default_factory=list)
    status: str = "Ended"
    imdb: str | None = None
    tvdb: int | None = None
    popularity: float = 10.0

    def title(self, language: str) -> str:
        """The title in a language; a missing translation gives the original."""
        return self.names.get(language) or self.original

    def all(self) -> list[str]:
        """Every title."""
        return [self.original, *self.names.values(), *(name for _, name in self.other)]


def film(
    number: int, original: str, date: str, *, zh: str | None = None, en: str | None = None, **more: Any
) -> Entry:
    return Entry("movie", number, original, date, _names(zh, en), **more)


def series(
    number: int,
    original: str,
    *seasons: tuple[int, str],
    zh: str | None = None,
    en: str | None = None,
    specials: int = 0,
    **more: Any,
) -> Entry:
    """`seasons` are (episodes, first day), from season 1 on."""
    numbered = [(at, count, date) for at, (count, date) in enumerate(seasons, 1)]
    if specials:
        numbered.insert(0, (0, specials, "2000-01-01"))
    date = seasons[0][1] if seasons else ""
    return Entry("tv", number, original, date, _names(zh, en), seasons=numbered, **more)


def _names(zh: str | None, en: str | None) -> dict[str, str]:
    return {language: name for language, name in (("zh-CN", zh), ("en-US", en)) if name}


@dataclass
class Fault:
    """What happens to a request instead: a status, a body cut or malformed, or a delay before the real answer."""

    status: int | None = None
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    raw: bytes | None = None
    cut: bool = False


class FakeTmdb:
    """`faults` are used up one per request, `always` is met by each."""

    def __init__(self, *entries: Entry) -> None:
        self.entries = list(entries)
        self.groups: dict[int, list[dict[str, Any]]] = {}
        self.faults: deque[Fault] = deque()
        self.always: Fault | None = None
        self.asked: list[str] = []
        self.keys: list[str] = []
        self.url = ""
        self.page_size = 20

    @property
    def counts(self) -> Counter[str]:
        """Requests by the first parts of their paths: `search/tv`, `movie`, `tv`."""
        paths = [each.partition("?")[0].strip("/").split("/") for each in self.asked]
        return Counter("/".join(path[:2]) if path[0] == "search" else path[0] for path in paths)

    def forget(self) -> None:
        """Count from here on."""
        self.asked.clear()

    @asynccontextmanager
    async def run(self) -> AsyncIterator[FakeTmdb]:
        """Serve on a free port."""
        app = web.Application()
        app.router.add_get("/3/{path:.*}", self._serve)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        query = {name: value for name, value in request.query.items() if name != "api_key"}
        path = "/" + request.match_info["path"]
        self.asked.append(f"{path}?{'&'.join(f'{name}={value}' for name, value in sorted(query.items()))}")
        fault = self.faults.popleft() if self.faults else self.always
        if fault is not None:
            if fault.delay:
                await asyncio.sleep(fault.delay)
            if fault.status is not None or fault.raw is not None:
                return await _faulty(request, fault)
        if (refused := self._unauthorized(request)) is not None:
            status, body, headers = refused
        else:
            status, body, headers = self._answer(path, query)
        if fault is not None and fault.cut:
            text = json.dumps(body).encode()
            return await _faulty(request, Fault(raw=text[: len(text) // 2], cut=True))
        return web.json_response(body, status=status, headers=headers)

    def _unauthorized(self, request: web.Request) -> Answer | None:
        given = request.query.get("api_key") or request.headers.get("Authorization", "").removeprefix(
            "Bearer "
        )
        self.keys.append(given)
        by_header = "Authorization" in request.headers
        if given == (TOKEN if by_header else KEY):
            return None
        return 401, _error(7, "Invalid API key: You must be granted a valid key."), {}

    def _answer(self, path: str, query: dict[str, str]) -> Answer:
        match path.strip("/").split("/"):
            case ["configuration"]:
                return 200, {"images": {"secure_base_url": "https://image.tmdb.org/t/p/"}}, {}
            case ["search", kind] if kind in ("movie", "tv"):
                return self._search(kind, query)
            case ["find", number]:
                return 200, self._find(number, query), {}
            case ["tv", "episode_group", group]:
                return self._group(group)
            case ["tv", number, "season", season]:
                return self._season(int(number), int(season))
            case ["tv", number, "episode_groups"]:
                found = [
                    {"id": each["id"], "name": each["name"], "type": each["type"], "group_count": 1}
                    for each in self.groups.get(int(number), [])
                ]
                return 200, {"results": found, "id": int(number)}, {}
            case [kind, number, part] if kind in ("movie", "tv") and part in (
                "alternative_titles",
                "translations",
            ):
                entry = self._entry(kind, int(number))
                return (200, _part(entry, part) | {"id": entry.id}, {}) if entry else _MISSING
            case [kind, number] if kind in ("movie", "tv") and number.isdigit():
                entry = self._entry(kind, int(number))
                return (200, _details(entry, query), {}) if entry else _MISSING
        return _MISSING

    def _search(self, kind: str, query: dict[str, str]) -> Answer:
        words = query.get("query", "").strip()
        if not words:
            return 422, {"errors": ["query must be provided"]}, {}
        page = int(query.get("page", "1"))
        if not 1 <= page <= 500:
            return 400, _error(22, "Invalid page: Pages start at 1 and max at 500."), {}
        year = query.get("primary_release_year") or query.get("first_air_date_year")
        language = query.get("language", "en-US")
        hits = [
            each
            for each in self.entries
            if each.kind == kind and (not year or each.date.startswith(year)) and _hit(words, each)
        ]
        hits.sort(key=lambda each: -each.popularity)
        shown = hits[(page - 1) * self.page_size : page * self.page_size]
        pages = max(1, -(-len(hits) // self.page_size))
        results = [_row(each, language) for each in shown]
        return 200, {"page": page, "results": results, "total_pages": pages, "total_results": len(hits)}, {}

    def _find(self, number: str, query: dict[str, str]) -> dict[str, Any]:
        by = "imdb" if query.get("external_source") == "imdb_id" else "tvdb"
        found = [each for each in self.entries if str(getattr(each, by)) == number]
        return {
            f"{kind}_results": [_row(each, query["language"]) for each in found if each.kind == kind]
            for kind in ("movie", "tv")
        } | {"person_results": [], "tv_episode_results": [], "tv_season_results": []}

    def _season(self, number: int, season: int) -> Answer:
        entry = self._entry("tv", number)
        for at, count, date in entry.seasons if entry else ():
            if at == season:
                episodes = [{"episode_number": each, "season_number": at} for each in range(1, count + 1)]
                return 200, {"season_number": at, "air_date": date, "episodes": episodes}, {}
        return _MISSING

    def _group(self, group: str) -> Answer:
        for groups in self.groups.values():
            for each in groups:
                if each["id"] == group:
                    return 200, each, {}
        return _MISSING

    def _entry(self, kind: str, number: int) -> Entry | None:
        return next((each for each in self.entries if (each.kind, each.id) == (kind, number)), None)


def _details(entry: Entry, query: dict[str, str]) -> dict[str, Any]:
    answer = _row(entry, query.get("language", "en-US"))
    appended = query.get("append_to_response", "").split(",")
    for part in ("alternative_titles", "translations"):
        if part in appended:
            answer[part] = _part(entry, part)
    if "external_ids" in appended:
        answer["external_ids"] = {"imdb_id": entry.imdb, "tvdb_id": entry.tvdb}
    answer["status"] = entry.status
    if entry.kind == "tv":
        answer["seasons"] = [
            {"season_number": at, "episode_count": count, "air_date": date or None, "name": f"第 {at} 季"}
            for at, count, date in entry.seasons
        ]
        answer["number_of_seasons"] = sum(at > 0 for at, _, _ in entry.seasons)
    return answer


def _part(entry: Entry, part: str) -> dict[str, Any]:
    if part == "alternative_titles":
        titles = [{"iso_3166_1": country, "title": name, "type": ""} for country, name in entry.other]
        return {"titles" if entry.kind == "movie" else "results": titles}
    field = "title" if entry.kind == "movie" else "name"
    return {
        "translations": [
            {"iso_639_1": language[:2], "iso_3166_1": language[3:], "data": {field: name}}
            for language, name in entry.names.items()
        ]
    }


def _row(entry: Entry, language: str) -> dict[str, Any]:
    movie = entry.kind == "movie"
    return {
        "adult": False,
        "id": entry.id,
        "popularity": entry.popularity,
        "poster_path": f"/fixture_{entry.id}.jpg",
        "title" if movie else "name": entry.title(language),
        "original_title" if movie else "original_name": entry.original,
        "release_date" if movie else "first_air_date": entry.date,
    }


def _hit(words: str, entry: Entry) -> bool:
    """Every word in one title; as TMDB, blind to width and case, not to script."""
    wanted = _plain(words).split()
    return any(all(word in _plain(title) for word in wanted) for title in entry.all())


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char if char.isalnum() else " " for char in folded)


def _error(code: int, message: str) -> dict[str, Any]:
    return {"success": False, "status_code": code, "status_message": message}


_MISSING: Answer = (404, _error(34, "The resource you requested could not be found."), {})


async def _faulty(request: web.Request, fault: Fault) -> web.StreamResponse:
    if fault.raw is None:
        return web.json_response(
            fault.body or _error(11, "fault"), status=fault.status or 500, headers=fault.headers
        )
    response = web.StreamResponse(status=fault.status or 200, headers={"Content-Type": "application/json"})
    if fault.cut:
        response.content_length = len(fault.raw) * 2
    await response.prepare(request)
    await response.write(fault.raw)
    if fault.cut and request.transport is not None:
        request.transport.close()
    return response
