"""When the next request to a model may go out: alone, or by the limit that the whole installation shares."""

from typing import Protocol
from urllib.parse import urlsplit

from ..ports import Clock
from ..remote.limits import Limits


class Pace(Protocol):
    """What a client waits for before each request."""

    async def acquire(self, wait: float) -> bool:
        """Wait for a turn, at most `wait` seconds; False where it would take longer."""

    async def block(self, until: int) -> None:
        """The server wants no request before `until` (ms)."""


class OwnPace:
    """No limit but the server's own word, kept in memory."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._blocked_until = 0

    async def acquire(self, wait: float) -> bool:
        """Wait until the server allows it."""
        left = (self._blocked_until - self._clock.now()) / 1000
        if left > wait:
            return False
        if left > 0:
            await self._clock.sleep(left)
        return True

    async def block(self, until: int) -> None:
        """Note the later time."""
        self._blocked_until = max(self._blocked_until, until)


class SharedPace:
    """One bucket of the installation's limits per server: `site:llm:<host>`."""

    def __init__(self, limits: Limits, url: str, *, per_minute: float = 0.0) -> None:
        """`per_minute` 0 means no limit but the server's own word."""
        self._limits = limits
        self._key = f"site:llm:{urlsplit(url).hostname or url}"
        self._per_minute = per_minute

    async def acquire(self, wait: float) -> bool:
        """Take a token."""
        grant = await self._limits.acquire(
            self._key, capacity=max(1.0, self._per_minute / 6), refill=self._per_minute / 60, wait=wait
        )
        return grant.ok

    async def block(self, until: int) -> None:
        """Let everybody who asks this server know."""
        await self._limits.block(self._key, until)
