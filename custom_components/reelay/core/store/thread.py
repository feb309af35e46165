"""A thread of the database: it opens what it needs, serves until told to end, and closes what it opened.

A connection never leaves its thread, and nothing here ever blocks the event loop.
"""

import asyncio
import threading
from contextlib import suppress
from typing import Protocol


class Service(Protocol):
    """What runs on a thread; `open` may raise, and then nothing else is called."""

    name: str

    def open(self) -> None:
        """Acquire what is needed."""

    def serve(self) -> None:
        """Work until told to end."""

    def end(self) -> None:
        """Tell `serve` to return when its work is done; called from the event loop."""

    def close(self) -> None:
        """Release what `open` acquired."""


class Thread:
    """Runs a service. `start` returns once it is open, `stop` once the thread is gone."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._loop = asyncio.get_running_loop()
        self._opened: asyncio.Future[None] = self._loop.create_future()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        # A process that ends without closing the database must not hang on it.
        self._thread = threading.Thread(target=self._main, name=f"reelay_db_{service.name}", daemon=True)

    async def start(self) -> None:
        """Start; raises what opening raised, and the thread is gone then."""
        self._thread.start()
        await asyncio.shield(self._opened)

    async def stop(self) -> None:
        """End the service and wait until the thread is gone."""
        if self._thread.ident is None:
            return
        self._service.end()
        await asyncio.shield(self._ended)
        self._thread.join()

    def _main(self) -> None:
        error: BaseException | None = None
        try:
            self._service.open()
        except BaseException as raised:  # noqa: BLE001 - it is the caller's answer
            error = raised
        self._tell(self._opened, error)
        if error is None:
            try:
                self._service.serve()
            finally:
                self._service.close()
        self._tell(self._ended, None)

    def _tell(self, future: asyncio.Future[None], error: BaseException | None) -> None:
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(_settle, future, error)


def _settle(future: asyncio.Future[None], error: BaseException | None) -> None:
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
        # Whoever was cancelled while opening never asks.
        future.exception()
