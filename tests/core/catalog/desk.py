"""A catalogue with everything it rests on, in front of a server on loopback."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx

from custom_components.reelay.core.catalog.client import CatalogOptions, Client
from custom_components.reelay.core.catalog.titles import Recognition, Titles
from custom_components.reelay.core.model.offer import Kind, Parsed
from custom_components.reelay.core.remote.cache import Cache
from custom_components.reelay.core.remote.limits import Limits
from custom_components.reelay.core.store.database import Database
from custom_components.reelay.core.understand.identify import work_of
from tests.fakes.clock import FakeClock
from tests.fakes.tmdb import KEY, FakeTmdb


class QuickClock(FakeClock):
    """Time passes as soon as somebody waits for it."""

    async def sleep(self, seconds: float) -> None:
        self.jump(max(0.0, seconds))
        await asyncio.sleep(0)


class Secrets:
    """Credentials that a test can change."""

    def __init__(self, key: str | None = KEY) -> None:
        self.key = key

    def get(self, name: str) -> str | None:
        return self.key if name == "tmdb" else None


class Board:
    """Health as it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, str | None]] = []

    def report(
        self, component: str, state: str, *, until: int | None = None, reason: str | None = None
    ) -> None:
        self.told.append((component, state, reason))


class Desk:
    """`titles` on `client` on `cache` and `limits`."""

    def __init__(self, tmdb: FakeTmdb, db: Database, clock: QuickClock, http: httpx.AsyncClient) -> None:
        self.tmdb, self.clock, self.db = tmdb, clock, db
        self.options = CatalogOptions(host=tmdb.url, timeout=2)
        self.secrets, self.board = Secrets(), Board()
        self.cache, self.limits = Cache(db.cache, clock), Limits(db, clock)
        self.client = Client(
            http,
            cache=self.cache,
            limits=self.limits,
            clock=clock,
            credentials=self.secrets,
            options=lambda: self.options,
            health=self.board,
        )
        self.titles = Titles(self.client, self.cache)

    @classmethod
    @asynccontextmanager
    async def open(cls, tmdb: FakeTmdb, db: Database, clock: QuickClock) -> AsyncIterator[Desk]:
        async with httpx.AsyncClient(trust_env=False) as http:
            yield cls(tmdb, db, clock, http)

    def set(self, **changes: Any) -> None:
        self.options = replace(self.options, **changes)

    async def recognise(self, parsed: Parsed, **how: Any) -> Recognition:
        work = work_of(parsed)
        assert work is not None
        return await self.titles.recognise(parsed, work, **how)


def said(title: str, kind: Kind = Kind.FILM, **more: Any) -> Parsed:
    """What a message says."""
    return Parsed(is_media=True, title=title, kind=kind, **more)


def show(title: str, **more: Any) -> Parsed:
    """What a message says about a series."""
    return said(title, Kind.SERIES, **more)
