"""Pages behind links: only those of known hosts, only from public addresses, small and quick."""

import asyncio
import datetime as dt
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from custom_components.reelay.core.remote import html
from custom_components.reelay.core.remote.cache import Cache
from custom_components.reelay.core.remote.errors import (
    RemoteBusy,
    RemoteError,
    RemotePermanent,
    RemoteTransient,
    Why,
)
from custom_components.reelay.core.remote.limits import Limits
from custom_components.reelay.core.remote.pages import PageRules, Pages, is_public
from custom_components.reelay.core.store.database import Database
from tests.core.catalog.desk import QuickClock
from tests.fakes.clock import FakeClock

ARTICLE = """<!DOCTYPE html><html><head><title>沙丘 – Telegraph</title><style>a{}</style>
<script>x="<a href=/no>"</script></head><body><article><h1>🎬 沙丘 (2021)</h1><p>大小：20G<br>提取码：<b>ab12</b></p>
<p><a href="https://115cdn.com/s/swabc123def?password=ab12&amp;x=1#">查看 链接</a> 和
<a href="/next-page">下一页</a><a href="javascript:alert(1)">no</a><a href="https://a.example/"><img src=x></a>
</article></body></html>"""

type Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Web:
    """A server on loopback that many names lead to."""

    def __init__(self) -> None:
        self.hosts: list[str] = []
        self.requests: list[web.Request] = []
        self.answer: Handler = _article
        self.port = 0
        self.addresses: dict[str, list[str]] = {}

    async def resolve(self, host: str, port: int) -> list[str]:
        self.hosts.append(host)
        found = self.addresses.get(host, ["127.0.0.1"])
        if not found:
            raise OSError("no such name")
        return found

    @asynccontextmanager
    async def run(self, tls: ssl.SSLContext | None = None) -> AsyncIterator[Web]:
        async def serve(request: web.Request) -> web.StreamResponse:
            self.requests.append(request)
            return await self.answer(request)

        app = web.Application()
        app.router.add_get("/{path:.*}", serve)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
        self.port = runner.addresses[0][1]
        try:
            yield self
        finally:
            await runner.cleanup()


async def _article(request: web.Request) -> web.StreamResponse:
    return web.Response(text=ARTICLE, content_type="text/html")


@pytest.fixture
async def site() -> AsyncIterator[Web]:
    async with Web().run() as server:
        yield server


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False, cookies={"session": "secret"}) as made:
        yield made


@pytest.fixture
def make(site: Web, db: Database, clock: FakeClock, client: httpx.AsyncClient) -> Callable[..., Pages]:
    def made(**rules: Any) -> Pages:
        usual: dict[str, Any] = {
            "hosts": frozenset({"telegra.ph", "graph.org"}),
            "plain": True,
            "ports": frozenset({site.port}),
            "address": lambda address: address == "127.0.0.1",
            "seconds": 2,
        }
        return Pages(
            client,
            cache=Cache(db.cache, clock),
            limits=Limits(None, QuickClock()),
            clock=clock,
            rules=PageRules(**(usual | rules)),
            resolve=site.resolve,
        )

    return made


def url(site: Web, path: str = "/a-10-01", host: str = "telegra.ph") -> str:
    return f"http://{host}:{site.port}{path}"


async def failure(pages: Pages, target: str) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await pages.fetch(target)
    return caught.value


async def test_a_page_reads_like_a_message(site: Web, make: Callable[..., Pages]) -> None:
    page = await make().fetch(url(site))
    assert (page.title, page.url) == ("沙丘 – Telegraph", url(site))
    assert page.text == "🎬 沙丘 (2021)\n大小：20G\n提取码：ab12\n查看 链接 和 下一页no🔗 \n"
    units = page.text.encode("utf-16-le")
    spans = [
        (units[each.offset * 2 : (each.offset + each.length) * 2].decode("utf-16-le"), each.url)
        for each in page.links
    ]
    assert spans == [
        ("查看 链接", "https://115cdn.com/s/swabc123def?password=ab12&x=1#"),
        ("下一页", url(site, "/next-page")),
        ("🔗", "https://a.example/"),
    ]
    request = site.requests[0]
    assert request.headers["Host"] == f"telegra.ph:{site.port}"
    assert "Cookie" not in request.headers


async def test_a_page_is_kept_for_a_week_and_read_anew_when_wanted(
    site: Web, make: Callable[..., Pages], clock: FakeClock
) -> None:
    pages = make()
    first = await pages.fetch(url(site))
    assert await pages.fetch(url(site, "/a-10-01#top")) == first
    assert len(site.requests) == 1
    await pages.fetch(url(site), fresh=True)
    clock.jump(7 * 86_400)
    await pages.fetch(url(site))
    assert len(site.requests) == 3


@pytest.mark.parametrize(
    "target",
    [
        "https://telegra.ph.evil.example/a",
        "https://evil.example/telegra.ph",
        "https://telegra.ph@evil.example/a",
        "https://user:pass@telegra.ph/a",
        "https://telegra.ph:8443/a",
        "https://127.0.0.1/a",
        "https://tеlegra.ph/a",
        "ftp://telegra.ph/a",
        "file:///etc/passwd",
        "telegra.ph/a",
        "https://",
        "https://[::1]/",
        "https://telegra.ph\x00.evil/",
        "",
    ],
)
async def test_only_hosts_on_the_list_are_asked(
    site: Web, db: Database, clock: FakeClock, client: httpx.AsyncClient, target: str
) -> None:
    pages = Pages(
        client, cache=Cache(db.cache, clock), limits=Limits(None, clock), clock=clock, resolve=site.resolve
    )
    assert not pages.allowed(target)
    assert (await failure(pages, target)).why is Why.HOST_NOT_ALLOWED
    assert not site.hosts


@pytest.mark.parametrize(
    "good",
    ["https://telegra.ph/a", "http://TELEGRA.PH/a", "https://telegra.ph.:443/a", "http://telegra.ph:80/"],
)
def test_ways_to_write_a_host_on_the_list(good: str, make: Callable[..., Pages]) -> None:
    assert make(plain=False, ports=frozenset({443})).allowed(good)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
        *(
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1%eth0",
            "fd00::1",
            "ff02::1",
            "::ffff:192.168.1.1",
        ),
        *("64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "not an address", "192.0.2.1"),
    ],
)
async def test_addresses_that_are_nobodys_business(
    site: Web, make: Callable[..., Pages], address: str
) -> None:
    assert not is_public(address)
    site.addresses["telegra.ph"] = ["149.154.164.13", address]
    failed = await failure(make(address=None), url(site))
    assert (type(failed), failed.why) == (RemotePermanent, Why.PRIVATE_ADDRESS)
    assert not site.requests


def test_addresses_of_the_internet() -> None:
    for address in ("149.154.164.13", "2001:67c:4e8:f004::9", "64:ff9b::9595:a40d", "::ffff:8.8.8.8"):
        assert is_public(address)


async def test_the_answer_of_a_tunnel_is_trusted_behind_tls_only(
    site: Web, make: Callable[..., Pages]
) -> None:
    site.addresses["telegra.ph"] = ["198.18.0.7"]
    assert (await failure(make(address=None), url(site))).why is Why.PRIVATE_ADDRESS
    pages = make(address=None, plain=False, ports=frozenset({443}), seconds=0.2)
    assert (await failure(pages, "https://telegra.ph/a")).why is not Why.PRIVATE_ADDRESS


async def test_a_redirect_is_followed_to_hosts_on_the_list_only(
    site: Web, make: Callable[..., Pages]
) -> None:
    goals = {
        "/ok": "/a-10-01",
        "/other": url(site, "/a-10-01", "graph.org"),
        "/away": "http://evil.example/",
        "/inside": f"http://127.0.0.1:{site.port}/a-10-01",
        "/scheme": "file:///etc/passwd",
        "/round": "/round",
        "/bad": "http://[",
    }

    async def answer(request: web.Request) -> web.StreamResponse:
        goal = goals.get(request.path)
        return web.Response(status=302, headers={"Location": goal}) if goal else await _article(request)

    site.answer = answer
    pages = make()
    assert (await pages.fetch(url(site, "/ok"))).url == url(site)
    assert (await pages.fetch(url(site, "/other"))).url == url(site, "/a-10-01", "graph.org")
    for path in ("/away", "/inside", "/scheme", "/bad"):
        assert (await failure(pages, url(site, path))).why is Why.HOST_NOT_ALLOWED, path
    site.requests.clear()
    assert (await failure(pages, url(site, "/round"))).why is Why.TOO_MANY_REDIRECTS
    assert len(site.requests) == 4


async def test_a_name_that_changes_its_mind_is_not_asked_twice(site: Web, make: Callable[..., Pages]) -> None:
    pages = make()
    await pages.fetch(url(site))
    assert site.hosts == ["telegra.ph"], "the connection goes to the address that was checked"


async def test_the_connection_itself_is_checked(site: Web, make: Callable[..., Pages]) -> None:
    answers = iter([True, False])
    assert (await failure(make(address=lambda _: next(answers)), url(site))).why is Why.PRIVATE_ADDRESS


@pytest.mark.parametrize(
    ("status", "kind", "why"),
    [
        (404, RemotePermanent, Why.NOT_FOUND),
        (403, RemotePermanent, Why.REFUSED),
        (500, RemoteTransient, Why.REFUSED),
        (429, RemoteBusy, Why.LIMITED),
    ],
)
async def test_refusals_have_their_class_and_are_not_kept(
    site: Web, make: Callable[..., Pages], status: int, kind: type[RemoteError], why: Why
) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, headers={"Retry-After": "9"})

    site.answer = answer
    pages = make()
    failed = await failure(pages, url(site))
    assert (type(failed), failed.why) == (kind, why)
    site.answer = _article
    assert await pages.fetch(url(site))


async def test_size_type_and_time_have_limits(site: Web, make: Callable[..., Pages]) -> None:
    async def large(request: web.Request) -> web.StreamResponse:
        return web.Response(body=b"x" * 20_000, content_type="text/html")

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        await response.prepare(request)
        for _ in range(1000):
            await response.write(b"x" * 1000)
        return response

    async def film(request: web.Request) -> web.StreamResponse:
        return web.Response(body=b"x", content_type="video/mp4")

    async def bomb(request: web.Request) -> web.StreamResponse:
        return web.Response(body=b"x", content_type="text/html", headers={"Content-Encoding": "gzip"})

    async def slow(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        await response.prepare(request)
        for _ in range(100):
            await response.write(b"x")
            await asyncio.sleep(0.05)
        return response

    for answer, why in (
        (large, Why.TOO_LARGE),
        (endless, Why.TOO_LARGE),
        (film, Why.WRONG_TYPE),
        (bomb, Why.WRONG_TYPE),
        (slow, Why.TIMEOUT),
    ):
        site.answer = answer
        assert (await failure(make(size=10_000, seconds=0.5), url(site))).why is why, answer.__name__


async def test_a_host_that_is_not_there_may_come_back(site: Web, make: Callable[..., Pages]) -> None:
    site.addresses["telegra.ph"] = []
    assert isinstance(await failure(make(), url(site)), RemoteTransient)
    site.addresses["telegra.ph"] = ["127.0.0.2", "127.0.0.1"]
    page = await make(address=lambda _: True).fetch(url(site))
    assert page.title, "the second address is tried where the first refuses"


def certificate(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's and a client's context for one name."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "cert.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(file)
    return server, ssl.create_default_context(cafile=file)


@pytest.mark.parametrize(("name", "good"), [("telegra.ph", True), ("evil.example", False)])
async def test_the_certificate_is_checked_against_the_name(
    tmp_path: Path, db: Database, clock: FakeClock, name: str, good: bool
) -> None:
    server, trusted = certificate(tmp_path, name)
    async with Web().run(server) as site, httpx.AsyncClient(trust_env=False, verify=trusted) as client:
        pages = Pages(
            client,
            cache=Cache(db.cache, clock),
            limits=Limits(None, clock),
            clock=clock,
            rules=PageRules(ports=frozenset({site.port}), address=lambda _: True),
            resolve=site.resolve,
        )
        target = f"https://telegra.ph:{site.port}/a"
        if good:
            assert (await pages.fetch(target)).title
        else:
            assert (await failure(pages, target)).why is Why.UNREACHABLE
            assert not site.requests


@pytest.mark.parametrize(
    "page",
    [
        "<a href='https://x/'>" * 20_000,
        "<div>" * 100_000,
        "<" * 200_000,
        "<a href=" * 50_000,
        "<!--" * 50_000,
        "<script>" + "x" * 300_000,
        "&#x1F600;" * 30_000,
        "</" * 100_000,
        "<![CDATA[" * 30_000,
    ],
    ids=lambda page: page[:10],
)
def test_a_hostile_page_is_read_quickly_and_cut(page: str) -> None:
    start = time.perf_counter()
    _, text, links = html.read(page, "https://telegra.ph/x")
    assert time.perf_counter() - start < 3
    assert len(text) <= html.MOST_TEXT
    assert len(links) <= html.MOST_LINKS
