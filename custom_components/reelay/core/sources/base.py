"""What a source is."""

from typing import Protocol

from ..ports import Clock, Sink


class Source(Protocol):
    """Delivers messages from `start` to `stop`. Its key, such as `telegram:<channel id>`, is that of its messages.

    A message may be delivered again after a restart: its id is the same then, and the sink knows it.
    """

    key: str

    async def start(self, sink: Sink, clock: Clock) -> None:
        """Begin delivering; returns at once."""

    async def stop(self) -> None:
        """End delivering; nothing is delivered after this has returned. Harmless when it wasn't started."""
