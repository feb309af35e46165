"""The one fetcher of pages behind links: hosts on a list only, public addresses only, small, short and quick.

A name is resolved here and the connection goes to that very address (its certificate is checked against the name), so
that a second answer of the name server can't lead anywhere else. Each redirect starts over at the first check.
"""

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpx

from ..model.message import Entity
from ..ports import Clock
from . import html
from .cache import Cache
from .errors import RemoteBusy, RemotePermanent, RemoteTransient, Why
from .limits import Limits

REGION = "page.detail"
TYPES = frozenset({"text/html", "application/xhtml+xml", "text/plain"})
#: Addresses tried where a name has several.
ADDRESSES = 3
#: Above that a page is taken apart off the event loop.
LARGE = 32_768
#: What proxies in tunnel mode (Clash, sing-box) answer for every name; behind TLS the certificate proves the host.
_FAKE = ipaddress.ip_network("198.18.0.0/15")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")

#: Addresses of a name at a port; raises OSError.
type Resolve = Callable[[str, int], Awaitable[list[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRules:
    """What may be fetched. `plain` (http) and `address` exist for tests; times in seconds."""

    hosts: frozenset[str] = frozenset({"telegra.ph", "graph.org", "te.legra.ph"})
    plain: bool = False
    ports: frozenset[int] = frozenset({443})
    size: int = 1_000_000
    seconds: float = 15.0
    redirects: int = 3
    days: float = 7.0
    limit: int = 5_000
    address: Callable[[str], bool] | None = None
    proxied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page read like a message: `links` are `text_url` entities over `text`."""

    url: str
    title: str
    text: str
    links: tuple[Entity, ...] = ()


class Pages:
    """Fetches and remembers pages."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        *,
        cache: Cache,
        limits: Limits,
        clock: Clock,
        rules: PageRules | None = None,
        resolve: Resolve | None = None,
    ) -> None:
        self._client = client
        self._cache = cache
        self._limits = limits
        self._clock = clock
        self._rules = rules or PageRules()
        self._resolve = resolve or _resolve

    def allowed(self, url: str) -> bool:
        """Whether a link leads to a host on the list; looks at the words only."""
        try:
            self._checked(url)
        except RemotePermanent:
            return False
        return True

    async def fetch(self, url: str, *, fresh: bool = False) -> Page:
        """The page behind a link. Raises `RemotePermanent`, `RemoteTransient` or `RemoteBusy`."""
        target = self._checked(url)

        async def load() -> dict[str, Any]:
            try:
                async with asyncio.timeout(self._rules.seconds):
                    return await self._load(target)
            except TimeoutError as error:
                raise RemoteTransient(Why.TIMEOUT) from error

        facts = await self._cache.cached(
            REGION,
            str(target.copy_with(fragment=None)),
            load,
            ttl=self._rules.days * 86_400,
            limit=self._rules.limit,
            fresh=fresh,
        )
        links = tuple(
            Entity(type="text_url", offset=at, length=size, url=to) for at, size, to in facts["links"]
        )
        return Page(url=facts["url"], title=facts["title"], text=facts["text"], links=links)

    def _checked(self, url: str) -> httpx.URL:
        """The address in its one form, if its host is on the list."""
        try:
            target = httpx.URL(url.strip())
            host, port = target.raw_host.decode("ascii").rstrip(".").lower(), target.port
        except (httpx.InvalidURL, ValueError, TypeError) as error:
            raise RemotePermanent(Why.HOST_NOT_ALLOWED) from error
        if target.scheme == "http" and not self._rules.plain:
            target = target.copy_with(scheme="https", port=None)
            port = None if port in (None, 80) else port
        scheme = "http" if self._rules.plain else "https"
        known = target.scheme == scheme and host in self._rules.hosts and not target.userinfo
        if not known or (port or 443) not in self._rules.ports:
            raise RemotePermanent(Why.HOST_NOT_ALLOWED)
        return target.copy_with(host=host, port=port)

    async def _load(self, target: httpx.URL) -> dict[str, Any]:
        for _ in range(self._rules.redirects + 1):
            answer = await self._ask(target)
            if not isinstance(answer, str):
                return answer
            try:
                target = self._checked(str(target.join(answer)))
            except httpx.InvalidURL as error:
                raise RemotePermanent(Why.HOST_NOT_ALLOWED) from error
        raise RemotePermanent(Why.TOO_MANY_REDIRECTS)

    async def _ask(self, target: httpx.URL) -> dict[str, Any] | str:
        key = f"site:{target.host}"
        grant = await self._limits.acquire(key, capacity=4, refill=1.0, wait=self._rules.seconds)
        if not grant.ok:
            raise RemoteBusy(Why.LIMITED, until=grant.until)
        addresses = await self._addresses(target)
        for last, address in ((address is addresses[-1], address) for address in addresses):
            try:
                return await self._get(target, address)
            except httpx.ConnectError, httpx.ConnectTimeout:
                if last:
                    raise RemoteTransient(Why.UNREACHABLE) from None
            except httpx.TimeoutException as error:
                raise RemoteTransient(Why.TIMEOUT) from error
            except httpx.HTTPError as error:
                raise RemoteTransient(Why.UNREACHABLE) from error
        raise RemoteTransient(Why.UNREACHABLE)

    async def _addresses(self, target: httpx.URL) -> list[str]:
        port = target.port or (80 if target.scheme == "http" else 443)
        try:
            found = await self._resolve(target.host, port)
        except OSError as error:
            raise RemoteTransient(Why.UNREACHABLE) from error
        if not found:
            raise RemoteTransient(Why.UNREACHABLE)
        if not all(map(self._may_connect, found)):
            raise RemotePermanent(Why.PRIVATE_ADDRESS)
        found = list(dict.fromkeys(found))
        return sorted(found, key=lambda address: ":" in address)[:ADDRESSES]

    def _may_connect(self, address: str) -> bool:
        if self._rules.address is not None:
            return self._rules.address(address)
        return is_public(address) or (not self._rules.plain and _is_fake(address))

    async def _get(self, target: httpx.URL, address: str) -> dict[str, Any] | str:
        # One connection for one request: a pooled one would be found by its address, whatever name it was opened for.
        headers = {
            "Host": target.netloc.decode("ascii"),
            "Accept-Encoding": "identity",
            "Connection": "close",
        }
        request = self._client.build_request(
            "GET",
            target.copy_with(host=address, fragment=None),
            headers=headers,
            timeout=self._rules.seconds,
            extensions={"sni_hostname": target.host},
        )
        request.headers.pop("Cookie", None)
        response = await self._client.send(request, stream=True, follow_redirects=False, auth=None)
        try:
            self._check_peer(response)
            if response.is_redirect:
                return response.headers["location"]
            body, kind, charset = await self._body(response)
        finally:
            await response.aclose()
        return await _taken_apart(body, kind, charset, str(target))

    def _check_peer(self, response: httpx.Response) -> None:
        """The connection must have reached a public address; through the owner's own proxy that isn't ours to say."""
        stream = response.extensions.get("network_stream")
        peer = stream.get_extra_info("server_addr") if stream is not None else None
        if peer and not self._rules.proxied and not self._may_connect(str(peer[0])):
            raise RemotePermanent(Why.PRIVATE_ADDRESS)

    async def _body(self, response: httpx.Response) -> tuple[bytes, str, str]:
        status, headers = response.status_code, response.headers
        if status == 429:
            until = self._clock.now() + retry_after(headers.get("retry-after"), 60) * 1000
            raise RemoteBusy(Why.LIMITED, status=status, until=until)
        if status in (404, 410):
            raise RemotePermanent(Why.NOT_FOUND, status=status)
        if status != 200:
            raise (RemoteTransient if status >= 500 else RemotePermanent)(Why.REFUSED, status=status)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in TYPES or headers.get("content-encoding", "identity").lower() != "identity":
            raise RemotePermanent(Why.WRONG_TYPE)
        length = headers.get("content-length")
        if _digits(length) and int(length) > self._rules.size:
            raise RemotePermanent(Why.TOO_LARGE)
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > self._rules.size:
                raise RemotePermanent(Why.TOO_LARGE)
        return bytes(body), kind, response.charset_encoding or "utf-8"


def retry_after(value: str | None, default: int) -> int:
    """The seconds of a Retry-After header; a date counts as not given."""
    return int(value or 0) if _digits(value) else default


def is_public(address: str) -> bool:
    """Whether an address belongs to the public internet, also where it carries another one inside."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1]
        if found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return found.is_global and not found.is_multicast


def _is_fake(address: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(address) in _FAKE
    return False


def _digits(value: str | None) -> bool:
    return value is not None and value.isascii() and value.isdigit() and len(value) < 12


async def _resolve(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, proto=6)
    return [str(each[4][0]) for each in found]


async def _taken_apart(body: bytes, kind: str, charset: str, url: str) -> dict[str, Any]:
    def take() -> dict[str, Any]:
        try:
            text = body.decode(charset, "replace")
        except LookupError:
            text = body.decode("utf-8", "replace")
        if kind == "text/plain":
            return {"url": url, "title": "", "text": text[: html.MOST_TEXT], "links": []}
        title, words, links = html.read(text, url)
        spans = [[link.offset, link.length, link.url] for link in links]
        return {"url": url, "title": title, "text": words, "links": spans}

    return await asyncio.to_thread(take) if len(body) > LARGE else take()
