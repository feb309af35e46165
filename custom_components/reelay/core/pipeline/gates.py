"""Gates: while a drive's account refuses everything, nothing new is asked of it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from ..model.decision import Code
from ..ports import Clock

SHORTEST_MS = 5_000
#: How long a gate stays closed whose drive doesn't say.
UNKNOWN_MS = 300_000
_OPEN_END = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """Why a gate is closed and until when (ms; None: until it is opened)."""

    reason: Code
    until: int | None


def _end(gate: Closed) -> int:
    return _OPEN_END if gate.until is None else gate.until


class Gates:
    """One gate per drive, and the owner's pause in front of all of them.

    After its end a gate stays closed for `trial` ms more: who has built us makes one call meanwhile and opens or
    closes it by the answer, so that an account which still refuses isn't asked by everybody at once.

    Cooldowns outlive a restart: the app restores them with `close` from the database. `changed` is set whenever
    a gate opens or closes, so that lanes wait for an event and never poll; `on_change(drive, reason, until)` is
    called with reason None when one opens.
    """

    def __init__(self, clock: Clock, *, trial: int = 0) -> None:
        self._clock = clock
        self._trial = trial
        self._closed: dict[str, Closed] = {}
        self._drives: set[str] = set()
        self._paused = False
        self.changed = asyncio.Event()
        self.on_change: Callable[[str, Code | None, int | None], None] = lambda *_: None

    def register(self, drive: str) -> None:
        """Make a drive known; a gated lane rests while the gates of all known drives are closed."""
        self._drives.add(drive)

    def unregister(self, drive: str) -> None:
        """Forget a drive that is no longer there."""
        self._drives.discard(drive)
        self._closed.pop(drive, None)

    def close(self, drive: str, reason: Code, until: int | None) -> None:
        """Close a drive's gate; a later end or an open end replaces an earlier one.

        Only a dead login is mended by somebody who says so. All else is asked again some time, and never at once:
        an end that is over by this clock would let a refusing drive be asked without a pause.
        """
        now = self._clock.now()
        if until is not None:
            until = max(until, now + SHORTEST_MS)
        elif reason is not Code.LOGIN_DEAD:
            until = now + UNKNOWN_MS
        gate = Closed(reason=reason, until=until)
        known = self._closed.get(drive)
        if known is None or (known != gate and _end(gate) >= _end(known)):
            self._closed[drive] = gate
            self.changed.set()
            self.on_change(drive, reason, until)

    def open(self, drive: str) -> bool:
        """Open a drive's gate; tells whether it was closed."""
        if self._closed.pop(drive, None) is None:
            return False
        self.changed.set()
        self.on_change(drive, None, None)
        return True

    def pause(self, paused: bool) -> None:
        """The owner's switch: no new drive traffic but a person's verify."""
        self._paused = paused
        self.changed.set()

    @property
    def paused(self) -> bool:
        """Whether the owner has paused."""
        return self._paused

    def closed(self, drive: str) -> Closed | None:
        """Why nothing may be asked of `drive` now, None if all is well; an end that has passed opens it."""
        if drive not in self._drives:
            return Closed(reason=Code.PLUGIN_MISSING, until=None)
        gate = self._closed.get(drive)
        if gate is not None and gate.until is not None and gate.until + self._trial <= self._clock.now():
            self.open(drive)
            gate = None
        if gate is None and self._paused:
            return Closed(reason=Code.PAUSED, until=None)
        return gate

    def rest(self) -> int | None:
        """Until when (ms, 0: until `changed`) no drive at all may be asked; None where one may."""
        gates = [self.closed(drive) for drive in self._drives]
        closed = [gate for gate in gates if gate is not None]
        if not closed or len(closed) < len(gates):
            return None
        first = min(closed, key=_end)
        return 0 if first.until is None else first.until + self._trial

    def states(self) -> dict[str, Closed]:
        """All gates that are closed by a drive itself."""
        return {name: gate for name in list(self._closed) if (gate := self.closed(name)) is not None}
