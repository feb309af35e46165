"""Notices as they get to people, apart from questions and answers on phones."""

from collections.abc import Iterator

import pytest
from homeassistant.components import persistent_notification
from homeassistant.components.persistent_notification import UpdateType
from homeassistant.core import HomeAssistant, callback

from custom_components.reelay.core.model.notice import ASKING, Notice, NoticeKind
from custom_components.reelay.core.ports import NotifierBusy
from custom_components.reelay.notifiers.answers import replaced
from custom_components.reelay.notifiers.mobile_app import MobileAppNotifier, _render
from custom_components.reelay.texts import async_texts

from .asking import drive_alone, post
from .support import set_up, until
from .test_texts import FACTS


@pytest.fixture(autouse=True)
def quick_demo() -> Iterator[None]:
    with drive_alone():
        yield


@pytest.mark.parametrize("kind", sorted(set(NoticeKind) - {NoticeKind.CLEAR}))
async def test_every_kind_of_notice_can_be_shown_on_a_phone(hass: HomeAssistant, kind: NoticeKind) -> None:
    data = {"code": "late_files", "detail": {"names": ["a.mkv"]}, "category": "drive", "state": "bad"}
    tag, payload = _render(
        await async_texts(hass), Notice(kind=kind, task=7, round=2, at=0, data=data), FACTS
    )
    assert payload["data"]["tag"] == tag
    assert len(payload["data"].get("actions", ())) <= 3
    assert (tag == "reelay-7") == (kind in ASKING)
    assert payload["title"]
    assert payload["message"]


def test_a_question_is_not_cleared_where_a_newer_one_takes_its_place() -> None:
    assert replaced(FACTS, 1)
    assert not replaced(FACTS, 2)
    assert not replaced(FACTS | {"state": "done"}, 1)
    assert replaced(FACTS | {"state": "need_manual", "attention": True}, 1)
    assert not replaced({}, 1)


async def test_a_phone_that_is_not_registered_yet_costs_no_attempt(hass: HomeAssistant) -> None:
    await set_up(hass)
    notice = Notice(kind=NoticeKind.CLEAR, task=1, round=1, at=0, data={})
    with pytest.raises(NotifierBusy) as busy:
        await MobileAppNotifier(hass).send("mobile_app:unknown", notice, {})
    assert busy.value.counts is False


async def test_without_a_phone_home_assistant_itself_asks_and_is_cleared(hass: HomeAssistant) -> None:
    shown: dict[str, persistent_notification.Notification] = {}

    @callback
    def changed(kind: UpdateType, notifications: dict[str, persistent_notification.Notification]) -> None:
        for name, notification in notifications.items():
            shown.pop(name, None) if kind is UpdateType.REMOVED else shown.update({name: notification})

    persistent_notification.async_register_callback(hass, changed)
    entry = await set_up(hass, "demo", {"approval": "always"})
    task = await post(entry)
    await until(lambda: f"reelay-{task}" in shown)
    assert f"task {task}" in shown[f"reelay-{task}"]["message"]
    assert "`reelay.approve`" in shown[f"reelay-{task}"]["message"]
    await hass.services.async_call("reelay", "approve", {"task_id": task}, blocking=True)
    await until(lambda: f"reelay-{task}" not in shown and "reelay-results" in shown)
    assert "大都会" in shown["reelay-results"]["message"]
