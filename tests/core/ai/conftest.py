"""A client with a real library and a real server; time passes fast, so that budgets end while a test waits."""

import asyncio
import importlib
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from custom_components.reelay.core.ai.client import ModelClient
from custom_components.reelay.core.ai.endpoint import Address, OpenAiEndpoint
from custom_components.reelay.core.store.database import Database
from tests.fakes.clock import START
from tests.fakes.llm import FakeLlm

#: Seconds of the client's clock per second of the machine.
FAST = 40.0
KEY = "sk-secret-1"


class FastClock:
    """A clock that runs with the machine's, but faster."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self.slept: list[float] = []

    def now(self) -> int:
        return START + round(self.monotonic() * 1000)

    def monotonic(self) -> float:
        return (time.monotonic() - self._begin) * FAST

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(seconds / FAST)

    def random(self) -> float:
        return 0.5

    def token(self) -> str:
        return "token"


async def run(work: Callable[[], Any]) -> Any:
    return await asyncio.get_running_loop().run_in_executor(None, work)


@pytest.fixture
def clock() -> FastClock:
    return FastClock()


@pytest.fixture(scope="session", autouse=True)
def _library() -> None:
    """Imported once before any clock runs: on a busy machine that takes seconds."""
    importlib.import_module("openai")


@pytest.fixture
async def server() -> AsyncIterator[FakeLlm]:
    started = await FakeLlm().start()
    yield started
    await started.stop()


@pytest.fixture
async def http() -> AsyncIterator[Any]:
    """A client of the library that Home Assistant has: httpx, or httpx2 under its name."""
    library = importlib.import_module("httpx")
    async with library.AsyncClient(trust_env=False) as client:
        yield client


@pytest.fixture
def endpoint(server: FakeLlm, http: Any, clock: FastClock) -> OpenAiEndpoint:
    return OpenAiEndpoint(Address(url=server.url, model="m1", key=KEY), http=http, run=run, clock=clock)


@pytest.fixture
async def db(tmp_path: Path, clock: FastClock) -> AsyncIterator[Database]:
    database = await Database.open(tmp_path / "reelay.db", clock=clock)
    yield database
    await database.close()


@pytest.fixture
def client(endpoint: OpenAiEndpoint, clock: FastClock, db: Database) -> ModelClient:
    return ModelClient(endpoint, clock, db=db)
