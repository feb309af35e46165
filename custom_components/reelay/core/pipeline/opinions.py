"""What plugins see of a task, and what becomes of what they say."""

from collections.abc import Iterable
from typing import Any

from ..model.context import PipelineContext
from ..model.decision import Code, Reason, Verdict
from ..model.message import Message
from ..model.share import Listing
from ..model.states import State
from ..model.task import Task
from ..plugin_api import ListingView, MessageView, OfferView, TaskView
from ..store import plugin_state
from ..store.database import Tx
from ..understand import links
from .plugins import Opinion


def task_view(
    message: Message,
    context: PipelineContext,
    task: Task | None,
    listing: Listing | None,
    settings: dict[str, Any],
    state: Any,
) -> TaskView:
    """The frozen view a plugin gets; share codes and links stay inside."""
    parsed = context.parsed
    return TaskView(
        id=task.id if task else 0,
        state_name=task.state.value if task else State.RECEIVED.value,
        message=MessageView(
            source=message.source,
            message_id=message.message_id,
            text=links.redact(message),
            posted=message.posted,
        ),
        offer=OfferView(
            key=context.offer.key.partition(":")[0],
            is_media=parsed.is_media if parsed else None,
            kind=parsed.kind.value if parsed and parsed.kind else None,
            title=parsed.title if parsed else None,
            year=parsed.year if parsed else None,
            seasons=parsed.seasons if parsed else (),
            episodes=tuple(n for first, last in parsed.episodes for n in range(first, last + 1))
            if parsed
            else (),
            resolution=parsed.release.resolution if parsed else None,
            confidence=context.signals.total if context.signals else None,
        ),
        listing=ListingView(
            title=listing.title, files=tuple((entry.path, entry.size) for entry in listing.files)
        )
        if listing
        else None,
        settings=settings,
        state=state,
    )


def reason_of(opinion: Opinion) -> Reason:
    """A plugin's verdict as a reason of the decision."""
    code = Code.PLUGIN_SKIPS if opinion.verdict is Verdict.SKIP else Code.PLUGIN_ASKS
    return Reason(code=code, data={"plugin": opinion.plugin, "reason": opinion.reason})


def results(opinions: Iterable[Opinion]) -> dict[str, Any]:
    """What each plugin said at all its points, short, for the trace and the views."""
    found: dict[str, dict[str, Any]] = {}
    for opinion in opinions:
        said = {
            "verdict": opinion.verdict.value if opinion.verdict else None,
            "reason": opinion.reason,
            "error": opinion.error,
        }
        found.setdefault(opinion.plugin, {}).update({name: value for name, value in said.items() if value})
    return dict(found)


def failures(opinions: Iterable[Opinion]) -> list[str]:
    """The plugins that failed, with how."""
    return [f"{opinion.plugin}: {opinion.error}" for opinion in opinions if opinion.error]


def keep_states(tx: Tx, *, task: int, opinions: Iterable[Opinion]) -> None:
    """Keep the plugins' own values for this task."""
    for opinion in opinions:
        if opinion.state is not None:
            plugin_state.put(tx, opinion.plugin, task, opinion.state)
