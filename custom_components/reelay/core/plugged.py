"""The drives and sources that plugins bring: made, started, ended, and each drive's gate kept over a restart.

Plugins are strangers' code. One that doesn't fit, or whose part can't be made or started, is named in the health
and left out; one that can't be ended doesn't keep the rest from ending.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .drives.base import Drive
from .health import HealthBoard
from .model.decision import Code
from .model.errors import Busy, ReelayError, Scope
from .pipeline.gates import Gates
from .pipeline.plugins import Plugins
from .plugin_api import Contribution, ExtensionPoint, Plugin
from .ports import Clock, Health, Sink
from .sources.base import Source
from .store import marks
from .store.database import Database

_LOGGER = logging.getLogger(__name__)

GATE = "gate:"
#: How long everybody else waits for the one call that tries a drive after its gate's end.
TRIAL_MS = 60_000


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a storage or source plugin's factory is called with."""

    folder: Path
    clock: Clock
    health: Health


class Plugged:
    """`drives` and `sources` by name, as the registry of plugins has them; `chore` runs what nobody waits for."""

    def __init__(
        self,
        *,
        db: Database,
        plugins: Plugins,
        board: HealthBoard,
        gates: Gates,
        around: Surroundings,
        sink: Sink,
        chore: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._db = db
        self._plugins = plugins
        self._board = board
        self._gates = gates
        self._around = around
        self._sink = sink
        self._chore = chore
        self.drives: dict[str, Drive] = {}
        self.sources: dict[str, Source] = {}
        gates.on_change = self._gate_changed

    def add(self, plugin: Plugin) -> None:
        """Take a plugin that was there from the start."""
        try:
            self._plugins.add(plugin)
        except ValueError as err:
            self._failed(plugin.name, err)

    async def load_drives(self) -> None:
        """Make the drives that have come, end those that have gone."""
        found = {each.name: each for _, each in self._plugins.at(ExtensionPoint.STORAGE)}
        for name in set(self.drives) - set(found):
            self._gates.unregister(name)
            await self._end(name, self.drives.pop(name).close())
        for name, contribution in found.items():
            if name not in self.drives and (drive := await self._make(contribution)) is not None:
                self.drives[name] = drive
                self._gates.register(name)

    async def load_sources(self) -> None:
        """Start the sources that have come, end those that have gone."""
        found = {each.name: each for _, each in self._plugins.at(ExtensionPoint.SOURCE)}
        for name in set(self.sources) - set(found):
            await self._end(name, self.sources.pop(name).stop())
        for name, contribution in found.items():
            if name not in self.sources and (source := await self._make(contribution)) is not None:
                self.sources[name] = source
                await self._start(name, source)

    async def end_sources(self) -> None:
        """Nothing is delivered any more."""
        for name, source in self.sources.items():
            await self._end(name, source.stop())

    async def end_drives(self) -> None:
        """Nothing is asked of a drive any more."""
        for name, drive in self.drives.items():
            await self._end(name, drive.close())

    async def restore_gates(self) -> None:
        """Gates that were closed before a restart are closed still; a dead login may have been renewed since."""
        for name in self.drives:
            kept = await self._db.read(lambda tx, name=name: marks.get(tx, GATE + name))  # type: ignore[misc]
            reason, _, until = (kept or "").partition(":")
            if reason:
                self._gates.close(name, Code(reason), int(until) if until else None)
                if not until:
                    self._chore(self._try(name))

    async def _try_at(self, name: str, until: int) -> None:
        clock = self._around.clock
        await clock.sleep(max(0.0, (until - clock.now()) / 1000))
        gate = self._gates.states().get(name)
        if gate is not None and gate.until == until and not self._gates.paused:
            await self._try(name)

    async def _try(self, name: str) -> None:
        """One read tells whether a drive that had locked us out lets us in again."""
        drive = self.drives.get(name)
        if drive is None:
            return
        try:
            await drive.space()
        except Busy as err:
            if err.scope is Scope.ACCOUNT:
                self._gates.close(name, err.code, err.until)
                return
        except ReelayError:
            pass
        self._gates.open(name)

    async def _make(self, contribution: Contribution) -> Any:
        try:
            made = contribution.provider(self._around)
            if asyncio.iscoroutine(made):
                made = await made
        except Exception as err:  # noqa: BLE001 (a stranger's code)
            self._failed(contribution.name, err)
            return None
        self._board.report(f"plugin:{contribution.name}", "ok")
        return made

    async def _start(self, name: str, source: Source) -> None:
        try:
            await source.start(self._sink, self._around.clock)
        except Exception as err:  # noqa: BLE001 (a stranger's code)
            self._failed(name, err)

    async def _end(self, name: str, ending: Awaitable[None]) -> None:
        try:
            await ending
        except Exception as err:  # noqa: BLE001 (a stranger's code)
            _LOGGER.warning("Plugin %s could not be stopped: %s", name, type(err).__name__)

    def _failed(self, name: str, err: Exception) -> None:
        _LOGGER.warning("Plugin %s could not be started: %s: %s", name, type(err).__name__, err)
        self._board.report(f"plugin:{name}", "bad", reason=type(err).__name__)

    def _gate_changed(self, drive: str, reason: Code | None, until: int | None) -> None:
        """A cooldown outlives a restart; the health says why nothing moves."""
        if reason is None:
            self._board.report("drive", "ok")
        else:
            self._board.report("drive", "bad", until=until, reason=reason.value)
            if until is not None:
                self._chore(self._try_at(drive, until))
        value = "" if reason is None else f"{reason.value}:{until or ''}"
        self._chore(self._keep_gate(drive, value))

    async def _keep_gate(self, drive: str, value: str) -> None:
        await self._db.run(lambda tx: marks.put(tx, GATE + drive, value))
