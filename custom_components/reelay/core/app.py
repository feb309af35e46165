"""Builds, starts and stops everything: for Home Assistant, the dry run, the evaluation and the tests alike."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from .commands import Commands
from .drives.absent import AbsentDrive
from .drives.base import Drive
from .health import Alerts, HealthBoard, HealthListener
from .jobs import Housekeeping
from .model.errors import StoreError
from .model.states import Lane
from .model.task import Task
from .notify.dispatcher import Dispatcher
from .pipeline import hooks, identify, organize, recheck, transfer
from .pipeline.gates import Gates
from .pipeline.intake import Intake
from .pipeline.lanes import LanePlan, Lanes
from .pipeline.mover import Mover
from .pipeline.plugins import Plugins
from .pipeline.stage import Stage
from .plugged import TRIAL_MS, Plugged, Surroundings
from .plugin_api import ExtensionPoint, Plugin
from .policy.schema import Policy
from .ports import Clock, HealthState, Notifier, Probe, Settings, no_probe
from .queries import Queries
from .store import marks, policies, tasks
from .store.database import Database, Tx
from .tally import Snapshot, Tally, TraceEvent
from .transfer.inspect import Inspector
from .transfer.prepare import drop_preparation

_LOGGER = logging.getLogger(__name__)

WIDTHS = {Lane.IDENTIFY: 8, Lane.TRANSFER: 8, Lane.ORGANIZE: 4, Lane.RECHECK: 2, Lane.APPROVAL: 1}
POLICIES = 256
PAUSED_AT = "paused_at"


@dataclass(frozen=True, kw_only=True)
class Build:
    """What an app is built from. `folder` holds the durable data; without `cache` nothing is cached on disk.

    `notifiers` are found by a target's prefix (`mobile_app:<device>` → `mobile_app`). `day_start` answers the
    start (ms) of the owner's day that a time (ms) lies in. `first_task` numbers the first task of a new database,
    so that an answer to a task of an earlier database is never taken for one of this.
    """

    folder: Path
    clock: Clock
    settings: Settings
    cache: Path | None = None
    notifiers: Mapping[str, Notifier] = field(default_factory=dict)
    plugins: tuple[Plugin, ...] = ()
    probe: Probe = no_probe
    day_start: Callable[[int], int] = lambda now: now - now % 86_400_000
    first_task: int = 1
    widths: Mapping[Lane, int] = field(default_factory=dict)


class App:
    """A running Reelay. Make one with `App.start`, end it with `stop`."""

    def __init__(self, build: Build, db: Database) -> None:
        clock = build.clock
        self._build = build
        self._db = db
        self._stopped = False
        self._began = False
        self._policies: dict[str, Policy] = {}
        self._chores: set[asyncio.Task[None]] = set()
        self._pausing = asyncio.Lock()
        self._rules = ThreadPoolExecutor(1, thread_name_prefix="reelay_rules")
        self.board = HealthBoard(clock)
        self.plugins = Plugins()
        self._gates = Gates(clock, trial=TRIAL_MS)
        self._inspector = Inspector(clock)
        self.mover = Mover(db, clock, self._targets)
        self.intake = Intake(self.mover, clock, build.settings, self._off_the_loop)
        self._plugged = Plugged(
            db=db,
            plugins=self.plugins,
            board=self.board,
            gates=self._gates,
            around=Surroundings(folder=build.folder, clock=clock, health=self.board),
            sink=self.intake,
            chore=self._chore,
        )
        self._tally = Tally(db, clock, self.mover, self.board, self._gates, build.day_start)
        self._lanes = Lanes(
            db=db,
            clock=clock,
            gates=self._gates,
            mover=self.mover,
            health=self.board,
            prepare=self._stage_for,
            forget=lambda tx, task: drop_preparation(tx, task.id),
            plans=tuple(
                LanePlan(lane=lane, handler=handler, width=build.widths.get(lane, WIDTHS[lane]))
                for lane, handler in (
                    (Lane.IDENTIFY, identify.run),
                    (Lane.TRANSFER, self._transfer),
                    (Lane.ORGANIZE, _organize),
                    (Lane.RECHECK, recheck.recheck),
                    (Lane.APPROVAL, identify.time_out),
                )
            ),
        )
        self._dispatcher = Dispatcher(
            db=db,
            clock=clock,
            mover=self.mover,
            notifier_for=self._notifier_for,
            delivered=self._tally.refresh,
        )
        self._alerts = Alerts(db, clock, self.board, self._targets, self._dispatcher.wake)
        self._housekeeping = Housekeeping(db, clock, self._tally.recount)
        self.commands = Commands(
            db=db,
            clock=clock,
            mover=self.mover,
            intake=self.intake,
            settings=build.settings,
            stage_for=self._stage_for,
        )
        self.queries = Queries(
            db=db,
            clock=clock,
            settings=build.settings,
            stage_of=self._stage_to_read,
            count=self._tally.count,
        )

    @classmethod
    async def start(cls, build: Build) -> App:
        """Open the store and let the lanes and sources work. Raises `StoreError`; then nothing is left open."""
        db = await Database.open(build.folder / "reelay.db", clock=build.clock, cache=build.cache)
        app = cls(build, db)
        try:
            await app._start()
        except BaseException:
            await app.stop()
            raise
        return app

    async def _start(self) -> None:
        for plugin in self._build.plugins:
            self._plugged.add(plugin)
        self.plugins.changed = self._plugins_changed
        self.mover.cut = self._commit_cut
        await self._plugged.load_drives()
        await self._plugged.restore_gates()
        await self._db.run(lambda tx: tasks.number_from(tx, self._build.first_task))
        await self._pause()
        await self._tally.start()
        await self._release_held()
        self._lanes.start()
        self._alerts.start()
        self._housekeeping.start()
        await self._plugged.load_sources()

    def begin(self) -> None:
        """Start telling people; called when the surroundings (phones, notifiers) are up."""
        self._began = True
        self._dispatcher.start()

    async def stop(self) -> None:
        """Stop everything this app started and close the store; safe to call twice."""
        if self._stopped:
            return
        self._stopped = True
        await self._plugged.end_sources()
        for chore in tuple(self._chores):
            chore.cancel()
        await asyncio.gather(*self._chores, return_exceptions=True)
        await self._lanes.stop()
        await self._housekeeping.stop()
        await self._alerts.stop()
        await self._dispatcher.stop()
        await self._tally.stop()
        await self._plugged.end_drives()
        await self._db.close()
        # Nothing is queued any more; what still computes is a pure function that ends within a second.
        await asyncio.to_thread(self._rules.shutdown, cancel_futures=True)

    # -- what the face watches

    @property
    def snapshot(self) -> Snapshot:
        """The numbers of this moment."""
        return self._tally.snapshot

    def on_snapshot(self, listener: Callable[[Snapshot], None]) -> Callable[[], None]:
        """Be told of new numbers; call the answer to end it."""
        return _listen(self._tally.listeners, listener)

    def on_event(self, listener: Callable[[TraceEvent], None]) -> Callable[[], None]:
        """Be told of each question and each resting state, in the order of ids."""
        return _listen(self._tally.event_listeners, listener)

    def on_health(self, listener: HealthListener) -> Callable[[], None]:
        """Be told when a component's state changes."""
        return _listen(self.board.listeners, listener)

    @property
    def health(self) -> tuple[HealthState, ...]:
        """How all components are."""
        return self.board.states()

    async def events_after(self, event: int, limit: int = 200) -> list[TraceEvent]:
        """Events with a higher id, oldest first."""
        return await self._tally.events_after(event, limit)

    async def mark(self, key: str) -> str | None:
        """A durable mark of the face's own."""
        return await self._db.read(lambda tx: marks.get(tx, f"face:{key}"))

    async def set_mark(self, key: str, value: str) -> None:
        """Keep a durable mark."""
        await self._db.run(lambda tx: marks.put(tx, f"face:{key}", value))

    def refresh(self) -> None:
        """Count again, for instance at the owner's midnight."""
        self._tally.refresh()

    # -- what changes while it runs

    def settings_changed(self) -> None:
        """The owner changed something live: act on it now."""
        self._chore(self._pause())
        self._dispatcher.wake()

    def drive_ready(self, drive: str) -> None:
        """A login or an account has been mended: ask the drive again."""
        self._gates.open(drive)

    def add_plugin(self, plugin: Plugin) -> None:
        """Plug in while running; held tasks that waited for it go on."""
        self.plugins.add(plugin)

    def remove_plugin(self, name: str) -> None:
        """Unplug while running."""
        self.plugins.remove(name)

    async def hold_checkpoints(self) -> None:
        """Empty the write-ahead log as far as possible and leave the main file alone until released."""
        await self._db.checkpoint(truncate=True)
        self._db.hold_checkpoints()

    def release_checkpoints(self) -> None:
        """Let the main file be written again."""
        self._db.release_checkpoints()

    def idle(self) -> bool:
        """Whether no lane works on anything at this moment."""
        return self._lanes.idle()

    def dirty(self) -> bool:
        """Whether the snapshot is older than what has been committed."""
        return self._tally.dirty()

    # -- parts

    def _plugins_changed(self) -> None:
        self._chore(self._reload_plugins())

    async def _reload_plugins(self) -> None:
        await self._plugged.load_drives()
        await self._plugged.load_sources()
        await self._release_held()

    def _commit_cut(self) -> None:
        """A caller was cancelled: what its transaction did, if it did, must not go unnoticed."""
        self._chore(self._catch_up())

    async def _catch_up(self) -> None:
        await self._tally.recount()
        for lane in WIDTHS:
            self._lanes.wake(lane)
        self._dispatcher.wake()

    def _targets(self) -> tuple[str, ...]:
        """The owner's choice, and every notifier that is plugged in."""
        plugged = (each.name for _, each in self.plugins.at(ExtensionPoint.NOTIFIER))
        return (*self._build.settings.targets(), *plugged)

    def _notifier_for(self, target: str) -> Notifier | None:
        name = target.partition(":")[0]
        plugged = self.plugins.named(ExtensionPoint.NOTIFIER, name)
        return self._build.notifiers.get(name) or (cast("Notifier", plugged.provider) if plugged else None)

    async def _stage_for(self, task: Task) -> Stage | str:
        policy = self._policies.get(task.policy)
        if policy is None:
            policy = await self._db.read(lambda tx: policies.get(tx, task.policy))
            if len(self._policies) >= POLICIES:
                self._policies.clear()
            self._policies[task.policy] = policy
        return await self._stage_of(policy)

    async def _stage_of(self, policy: Policy) -> Stage | str:
        missing = self.plugins.missing(policy)
        if missing is not None:
            return missing
        drive = self._plugged.drives.get(policy.provider)
        return policy.provider if drive is None else self._stage(policy, drive)

    async def _stage_to_read(self, policy: Policy) -> Stage:
        """For previews: what isn't there is left out and said."""
        drive = self._plugged.drives.get(policy.provider)
        return self._stage(policy, drive or cast("Drive", AbsentDrive(policy.provider)))

    def _stage(self, policy: Policy, drive: Drive) -> Stage:
        return Stage(
            db=self._db,
            clock=self._build.clock,
            drive=drive,
            policy=policy,
            gates=self._gates,
            inspector=self._inspector,
            plugins=self.plugins,
            probe=self._build.probe,
            mover=self.mover,
        )

    async def _transfer(self, task: Task, stage: Stage) -> None:
        """The transfer lane also takes parsed tasks that waited for the gate: they are identified now."""
        if task.state not in transfer.STATES:
            await identify.run(task, stage)
        elif task.sent or await hooks.before_save(task, stage):
            await transfer.transfer(task, stage, run=self._off_the_loop)

    async def _off_the_loop[T](self, fn: Callable[[], T]) -> T:
        """Long rules (texts above 4 KB, shares above 200 files) run on a thread of the app's own."""
        return await asyncio.get_running_loop().run_in_executor(self._rules, fn)

    async def _release_held(self) -> None:
        """Tasks that waited for a plugin or drive are looked at again."""
        while await self._db.run(tasks.release_held):
            pass
        for lane in WIDTHS:
            self._lanes.wake(lane)

    async def _pause(self) -> None:
        """Pause or go on; while paused the time for an answer stands still."""
        # One after the other, so that a switch moved there and back ends as it was.
        async with self._pausing:
            paused = self._build.settings.paused()
            if paused:
                self._gates.pause(True)
            now = self._build.clock.now()
            try:
                await self._db.run(lambda tx: _keep_pause(tx, paused, now), interactive=False)
            finally:
                # Not before the time is put off, or questions would be over at once.
                self._gates.pause(paused)
                self._tally.refresh()

    def _chore(self, work: Any) -> None:
        if self._stopped:
            work.close()
            return
        chore = asyncio.get_running_loop().create_task(_logged(work))
        self._chores.add(chore)
        chore.add_done_callback(self._chores.discard)
        # One that is cancelled before its first step would complain of work that was never awaited.
        chore.add_done_callback(lambda _: work.close())


def _keep_pause(tx: Tx, paused: bool, now: int) -> None:
    since = marks.get(tx, PAUSED_AT)
    if paused and not since:
        marks.put(tx, PAUSED_AT, str(now))
    elif not paused and since:
        tasks.shift_due(tx, Lane.APPROVAL, now - int(since))
        marks.put(tx, PAUSED_AT, "")


async def _organize(task: Task, stage: Stage) -> None:
    await hooks.after_save(task, stage)
    await organize.organize(task, stage)


async def _logged(work: Any) -> None:
    try:
        await work
    except StoreError as err:
        _LOGGER.warning("The database refused a write: %s", err.key)
    except Exception:
        _LOGGER.exception("A piece of work in the background failed")


def _listen[T](listeners: list[T], listener: T) -> Callable[[], None]:
    listeners.append(listener)

    def unsubscribe() -> None:
        if listener in listeners:
            listeners.remove(listener)

    return unsubscribe
