"""TMDB's interface, version 3: one place that knows its paths, keys, errors and how long its answers may be kept.

The key never reaches a log: it isn't part of any name in the cache or of an error, and httpx, which logs each
address at INFO, is made to leave it out.
"""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, override

import httpx

from ..model.offer import Kind
from ..ports import Clock, Credentials, Health
from ..remote.cache import Cache
from ..remote.errors import RemoteBusy, RemoteError, RemotePermanent, RemoteTransient, Why
from ..remote.limits import Limits

_LOGGER = logging.getLogger(__name__)

HOST = "https://api.themoviedb.org"
#: Its other name, reachable where name servers lie about the first one.
OTHER_HOST = "https://api.tmdb.org"
CREDENTIAL = "tmdb"
COMPONENT = "catalogue"
SITE = "site:tmdb"
REGION = "tmdb.request"
DAY = 86_400.0
LARGEST = 8_000_000
#: Requests for one answer, and the pauses between them where the server failed (s).
TRIES, PAUSE = 3, 0.7
#: Without Retry-After a 429 means this long (s).
LIMITED = 10

_APPENDED = "alternative_titles,translations,external_ids"
_PATHS = {Kind.FILM: "movie", Kind.SERIES: "tv"}
_KEY = re.compile(r"((?:api_key|session_id|access_token)=)[^&\s\"']+")
#: What a health state calls bad; all else is a passing trouble or this request's own.
_BAD = {Why.BAD_KEY, Why.UNREACHABLE, Why.TIMEOUT, Why.SERVER_ERROR, Why.BROKEN_ANSWER}


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogOptions:
    """What the owner can set. `most` entries are kept per region: a message costs about four.

    `rate` requests a second and bursts of `burst` stay far below what TMDB tolerates (about 40 a second).
    """

    host: str = HOST
    language: str = "zh-CN"
    search_days: float = 7
    detail_days: float = 30
    miss_days: float = 1
    most: int = 2_000
    rate: float = 20
    burst: float = 20
    wait: float = 15
    timeout: float = 15


class Client:
    """Answers of TMDB as they come, JSON objects, through cache and rate limit.

    Raises `RemoteTransient`, `RemotePermanent` or `RemoteBusy`. Options are read with each call.
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        *,
        cache: Cache,
        limits: Limits,
        clock: Clock,
        credentials: Credentials,
        options: Callable[[], CatalogOptions] = CatalogOptions,
        health: Health | None = None,
    ) -> None:
        self._http = http
        self._cache = cache
        self._limits = limits
        self._clock = clock
        self._credentials = credentials
        self._options = options
        self._health = health
        _silence()

    @property
    def options(self) -> CatalogOptions:
        """What the owner has set at this moment."""
        return self._options()

    @property
    def ready(self) -> bool:
        """Whether there is a key to ask with."""
        return bool((self._credentials.get(CREDENTIAL) or "").strip())

    async def search(
        self, kind: Kind, words: str, *, year: int | None = None, page: int = 1, fresh: bool = False
    ) -> dict[str, Any]:
        """Works whose titles resemble `words`, with `results` and `total_pages`; `year` is the first release."""
        params = {
            "query": words,
            "language": self.options.language,
            "include_adult": "false",
            "page": str(page),
        }
        if year is not None:
            params["primary_release_year" if kind is Kind.FILM else "first_air_date_year"] = str(year)
        days = self.options.search_days
        return await self._kept(f"/search/{_PATHS[kind]}", params, days=days, fresh=fresh) or {}

    async def details(
        self,
        kind: Kind,
        number: int,
        *,
        fresh: bool = False,
        max_age: float | None = None,
        followed: bool = False,
    ) -> dict[str, Any] | None:
        """One work with alternative titles, translations and other ids; None where there is none of that number.

        `followed` works stay in the cache while they are asked for.
        """
        params = {"language": self.options.language, "append_to_response": _APPENDED}
        path = f"/{_PATHS[kind]}/{number}"
        return await self._detail(path, params, fresh=fresh, max_age=max_age, renew=followed)

    async def season(
        self, series: int, number: int, *, fresh: bool = False, followed: bool = False
    ) -> dict[str, Any] | None:
        """One season with its episodes."""
        params = {"language": self.options.language}
        return await self._detail(f"/tv/{series}/season/{number}", params, fresh=fresh, renew=followed)

    async def alternative_titles(self, kind: Kind, number: int) -> dict[str, Any] | None:
        """Titles by country; under `titles` for a film, under `results` for a series."""
        return await self._detail(f"/{_PATHS[kind]}/{number}/alternative_titles", {})

    async def translations(self, kind: Kind, number: int) -> dict[str, Any] | None:
        """Titles and texts by language."""
        return await self._detail(f"/{_PATHS[kind]}/{number}/translations", {})

    async def episode_groups(self, series: int) -> dict[str, Any] | None:
        """The other orders of a series' episodes, without the episodes."""
        return await self._detail(f"/tv/{series}/episode_groups", {})

    async def episode_group(self, group: str) -> dict[str, Any] | None:
        """One other order with its episodes."""
        if not re.fullmatch(r"[0-9A-Za-z]{8,40}", group):
            raise RemotePermanent(Why.NOT_FOUND)
        return await self._detail(f"/tv/episode_group/{group}", {"language": self.options.language})

    async def find(self, number: str) -> dict[str, Any]:
        """What another catalogue's number stands for: `tt…` of IMDb, digits of TVDB."""
        if not re.fullmatch(r"(?:tt)?\d{1,12}", number):
            raise RemotePermanent(Why.NOT_FOUND)
        source = "imdb_id" if number.startswith("tt") else "tvdb_id"
        params = {"external_source": source, "language": self.options.language}
        return await self._kept(f"/find/{number}", params, days=self.options.search_days) or {}

    async def check(self) -> None:
        """Ask something that costs little and is never kept, to see whether host and key are good."""
        await self._answer("/configuration", {})

    async def _detail(
        self,
        path: str,
        params: Mapping[str, str],
        *,
        fresh: bool = False,
        max_age: float | None = None,
        renew: bool = False,
    ) -> dict[str, Any] | None:
        days = self.options.detail_days
        return await self._kept(path, params, days=days, fresh=fresh, max_age=max_age, renew=renew)

    async def _kept(
        self, path: str, params: Mapping[str, str], *, days: float, **how: Any
    ) -> dict[str, Any] | None:
        """An answer from the cache or the host; that something doesn't exist is kept as a miss."""
        options = self.options

        async def ask() -> dict[str, Any] | None:
            try:
                answer = await self._answer(path, params)
            except RemotePermanent as error:
                if error.why is Why.NOT_FOUND:
                    return None
                raise
            if _is_empty(answer):
                await self._cache.put(REGION, name, answer, ttl=options.miss_days * DAY, limit=options.most)
            return answer

        name = f"{path}?{httpx.QueryParams(sorted(params.items()))}"
        found: dict[str, Any] | None = await self._cache.cached(
            REGION,
            name,
            ask,
            ttl=days * DAY,
            limit=options.most,
            empty_ttl=options.miss_days * DAY,
            skip_if=_is_empty,
            **how,
        )
        return found

    async def _answer(self, path: str, params: Mapping[str, str]) -> dict[str, Any]:
        """Ask, again where that may help, and tell the health how it went."""
        tried = 0
        while True:
            tried += 1
            try:
                answer = await self._once(path, params)
            except RemoteError as error:
                again = isinstance(error, RemoteTransient) and tried < TRIES
                # `acquire` waits for a refusal to end, or says that it won't.
                again = again or (isinstance(error, RemoteBusy) and error.status == 429 and tried < TRIES)
                if isinstance(error, RemoteTransient) and self._limits.failed(SITE):
                    again = False
                if not again:
                    self._report(error)
                    raise
                if isinstance(error, RemoteTransient):
                    await self._clock.sleep(PAUSE * tried * (1 + self._clock.random()))
            else:
                self._limits.worked(SITE)
                self._report(None)
                return answer

    async def _once(self, path: str, params: Mapping[str, str]) -> dict[str, Any]:
        options = self.options
        params, headers = self._keyed(params)
        grant = await self._limits.acquire(
            SITE, capacity=options.burst, refill=options.rate, wait=options.wait
        )
        if not grant.ok:
            raise RemoteBusy(Why.LIMITED, until=grant.until)
        url = f"{options.host.rstrip('/').removesuffix('/3')}/3{path}"
        try:
            async with asyncio.timeout(options.timeout):
                request = self._http.build_request("GET", url, params=params, headers=headers)
                # Not to be followed: a redirect would carry the key to wherever it leads.
                response = await self._http.send(request, stream=True, follow_redirects=False, auth=None)
                try:
                    body = await _body(response)
                finally:
                    await response.aclose()
        except TimeoutError, httpx.TimeoutException:
            raise RemoteTransient(Why.TIMEOUT) from None
        except httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError:
            raise RemotePermanent(Why.UNREACHABLE) from None
        except httpx.HTTPError as error:
            # Its words may hold the address.
            _LOGGER.debug("The catalogue can't be reached: %s", type(error).__name__)
            raise RemoteTransient(Why.UNREACHABLE) from None
        if response.status_code != 200:
            raise await self._refusal(response)
        try:
            answer = json.loads(body)
        except ValueError:
            raise RemoteTransient(Why.BROKEN_ANSWER) from None
        if not isinstance(answer, dict):
            raise RemoteTransient(Why.BROKEN_ANSWER)
        return answer

    def _keyed(self, params: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
        """A v3 key goes into the address, a v4 token into a header."""
        secret = (self._credentials.get(CREDENTIAL) or "").strip().removeprefix("Bearer ").strip()
        if not secret:
            raise RemotePermanent(Why.NO_KEY)
        if not secret.isascii() or not secret.isprintable():
            raise RemotePermanent(Why.BAD_KEY)
        headers = {"Accept": "application/json"}
        if "." in secret or len(secret) > 64:
            return dict(params), headers | {"Authorization": f"Bearer {secret}"}
        return {**params, "api_key": secret}, headers

    async def _refusal(self, response: httpx.Response) -> RemoteError:
        status = response.status_code
        if status == 429:
            text = response.headers.get("retry-after", "")
            seconds = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else LIMITED
            until = self._clock.now() + max(seconds, 1) * 1000
            await self._limits.block(SITE, until)
            return RemoteBusy(Why.LIMITED, status=status, until=until)
        if status in (401, 403):
            return RemotePermanent(Why.BAD_KEY, status=status)
        if status == 404:
            return RemotePermanent(Why.NOT_FOUND, status=status)
        if status >= 500:
            return RemoteTransient(Why.SERVER_ERROR, status=status)
        return RemotePermanent(Why.REFUSED, status=status)

    def _report(self, error: RemoteError | None) -> None:
        if self._health is None:
            return
        if error is None or error.why is Why.NOT_FOUND:
            self._health.report(COMPONENT, "ok")
        elif error.why is Why.LIMITED:
            self._health.report(COMPONENT, "waiting", until=error.until, reason=error.why.value)
        elif error.why in _BAD:
            self._health.report(COMPONENT, "bad", reason=error.why.value)


def _is_empty(answer: Any) -> bool:
    """Found nothing: kept for a shorter time."""
    if not isinstance(answer, dict):
        return False
    lists = [value for name, value in answer.items() if name == "results" or name.endswith("_results")]
    return bool(lists) and not any(lists)


async def _body(response: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > LARGEST:
            raise RemoteTransient(Why.TOO_LARGE)
    return bytes(body)


class _Silencer(logging.Filter):
    """Takes keys out of the addresses that httpx logs."""

    @override
    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                _KEY.sub(r"\1…", text) if "api_key=" in (text := str(value)) else value
                for value in record.args
            )
        return True


_SILENCER = _Silencer()


def _silence() -> None:
    # One of the two is in use; adding the same filter again changes nothing.
    for name in ("httpx", "httpx2"):
        logging.getLogger(name).addFilter(_SILENCER)
