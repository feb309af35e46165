"""Notices on phones with the companion app: questions with buttons, results, alerts, and taking them off again.

A task's open question has one tag, so that a newer one takes its place on the phone. What isn't a question has
tags of its own, because a question that is cleared must not take a result along.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from homeassistant.core import HomeAssistant

from ..core.model.notice import Notice, NoticeKind
from ..core.ports import NotifierBusy
from ..texts import Texts, Told, async_texts
from .answers import Answer, replaced
from .phones import NotRegistered, async_clear, async_send, device_of

#: Seconds until a phone that `mobile_app` doesn't know yet is tried again.
_REGISTERS_SOON: Final = 15.0
#: Android shows no more.
_MOST_BUTTONS: Final = 3

_ASKED: Final = ("approve", "ignore", "correct")
_HELPFUL: Final = ("verify", "retry")


class MobileAppNotifier:
    """The notifier of targets `mobile_app:<device id>`."""

    def __init__(self, hass: HomeAssistant) -> None:
        self._hass = hass

    async def send(self, target: str, notice: Notice, facts: Mapping[str, Any]) -> str | None:
        """Deliver; the receipt is the notification's tag."""
        device = device_of(target)
        try:
            if notice.kind is NoticeKind.CLEAR:
                if not replaced(facts, notice.round):
                    tag = notice.data.get("receipt") or question_tag(notice.task)
                    await async_clear(self._hass, device, tag)
                return None
            tag, payload = _render(await async_texts(self._hass), notice, facts)
            await async_send(self._hass, device, **payload)
        except NotRegistered as err:
            raise NotifierBusy(_REGISTERS_SOON, counts=False) from err
        return tag


def question_tag(task: int) -> str:
    """The tag of a task's open question."""
    return f"reelay-{task}"


def question(
    texts: Texts, facts: Mapping[str, Any], data: Mapping[str, Any], *, lead: str = ""
) -> dict[str, Any]:
    """An approval as it is asked now; `lead` is said before."""
    told = texts.approval(facts, data)
    return _payload(told, question_tag(facts["id"]), lead=lead, buttons=_buttons(texts, facts, _ASKED))


def attention(
    texts: Texts, facts: Mapping[str, Any], data: Mapping[str, Any], *, lead: str = ""
) -> dict[str, Any]:
    """What needs a person, with buttons for what can't do harm."""
    told = texts.attention(facts, data)
    return _payload(told, question_tag(facts["id"]), lead=lead, buttons=_buttons(texts, facts, _HELPFUL))


def _render(texts: Texts, notice: Notice, facts: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    match notice.kind:
        case NoticeKind.APPROVAL:
            payload = question(texts, facts, notice.data)
        case NoticeKind.ATTENTION:
            payload = attention(texts, facts, notice.data)
        case NoticeKind.LATE_FILES:
            payload = _payload(texts.late_files(facts, notice.data), f"reelay-{notice.task}-late")
        case NoticeKind.ALERT:
            payload = _payload(texts.alert(notice.data), f"reelay-alert-{notice.data.get('category')}")
        case _:
            payload = _payload(
                texts.result(facts, notice.data), f"reelay-{notice.task}-result", level="passive"
            )
    return payload["data"]["tag"], payload


def _payload(
    told: Told, tag: str, *, lead: str = "", buttons: Iterable[dict[str, Any]] = (), level: str = "active"
) -> dict[str, Any]:
    """Keys for Android and iOS together: each app leaves out what it doesn't know."""
    data: dict[str, Any] = {
        "tag": tag,
        "group": "reelay",
        "channel": "Reelay",
        "push": {"interruption-level": level},
    }
    if actions := list(buttons):
        data["actions"] = actions
    return {
        "title": told.title,
        "message": f"{lead}\n{told.message}" if lead else told.message,
        "data": data,
    }


def _buttons(texts: Texts, facts: Mapping[str, Any], verbs: tuple[str, ...]) -> list[dict[str, Any]]:
    possible = [verb for verb in verbs if verb in facts["actions"]]
    return [_button(texts, Answer(verb, facts["id"], facts["round"])) for verb in possible[:_MOST_BUTTONS]]


def _button(texts: Texts, answer: Answer) -> dict[str, Any]:
    button: dict[str, Any] = {"action": answer.action, "title": texts.say(f"button_{answer.verb}")}
    if answer.verb == "ignore":
        button["destructive"] = True
    if answer.verb == "correct":
        button |= {
            "behavior": "textInput",
            "textInputButtonTitle": texts.say("button_correct_send"),
            "textInputPlaceholder": texts.say("button_correct_example"),
        }
    return button
