"""The extension points around a transfer: before anything is prepared, and after everything has been verified."""

from typing import Any

from ..model.decision import Code
from ..model.states import State
from ..model.task import Task
from ..plugin_api import ExtensionPoint, TaskView
from ..store import messages, plugin_state
from .opinions import keep_states, task_view
from .plugins import Opinion
from .stage import Stage
from .transition import Step


async def before_save(task: Task, stage: Stage) -> bool:
    """Ask the plugins of before_save; a veto skips the task. Tells whether the transfer may go on."""
    opinions = await _ask(ExtensionPoint.BEFORE_SAVE, task, stage)
    veto = next((opinion for opinion in opinions if opinion.verdict == "skip"), None)
    if veto is None:
        return True
    detail = {"plugin": veto.plugin, "reason": veto.reason}
    await stage.move(task, Step(to=State.SKIPPED, code=Code.PLUGIN_SKIPS, detail=detail))
    return False


async def after_save(task: Task, stage: Stage) -> None:
    """Tell the plugins of after_save that the files have landed; at least once, before they are filed."""
    await _ask(ExtensionPoint.AFTER_SAVE, task, stage)


async def _ask(point: ExtensionPoint, task: Task, stage: Stage) -> list[Opinion]:
    if not stage.plugins.at(point):
        return []
    row = await stage.db.read(lambda tx: messages.get(tx, task.message))

    async def view(plugin: str, settings: dict[str, Any]) -> TaskView:
        state = await stage.db.read(lambda tx: plugin_state.get(tx, plugin, task.id))
        return task_view(row.message, task.context, task, None, settings, state)

    opinions = await stage.plugins.ask(point, stage.policy, view)
    if any(opinion.state is not None for opinion in opinions):
        await stage.db.run(lambda tx: keep_states(tx, task=task.id, opinions=tuple(opinions)))
    return opinions
