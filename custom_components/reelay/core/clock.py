"""The machine's own clock: time, sleep and randomness for production."""

import asyncio
import random
import secrets
import time


class SystemClock:
    """The Clock of a running installation."""

    def now(self) -> int:
        """Wall-clock time in ms since the epoch."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)

    def random(self) -> float:
        """A number in [0, 1)."""
        return random.random()

    def token(self) -> str:
        """Eight characters that can't be guessed."""
        return secrets.token_hex(4)
