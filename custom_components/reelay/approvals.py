"""Answers that come back from phones: a press of a button becomes a verb, or the person hears why not.

Home Assistant fires the same event for every app's press, in the context of the user who registered the phone.
The listener lives from the start of Home Assistant on, because a press must not go unheard while the entry is not
loaded. Whoever fires it can say anything: the string is read strictly, the account is checked, the core decides.
"""

import logging
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util.hass_dict import HassKey

from .const import DOMAIN
from .notifiers.answers import PREFIX, Answer, asks
from .notifiers.phones import NotRegistered, async_send, device_of, owners
from .texts import async_texts
from .verbs import VERBS, async_call, may_change

_LOGGER = logging.getLogger(__name__)

EVENT_ACTION: Final = "mobile_app_notification_action"

#: Seconds after which Android takes a reply off by itself.
_REPLY_FOR: Final = 60
#: So many presses that met no running entry are remembered.
_MOST_UNHEARD: Final = 100
#: Entry id → the (task, user) pairs whose presses met it not running; they are asked anew when it runs.
_UNHEARD: HassKey[dict[str, set[tuple[int, str]]]] = HassKey(f"{DOMAIN}_unheard")
#: What a person is told when the core refuses; anything else is "failed".
_REFUSALS: Final = frozenset({"already_handled", "old_round", "bad_correction", "unknown_task"})


@callback
def async_setup_approvals(hass: HomeAssistant) -> None:
    """Listen to the presses of all phones, from now until Home Assistant stops."""
    hass.data[_UNHEARD] = {}
    hass.bus.async_listen(EVENT_ACTION, partial(_async_pressed, hass), event_filter=_ours)


@callback
def _ours(data: Mapping[str, Any]) -> bool:
    return str(data.get("action", "")).startswith(PREFIX)


async def _async_pressed(hass: HomeAssistant, event: Event[dict[str, Any]]) -> None:
    answer = Answer.parse(event.data.get("action"))
    user_id = event.context.user_id
    user = await hass.auth.async_get_user(user_id) if user_id else None
    if answer is None or user is None:
        _LOGGER.info("An answer that no phone of a user can have sent was left alone")
        return
    entry = _running(hass)
    if entry is None:
        await _async_not_running(hass, answer, user)
    elif refused := _refusal(hass, entry, user):
        _LOGGER.warning("User %s may not answer for task %s: %s", user.id, answer.task, refused)
        await _async_reply(hass, user.id, answer.task, refused)
    else:
        await _async_answer(hass, entry, answer, user, event.data.get("reply_text"))


@callback
def _running(hass: HomeAssistant) -> ConfigEntry[Any] | None:
    return next(iter(hass.config_entries.async_loaded_entries(DOMAIN)), None)


@callback
def _refusal(hass: HomeAssistant, entry: ConfigEntry[Any], user: User) -> str | None:
    """Why this user may not answer: an account that controls nothing, or none of the chosen phones is theirs."""
    if not may_change(user):
        return "answer_read_only"
    if user.is_admin or _chosen_phones(hass, entry, user.id):
        return None
    return "answer_not_chosen"


@callback
def _chosen_phones(hass: HomeAssistant, entry: ConfigEntry[Any], user_id: str) -> tuple[str, ...]:
    owner = owners(hass)
    devices = map(device_of, entry.runtime_data.settings.targets())
    return tuple(device for device in devices if owner.get(device) == user_id)


async def _async_answer(
    hass: HomeAssistant, entry: ConfigEntry[Any], answer: Answer, user: User, reply: Any
) -> None:
    """Have the verb done and tell what came of it. The round protects against answers to older questions."""
    from .core.model.errors import CommandError, StoreError

    try:
        facts = await _async_do(entry, answer, user, reply)
    except CommandError as err:
        outcome = err.key if err.key in _REFUSALS else "failed"
        outcome = "already_handled" if err.key == "not_allowed" else outcome
        facts = await _async_facts(entry, answer.task)
    except StoreError as err:
        _LOGGER.warning("An answer for task %s could not be stored: %s", answer.task, err.key)
        outcome, facts = "failed", {}
    else:
        outcome = answer.verb
    if outcome in ("old_round", "bad_correction") and asks(facts):
        await _async_ask(hass, entry, user.id, facts, lead=f"answer_{outcome}")
    else:
        await _async_reply(hass, user.id, answer.task, f"answer_{outcome}", facts)


async def _async_do(entry: ConfigEntry[Any], answer: Answer, user: User, reply: Any) -> dict[str, Any]:
    from .core.model.errors import CommandError

    verb = VERBS[answer.verb]
    arguments: dict[str, Any] = {"task_id": answer.task}
    if "round" in verb.schema:
        arguments["round"] = answer.round
    else:
        facts = await _async_facts(entry, answer.task)
        if not facts:
            raise CommandError("unknown_task", task_id=answer.task)
        if facts["round"] != answer.round:
            raise CommandError("old_round", task_id=answer.task, round=answer.round, current=facts["round"])
    if answer.verb == "correct":
        arguments["text"] = reply if isinstance(reply, str) else ""
    return await async_call(entry, verb, arguments, f"user:{user.id}", person=True)


async def _async_facts(entry: ConfigEntry[Any], task: int) -> dict[str, Any]:
    """The task as it is now, with the last line of its history; empty where it can't be had."""
    from .core.model.errors import CommandError, StoreError

    try:
        found = await async_call(entry, VERBS["get_task"], {"task_id": task}, "", person=True)
    except CommandError, StoreError:
        return {}
    last: dict[str, Any] = max(found["trace"], key=lambda line: line["id"], default={})
    return {**found["task"], "code": last.get("code"), "detail": last.get("detail")}


async def _async_not_running(hass: HomeAssistant, answer: Answer, user: User) -> None:
    """Say so, and keep in mind whose question went off the screen."""
    unheard = hass.data[_UNHEARD]
    for entry in hass.config_entries.async_entries(DOMAIN):
        if entry.entry_id not in unheard:
            unheard[entry.entry_id] = set()
            _ask_once_loaded(hass, entry)
        if len(unheard[entry.entry_id]) < _MOST_UNHEARD:
            unheard[entry.entry_id].add((answer.task, user.id))
    await _async_reply(hass, user.id, answer.task, "answer_not_running")


@callback
def _ask_once_loaded(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
    @callback
    def changed() -> None:
        if entry.state is ConfigEntryState.LOADED:
            # The list being gone through must not change: the listener goes a moment later.
            hass.loop.call_soon(unsubscribe)
            pairs = hass.data[_UNHEARD].pop(entry.entry_id, set())
            entry.async_create_task(hass, _async_ask_unheard(hass, entry, pairs), f"{DOMAIN} ask anew")

    unsubscribe = entry.async_on_state_change(changed)


async def _async_ask_unheard(
    hass: HomeAssistant, entry: ConfigEntry[Any], pairs: set[tuple[int, str]]
) -> None:
    for task, user_id in sorted(pairs):
        facts = await _async_facts(entry, task)
        if asks(facts) and _chosen_phones(hass, entry, user_id):
            await _async_ask(hass, entry, user_id, facts, lead="answer_running_again")


async def _async_ask(
    hass: HomeAssistant, entry: ConfigEntry[Any], user_id: str, facts: Mapping[str, Any], *, lead: str
) -> None:
    """Show a user the current question again, saying why."""
    from .notifiers.mobile_app import attention, question

    texts = await async_texts(hass)
    ask = question if facts["state"] == "pending_approval" else attention
    payload = ask(texts, facts, facts, lead=texts.say(lead))
    phones = _chosen_phones(hass, entry, user_id)
    await _async_send(hass, phones or _phones_of(hass, user_id), payload)


async def _async_reply(
    hass: HomeAssistant, user_id: str, task: int, key: str, facts: Mapping[str, Any] | None = None
) -> None:
    """A short notification to the phones of whoever pressed: the event doesn't say which of them it was."""
    texts = await async_texts(hass)
    name = texts.name(facts or {"id": task})
    state = texts.state(facts["state"]) if facts else "?"
    payload = {
        "title": texts.say("answer_title"),
        "message": texts.say(key, name=name, state=state, task=task),
        "data": {
            # Not the question's tag: that one is about to be cleared.
            "tag": f"reelay-{task}-answer",
            "group": "reelay",
            "channel": "Reelay",
            "timeout": _REPLY_FOR,
        },
    }
    await _async_send(hass, _phones_of(hass, user_id), payload)


@callback
def _phones_of(hass: HomeAssistant, user_id: str) -> tuple[str, ...]:
    return tuple(device for device, owner in owners(hass).items() if owner == user_id)


async def _async_send(hass: HomeAssistant, phones: tuple[str, ...], payload: dict[str, Any]) -> None:
    for phone in phones:
        try:
            await async_send(hass, phone, **payload)
        except (NotRegistered, HomeAssistantError) as err:
            _LOGGER.debug("A reply did not get to a phone: %s", type(err).__name__)
