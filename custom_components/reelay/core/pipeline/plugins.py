"""The extension points: who is plugged in, in which order, and the isolation of one that fails."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, cast

from ..model.decision import Verdict
from ..plugin_api import API_VERSION, Answer, Contribution, ExtensionPoint, Hook, Plugin, TaskView
from ..policy.schema import Policy
from ..store import codec, plugin_state

_LOGGER = logging.getLogger(__name__)

#: What a plugin may say; `reject` is for adverts and not for it.
_VERDICTS = {verdict.value: verdict for verdict in (Verdict.SKIP, Verdict.ASK, Verdict.SAVE)}
_WORDS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What one plugin said at one point; `error` names the fault of one that raised or took too long."""

    plugin: str
    verdict: Verdict | None = None
    reason: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    state: Any = None
    error: str | None = None


class Plugins:
    """The registry. `changed` is called when a plugin comes or goes, so that held tasks are looked at again."""

    def __init__(self, plugins: Iterable[Plugin] = ()) -> None:
        self._plugins: dict[str, Plugin] = {}
        self.changed: Callable[[], None] = lambda: None
        for plugin in plugins:
            self.add(plugin)

    def add(self, plugin: Plugin) -> None:
        """Plug in. Raises ValueError for a plugin of another API version or a name that is taken."""
        if plugin.api_version != API_VERSION:
            raise ValueError(f"plugin {plugin.name} speaks API {plugin.api_version}, this is {API_VERSION}")
        if plugin.name in self._plugins:
            raise ValueError(f"a plugin named {plugin.name} is already there")
        self._plugins[plugin.name] = plugin
        self.changed()

    def remove(self, name: str) -> None:
        """Unplug; unknown names are fine."""
        if self._plugins.pop(name, None) is not None:
            self.changed()

    def names(self) -> tuple[str, ...]:
        """The names of all plugins."""
        return tuple(self._plugins)

    def at(self, point: ExtensionPoint) -> list[tuple[Plugin, Contribution]]:
        """All contributions to a point, lowest priority first."""
        found = [
            (plugin, contribution)
            for plugin in self._plugins.values()
            for contribution in plugin.contributions
            if contribution.point is point
        ]
        return sorted(found, key=lambda pair: (pair[1].priority, pair[0].name, pair[1].name))

    def named(self, point: ExtensionPoint, name: str) -> Contribution | None:
        """The contribution of that name, None where it isn't loaded."""
        return next((each for _, each in self.at(point) if each.name == name), None)

    def missing(self, policy: Policy) -> str | None:
        """The first plugin that the policy wants and that isn't loaded."""
        for name, switch in sorted(policy.plugins.items()):
            if switch.enabled and name not in self._plugins:
                return name
        return None

    async def ask(
        self,
        point: ExtensionPoint,
        policy: Policy,
        view: Callable[[str, dict[str, Any]], Awaitable[TaskView]],
    ) -> list[Opinion]:
        """Call every plugin at a point in order; `view(plugin, settings)` builds what it may see.

        A plugin without a switch in the policy takes part with empty settings.
        """
        opinions = []
        for plugin, contribution in self.at(point):
            switch = policy.plugins.get(plugin.name)
            if switch is not None and not switch.enabled:
                continue
            settings = deepcopy(switch.settings) if switch else {}
            opinions.append(await self._ask(plugin, contribution, view, settings))
        return opinions

    async def _ask(
        self,
        plugin: Plugin,
        contribution: Contribution,
        view: Callable[[str, dict[str, Any]], Awaitable[TaskView]],
        settings: dict[str, Any],
    ) -> Opinion:
        try:
            async with asyncio.timeout(contribution.timeout):
                if contribution.settings_schema is not None:
                    settings = dict(contribution.settings_schema(settings))
                hook = cast("Hook", contribution.provider)
                answer = await hook(await view(plugin.name, settings))
            return _opinion(plugin.name, answer)
        except (Exception, asyncio.CancelledError) as err:
            # A stranger's code must not bring the pipeline down: it is left out and named in the trace.
            if cancelled(err):
                raise
            _LOGGER.warning("Plugin %s failed at %s: %s", plugin.name, contribution.point, type(err).__name__)
            return Opinion(plugin=plugin.name, error=type(err).__name__)


def cancelled(err: BaseException) -> bool:
    """Whether we are told to stop; a stranger's code may raise the same because something of its own was stopped."""
    task = asyncio.current_task()
    return isinstance(err, asyncio.CancelledError) and (task is None or task.cancelling() > 0)


def _opinion(plugin: str, answer: Answer | None) -> Opinion:
    if answer is None:
        return Opinion(plugin=plugin)
    if len(codec.dump(answer.state).encode()) > plugin_state.LIMIT:
        raise ValueError("its state is too large")
    return Opinion(
        plugin=plugin,
        verdict=_VERDICTS[answer.verdict] if answer.verdict else None,
        reason=str(answer.reason)[:_WORDS],
        fields=dict(answer.fields),
        state=answer.state,
    )
