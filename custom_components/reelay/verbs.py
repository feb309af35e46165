"""The table of what a person can have Reelay do: one row per verb, used by every door.

Actions, notification answers and whatever comes later read schema, rights and the call into the core from here;
none has rules of its own. The core is reached through the loaded entry at the moment of the call, because this
module is imported before the core's requirements exist.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

import voluptuous as vol
from homeassistant.auth.models import User
from homeassistant.auth.permissions.const import POLICY_CONTROL
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, SupportsResponse
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv

from .const import DOMAIN

#: The states a task can be in and the answers to a name conflict; tests hold them equal to the core's.
STATES: Final = (
    "received",
    "parsed",
    "pending_approval",
    "queued",
    "saving",
    "stored",
    "organizing",
    "done",
    "need_manual",
    "failed",
    "skipped",
    "rejected",
)
CONFLICTS: Final = ("keep_both", "skip", "replace_if_better")
KINDS: Final = ("film", "series")

#: SQLite's largest integer: a larger id is no task's.
_ROW: Final = vol.All(vol.Coerce(int), vol.Range(min=1, max=2**63 - 1))
_NUMBER: Final = vol.All(vol.Coerce(int), vol.Range(min=0, max=100_000))
_TASK: Final = {vol.Required("task_id"): _ROW}
_ROUND: Final = {vol.Optional("round"): _NUMBER}

_ASSIGNMENT: Final = vol.Schema(
    {
        vol.Required("path"): vol.All(cv.string, vol.Length(min=1, max=4096)),
        vol.Optional("season"): _NUMBER,
        vol.Optional("episode"): _NUMBER,
        vol.Optional("episode_last"): _NUMBER,
        vol.Optional("leave_out"): cv.boolean,
    }
)


class Right(Enum):
    """Who may use a verb: everybody who can log in, or those who may control what Home Assistant controls."""

    READ = "read"
    CHANGE = "change"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One thing a person can have done. `core` names the method of `room` (of the core's App) that does it.

    `read_only` and `destructive` are what language models and tools are told; `destructive` marks verbs that
    can end a task's way or throw something away.
    """

    name: str
    schema: Mapping[Any, Any] = field(default_factory=dict)
    room: str = "commands"
    right: Right = Right.CHANGE
    read_only: bool = False
    destructive: bool = False
    response: SupportsResponse = SupportsResponse.OPTIONAL

    @property
    def core(self) -> str:
        """The method's name: a verb is called the same inside."""
        return self.name


def _query(name: str, schema: Mapping[Any, Any]) -> Verb:
    return Verb(
        name=name,
        schema=schema,
        room="queries",
        right=Right.READ,
        read_only=True,
        response=SupportsResponse.ONLY,
    )


def _says_something(data: dict[str, Any]) -> dict[str, Any]:
    if not data.keys() & {"text", "title", "year", "kind", "season", "tmdb_id"}:
        raise vol.Invalid("a correction needs a text, title, year, kind, season or tmdb_id")
    return data


VERBS: Final[Mapping[str, Verb]] = {
    verb.name: verb
    for verb in (
        Verb(name="approve", schema=_TASK | _ROUND),
        Verb(name="ignore", schema=_TASK | _ROUND, destructive=True),
        Verb(
            name="correct",
            schema=_TASK
            | _ROUND
            | {
                vol.Optional("text"): vol.All(cv.string, vol.Length(max=1000)),
                vol.Optional("title"): vol.All(cv.string, vol.Length(min=1, max=300)),
                vol.Optional("year"): _NUMBER,
                vol.Optional("kind"): vol.In(KINDS),
                vol.Optional("season"): _NUMBER,
                vol.Optional("tmdb_id"): _ROW,
            },
        ),
        Verb(name="verify", schema=_TASK | {vol.Optional("accept_partial", default=False): cv.boolean}),
        Verb(name="retry", schema=_TASK),
        Verb(
            name="reorganize",
            schema=_TASK | {vol.Optional("conflict"): vol.In(CONFLICTS)},
            destructive=True,
        ),
        Verb(name="reidentify", schema=_TASK),
        Verb(
            name="assign_files",
            schema=_TASK
            | {vol.Required("files"): vol.All(cv.ensure_list, vol.Length(min=1, max=5000), [_ASSIGNMENT])},
        ),
        Verb(
            name="receive_code",
            schema=_TASK | {vol.Required("code"): vol.All(cv.string, vol.Length(max=100))},
        ),
        Verb(name="abandon", schema=_TASK, destructive=True),
        Verb(name="ingest", schema={vol.Required("text"): cv.string}),
        Verb(name="ingest_again", schema=_TASK),
        _query("preview", {vol.Required("text"): cv.string}),
        _query("get_task", _TASK),
        _query(
            "list_tasks",
            {
                vol.Optional("states"): vol.All(cv.ensure_list, [vol.In(STATES)]),
                vol.Optional("source"): vol.All(cv.string, vol.Length(max=200)),
                vol.Optional("text"): vol.All(cv.string, vol.Length(max=200)),
                vol.Optional("attention"): cv.boolean,
                vol.Optional("limit"): vol.All(vol.Coerce(int), vol.Range(min=1, max=200)),
                vol.Optional("before"): _ROW,
            },
        ),
    )
}

#: What is checked over a verb's fields together.
RULES: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {"correct": _says_something}


def may_change(user: User) -> bool:
    """Tell whether Home Assistant lets this account control things; the read-only group can't.

    An account of the group "users" may flip Reelay's switches already, so refusing it the actions would protect
    nothing. Who answers *notifications* is chosen more narrowly, see approvals.
    """
    return user.is_active and (user.is_admin or user.permissions.access_all_entities(POLICY_CONTROL))


async def async_check_right(hass: HomeAssistant, verb: Verb, user_id: str | None) -> None:
    """Refuse with the reason. No user in the context means an automation, which its author is responsible for."""
    if verb.right is Right.READ or user_id is None:
        return
    user = await hass.auth.async_get_user(user_id)
    if user is None or not may_change(user):
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="may_not_change",
            translation_placeholders={"action": verb.name},
        )


async def async_call(
    entry: ConfigEntry[Any], verb: Verb, arguments: Mapping[str, Any], actor_id: str, *, person: bool
) -> dict[str, Any]:
    """Have the core do it; the core's own errors (`CommandError`, `StoreError`) come out as they are.

    A person's turn is marked, so that it passes what runs in the background. An automation's is not, even when
    a person's turn started the automation.
    """
    from .core.model.task import Actor
    from .core.priority import background, interactive

    method: Callable[..., Awaitable[dict[str, Any]]]
    method = getattr(getattr(entry.runtime_data.app, verb.room), verb.core)
    named = dict(arguments)
    if "task_id" in named:
        named["task"] = named.pop("task_id")
    with interactive() if person else background():
        if verb.read_only:
            return await method(**named)
        return await method(Actor(id=actor_id, interactive=person), **named)
