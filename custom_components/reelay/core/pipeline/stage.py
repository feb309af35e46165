"""What a stage gets besides the task: its policy snapshot and the ports. No live option is read inside."""

from dataclasses import dataclass
from typing import Any

from ..drives.base import Drive
from ..model.task import Task
from ..policy.schema import Policy
from ..ports import Clock, Probe
from ..store.database import Database
from ..transfer.inspect import Inspector
from .gates import Gates
from .mover import Mover
from .plugins import Plugins
from .transition import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The ports of one task's stage; `drive` is the one its policy names."""

    db: Database
    clock: Clock
    drive: Drive
    policy: Policy
    gates: Gates
    inspector: Inspector
    plugins: Plugins
    probe: Probe
    mover: Mover

    async def move(self, task: Task, *steps: Step, **columns: Any) -> Task:
        """Change the task; keywords as in `Recorder.move`."""
        return await self.mover.move(task, *steps, **columns)
