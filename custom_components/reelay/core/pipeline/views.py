"""A task as people and automations see it: plain JSON values, no code, no link."""

from datetime import UTC, datetime
from typing import Any

from ..model.decision import Code
from ..model.offer import Runs
from ..model.states import Lane, State, actions
from ..model.task import Task


def iso(at: int | None) -> str | None:
    """A time in ms as ISO 8601 in UTC."""
    return None if at is None else datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="seconds")


def runs_text(runs: Runs) -> str:
    """((1, 8), (10, 10)) as "1-8,10"."""
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def task_view(task: Task) -> dict[str, Any]:
    """The short form of a task for lists, notifications and answers to commands."""
    context = task.context
    parsed, work, share, decision = context.parsed, context.work, context.share, context.decision
    kind = (work.kind if work else None) or (parsed.kind if parsed else None)
    retrying = task.state is State.FAILED and task.due_at is not None
    reasons = [reason.code.value for reason in (*context.problems, *(decision.reasons if decision else ()))]
    if task.waits_for is not None:
        reasons.insert(0, Code.WAITS_FOR_TASK.value)
    if task.lane is Lane.HELD:
        reasons.insert(0, Code.PLUGIN_MISSING.value)
    return {
        "id": task.id,
        "state": task.state.value,
        "round": task.round,
        "title": task.title,
        "kind": kind.value if kind else None,
        "year": (work.year if work else None) or (parsed.year if parsed else None),
        "seasons": list(parsed.seasons) if parsed else [],
        "episodes": runs_text(parsed.episodes) if parsed else "",
        "source": task.source,
        "message_id": task.message_id,
        "reasons": reasons,
        "confidence": round(context.signals.total, 3) if context.signals else None,
        "due": iso(task.due_at) if task.lane else None,
        "created": iso(task.created),
        "updated": iso(task.updated),
        "wanted_by": task.wanted_by,
        "follows": task.follows,
        "waits_for": task.waits_for,
        "sent": task.sent,
        "received": task.received,
        "retrying": retrying,
        "attention": task.state is State.NEED_MANUAL or (task.state is State.FAILED and not retrying),
        "actions": [action.value for action in actions(task.standing)],
        "share": share.model_dump(include={"files", "videos", "size", "title"}) if share else None,
    }
