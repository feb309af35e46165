"""Commits changes of tasks and announces them to whoever listens, after the commit and never before."""

import asyncio
from collections.abc import Callable
from typing import Any

from ..model.task import LANE, Actor, Task
from ..ports import Clock
from ..store.database import Database, Tx
from .transition import Change, Recorder, Step

Listener = Callable[[tuple[Change, ...]], None]


class Mover:
    """The door through which lanes and commands change tasks; `targets` says whom notices go to just then.

    `listeners` are called on the event loop with the changes of each commit: lanes wake, counts follow,
    entities are refreshed. A listener must not raise.
    """

    def __init__(self, db: Database, clock: Clock, targets: Callable[[], tuple[str, ...]]) -> None:
        self._db = db
        self._clock = clock
        self._targets = targets
        self.listeners: list[Listener] = []
        #: Called when a caller is cancelled: its transaction may be committed all the same, without being announced.
        self.cut: Callable[[], None] = lambda: None

    async def commit[T](self, fn: Callable[[Tx, Recorder], T], *, interactive: bool | None = None) -> T:
        """Run `fn` in a transaction with a fresh recorder; announce its changes once it is durable."""
        recorder = Recorder(now=self._clock.now(), targets=self._targets())

        def run(tx: Tx) -> T:
            recorder.restart()
            return fn(tx, recorder)

        try:
            result = await self._db.run(run, interactive=interactive)
        except asyncio.CancelledError:
            self.cut()
            raise
        self.announce(tuple(recorder.changes))
        return result

    async def move(self, task: Task, *steps: Step, actor: Actor = LANE, **columns: Any) -> Task:
        """One task, one path, one transaction; see `Recorder.move` for the keywords."""
        return await self.commit(lambda tx, recorder: recorder.move(tx, task, steps, actor=actor, **columns))

    def announce(self, changes: tuple[Change, ...]) -> None:
        """Tell the listeners what has been committed."""
        if changes:
            for listener in self.listeners:
                listener(changes)
