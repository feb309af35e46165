"""Reading for people: lists, one task with everything about it, and the preview that stores nothing."""

from collections.abc import Awaitable, Callable, Collection
from typing import Any

from .model.errors import CommandError
from .model.message import Message
from .model.share import ManifestFile
from .model.states import State
from .model.task import Task, TraceLine
from .pipeline.identify import preview
from .pipeline.stage import Stage
from .pipeline.views import iso, runs_text, task_view
from .policy.schema import Policy
from .ports import Clock, Settings
from .sources import inbox
from .store import batches, messages, tasks, trace
from .store.database import Database, Tx
from .understand import links
from .understand.prefilter import prefilter

MAX_PAGE = 200
EXCERPT = 2_000

_ATTENTION = (State.NEED_MANUAL, State.FAILED)


class Queries:
    """What a person can ask."""

    def __init__(
        self,
        *,
        db: Database,
        clock: Clock,
        settings: Settings,
        stage_of: Callable[[Policy], Awaitable[Stage]],
        count: Callable[[Collection[State], str | None, bool], int],
    ) -> None:
        self._db = db
        self._count = count
        self._clock = clock
        self._settings = settings
        self._stage_of = stage_of

    async def list_tasks(
        self,
        *,
        states: tuple[str, ...] = (),
        source: str | None = None,
        text: str | None = None,
        attention: bool = False,
        limit: int = 50,
        before: int | None = None,
    ) -> dict[str, Any]:
        """Tasks newest first; `next` is the `before` of the next page, None at the end."""
        wanted = tuple(State(state) for state in states)
        if attention:
            wanted = tuple(state for state in _ATTENTION if not wanted or state in wanted)
            if not wanted:
                return {"tasks": [], "next": None, "total": 0}
        limit = max(1, min(limit, MAX_PAGE))

        def read(tx: Tx) -> tuple[list[Task], int | None]:
            page = tasks.page(
                tx,
                states=wanted,
                source=source,
                text=text,
                before_id=before,
                limit=limit + 1,
                at_rest=attention,
            )
            if not text:
                return page, None
            return page, tasks.count_with_text(tx, text, states=wanted, source=source, at_rest=attention)

        page, total = await self._db.read(read)
        return {
            "tasks": [task_view(task) for task in page[:limit]],
            "next": page[limit - 1].id if len(page) > limit else None,
            "total": self._count(wanted, source, attention) if total is None else total,
        }

    async def get_task(self, task: int) -> dict[str, Any]:
        """Everything about one task: message, decision, files, trace and what can be done now."""

        def read(tx: Tx) -> tuple[Task, Message, list[ManifestFile], list[TraceLine]] | None:
            found = tasks.get(tx, task)
            if found is None:
                return None
            row = messages.get(tx, found.message)
            return found, row.message, batches.files_of_task(tx, task), trace.of_task(tx, task)

        found = await self._db.read(read)
        if found is None:
            raise CommandError("unknown_task", task_id=task)
        now, message, files, lines = found
        view = task_view(now)
        context = now.context
        return {
            "task": view,
            "message": {
                "source": message.source,
                "message_id": message.message_id,
                "text": links.redact(message)[:EXCERPT],
                "posted": iso(message.posted),
            },
            "decision": context.decision.model_dump(mode="json") if context.decision else None,
            "signals": context.signals.model_dump(mode="json") if context.signals else None,
            "share": view["share"],
            "parsed": context.parsed.model_dump(mode="json", exclude_defaults=True)
            if context.parsed
            else None,
            "problems": [problem.model_dump(mode="json") for problem in context.problems],
            "plugins": dict(context.plugins),
            "files": [_file_view(file, now) for file in files],
            "trace": [_line_view(line) for line in lines],
            "actions": view["actions"],
        }

    async def preview(self, *, text: str) -> dict[str, Any]:
        """What would become of a text, step by step, through the same code; nothing is stored."""
        message = inbox.message(text, self._clock)
        rules = self._settings.source(message.source)
        stage = await self._stage_of(rules.policy)
        offers = links.offers(message)
        refusal = prefilter(message, offers, rules.policy)
        return {
            "refused": refusal.model_dump(mode="json") if refusal else None,
            "offers": [] if refusal else [await preview(message, offer, stage) for offer in offers],
        }


def _file_view(file: ManifestFile, task: Task) -> dict[str, Any]:
    problem = None
    if task.sent and file.received_id is None and task.state in (State.NEED_MANUAL, State.SAVING):
        problem = "still_missing"
    elif file.placed == "asked":
        problem = "name_conflict"
    return {
        "path": file.path,
        "size": file.size,
        "role": file.role.value,
        "season": file.season if file.season >= 0 else None,
        "episodes": runs_text(((file.episode, file.episode_last),)) if file.episode >= 0 else "",
        "part": file.part,
        "folder": file.folder,
        "name": file.name,
        "placed": file.placed,
        "received": file.received_id is not None,
        "problem": problem,
    }


def _line_view(line: TraceLine) -> dict[str, Any]:
    return {
        "id": line.id,
        "at": iso(line.at),
        "from_state": line.from_state.value if line.from_state else None,
        "to_state": line.to_state.value,
        "actor": line.actor,
        "code": line.code,
        "detail": line.detail,
    }
