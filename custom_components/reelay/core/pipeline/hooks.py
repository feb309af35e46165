"""The extension points around a transfer: before anything is prepared, and after everything has been verified."""

from functools import partial
from typing import Any

from ..model.decision import Code, Decision, Verdict
from ..model.states import State
from ..model.task import Task
from ..plugin_api import ExtensionPoint, TaskView
from ..store import messages, plugin_state
from ..store.database import Tx
from ..transfer.prepare import drop_preparation
from .opinions import keep_states, reason_of, task_view
from .plugins import Opinion
from .stage import Stage
from .transition import Recorder, Step


async def before_save(task: Task, stage: Stage) -> bool:
    """Ask the plugins of before_save; a veto skips the task. Tells whether the transfer may go on."""
    opinions = await _ask(ExtensionPoint.BEFORE_SAVE, task, stage)
    veto = next((opinion for opinion in opinions if opinion.verdict is Verdict.SKIP), None)
    if veto is None:
        return True
    reason = reason_of(veto)
    await stage.move(
        task,
        Step(to=State.SKIPPED, code=reason.code, detail=reason.data),
        context=task.context.model_copy(
            update={"decision": Decision(verdict=Verdict.SKIP, reasons=(reason,))}
        ),
        also=lambda tx: drop_preparation(tx, task.id),
    )
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
    if any(opinion.state is not None or opinion.error for opinion in opinions):
        await stage.mover.commit(partial(_keep, task=task, opinions=opinions))
    return opinions


def _keep(tx: Tx, recorder: Recorder, *, task: Task, opinions: list[Opinion]) -> None:
    keep_states(tx, task=task.id, opinions=opinions)
    for opinion in opinions:
        if opinion.error:
            detail = {"plugin": opinion.plugin, "error": opinion.error}
            recorder.remark(tx, task, Code.PLUGIN_FAILED, detail)
