"""Posters of the catalogue: only pictures, only of known sizes, only from the host of pictures."""

import asyncio
import re

import httpx

from ..remote.errors import RemotePermanent, RemoteTransient, Why

HOST = "https://image.tmdb.org"
SIZES = frozenset({"w92", "w154", "w185", "w342", "w500", "w780", "original"})
LARGEST = 10_000_000
TIMEOUT = 20.0
_FILE = re.compile(r"[A-Za-z0-9_-]{1,80}\.(?:jpg|jpeg|png|webp)")
_KINDS = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
)


def address(size: str, file: str, *, host: str = HOST) -> str | None:
    """Where a picture lies; None for names that aren't one's (`file` with or without its slash)."""
    file = file.removeprefix("/")
    if size not in SIZES or not _FILE.fullmatch(file):
        return None
    return f"{host.rstrip('/')}/t/p/{size}/{file}"


def kind(body: bytes) -> str | None:
    """The type of a picture by its first bytes, whatever anybody calls it."""
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    return next((name for start, name in _KINDS if body.startswith(start)), None)


async def fetch(client: httpx.AsyncClient, size: str, file: str, *, host: str = HOST) -> tuple[bytes, str]:
    """A picture and its type. Raises `RemotePermanent` or `RemoteTransient`."""
    url = address(size, file, host=host)
    if url is None:
        raise RemotePermanent(Why.NOT_FOUND)
    body = bytearray()
    try:
        async with asyncio.timeout(TIMEOUT), client.stream("GET", url, follow_redirects=False) as response:
            if response.status_code != 200:
                missing = response.status_code in (400, 404)
                raise RemotePermanent(Why.NOT_FOUND) if missing else RemoteTransient(Why.SERVER_ERROR)
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > LARGEST:
                    raise RemotePermanent(Why.TOO_LARGE)
    except TimeoutError, httpx.HTTPError, httpx.InvalidURL:
        raise RemoteTransient(Why.UNREACHABLE) from None
    found = kind(bytes(body))
    if found is None:
        raise RemotePermanent(Why.WRONG_TYPE)
    return bytes(body), found
