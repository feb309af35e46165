"""The plugins as they are asked about one offer, point after point; what they say is collected."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..model.context import PipelineContext
from ..model.message import Message
from ..model.offer import Parsed
from ..model.share import Listing
from ..model.task import Task
from ..plugin_api import ExtensionPoint, TaskView
from ..store import codec, plugin_state
from .opinions import task_view
from .plugins import Opinion
from .stage import Stage

#: Fields of `Parsed` that a plugin may correct.
_CORRECTABLE = frozenset({"title", "original_title", "year", "kind", "seasons", "tmdb_id"})
#: Bytes of all fields of one plugin together: they become part of the context.
_MOST = 1_000


class Panel:
    """Asks for one task, or for a preview without one. `opinions` are all that were given, in order."""

    def __init__(self, stage: Stage, message: Message, task: Task | None) -> None:
        self._stage = stage
        self._message = message
        self._task = task
        self.opinions: list[Opinion] = []

    async def ask(
        self, point: ExtensionPoint, context: PipelineContext, listing: Listing | None = None
    ) -> list[Opinion]:
        """Everybody at one point. A plugin sees the state that it gave at an earlier point."""
        if not self._stage.plugins.at(point):
            return []

        async def view(plugin: str, settings: dict[str, Any]) -> TaskView:
            return task_view(self._message, context, self._task, listing, settings, await self._state(plugin))

        given = await self._stage.plugins.ask(point, self._stage.policy, view)
        self.opinions += given
        return given

    def fields(self, given: Iterable[Opinion]) -> dict[str, Any]:
        """What the opinions correct; later ones win, unusable values count as a fault of their plugin."""
        fields: dict[str, Any] = {}
        for opinion in given:
            usable = {name: value for name, value in opinion.fields.items() if name in _CORRECTABLE}
            try:
                Parsed.model_validate({"is_media": True} | usable)
                if len(codec.dump(usable)) > _MOST:
                    raise ValueError("too much")
            except ValueError:
                self.opinions[self.opinions.index(opinion)] = replace(opinion, error="unusable fields")
                continue
            fields |= usable
        return fields

    async def _state(self, plugin: str) -> Any:
        for opinion in reversed(self.opinions):
            if opinion.plugin == plugin and opinion.state is not None:
                return opinion.state
        if self._task is None:
            return None
        task = self._task.id
        return await self._stage.db.read(lambda tx: plugin_state.get(tx, plugin, task))
