"""What a plugin sees: protocols, frozen views and the registry. Context, store and transactions stay inside.

A plugin offers objects for extension points. The order of `priority` (lower first) is the order of calls; each
call has a time limit; one that raises or overruns is left out of that decision and named in the trace.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

API_VERSION = 1


class ExtensionPoint(StrEnum):
    """Where the skeleton calls out, in the order of a message's way."""

    SOURCE = "source"
    BEFORE_PARSE = "before_parse"
    PARSER = "parser"
    AFTER_PARSE = "after_parse"
    DECIDER = "decider"
    BEFORE_SAVE = "before_save"
    STORAGE = "storage"
    AFTER_SAVE = "after_save"
    NOTIFIER = "notifier"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageView:
    """A message as plugins see it: its text is without links and access codes."""

    source: str
    message_id: str
    text: str
    posted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferView:
    """What a message offers, without codes or links."""

    key: str
    is_media: bool | None = None
    kind: str | None = None
    title: str | None = None
    year: int | None = None
    seasons: tuple[int, ...] = ()
    episodes: tuple[int, ...] = ()
    resolution: str | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingView:
    """A share's files as (path, size in bytes)."""

    title: str
    files: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """A task at an extension point; parts not known yet are None. `settings` come from the policy snapshot.

    `state` is the plugin's own JSON value for this task (at most 64 KB), None at first.
    """

    id: int
    state_name: str
    message: MessageView
    offer: OfferView
    listing: ListingView | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    state: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a plugin returns: an opinion, changed fields, a new value of its state. All optional.

    `verdict` is `skip`, `ask` or `save` (after_parse and decider; before_parse and before_save can only `skip`).
    `reason` is a short word for the trace. `fields` may correct `title`, `original_title`, `year`, `kind`, `seasons`,
    `tmdb_id` (parser, after_parse). No answer can widen what the policy allows.
    """

    verdict: str | None = None
    reason: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    state: Any = None


class Hook(Protocol):
    """An object for one of the points from before_parse to after_save."""

    async def __call__(self, task: TaskView, /) -> Answer | None:
        """Look at a task and answer, or None for no opinion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """One thing a plugin offers, for one point.

    `provider` is a `Hook`; for storage and source a factory that is called with the surroundings (folder, clock,
    health); for a notifier an object with `send(target, notice, facts)`. `timeout` in seconds.
    """

    point: ExtensionPoint
    name: str
    provider: Callable[..., Any] | Any
    priority: int = 100
    timeout: float = 10.0
    settings_schema: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A plugin: its name, the API version it was written for, and what it contributes."""

    name: str
    contributions: tuple[Contribution, ...]
    api_version: int = API_VERSION


PluginFactory = Callable[[], Awaitable[Plugin] | Plugin]
