"""A question on a phone and its answer, through Home Assistant's own mobile_app: websocket out, webhook in."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest
from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator, WebSocketGenerator

from custom_components.reelay.notifiers.answers import Answer

from .asking import SAMPLE, asking, drive_alone, ends, post, state
from .phones import Phone, action, register_phone, round_of, user_of_group

NewPhone = Callable[..., Awaitable[Phone]]


@pytest.fixture(autouse=True)
def quick_demo() -> Iterator[None]:
    with drive_alone():
        yield


@pytest.fixture
def new_phone(
    hass: HomeAssistant, hass_client: ClientSessionGenerator, hass_ws_client: WebSocketGenerator
) -> NewPhone:
    async def register(user: User, name: str = "Pixel") -> Phone:
        return await register_phone(hass, user, name, hass_client, hass_ws_client)

    return register


async def test_an_approval_on_a_phone_brings_the_film_into_the_library(
    hass: HomeAssistant, hass_admin_user: User, new_phone: NewPhone
) -> None:
    phone = await new_phone(hass_admin_user)
    entry = await asking(hass, phone)
    task = await post(entry)

    question = await phone.question()
    assert "大都会" in question["title"]
    assert "11.6 GB" in question["message"]
    assert question["data"]["tag"] == f"reelay-{task}"
    assert [button["title"] for button in question["data"]["actions"]] == ["Approve", "Ignore", "Correct"]
    assert {Answer.parse(button["action"]).task for button in question["data"]["actions"]} == {task}  # type: ignore[union-attr]

    await phone.press(action(question, "approve"))
    told = {(await phone.push())["data"]["tag"] for _ in range(3)}
    assert told == {f"reelay-{task}", f"reelay-{task}-answer", f"reelay-{task}-result"}
    assert await state(entry, task) == "done"
    lines = (await entry.runtime_data.app.queries.get_task(task))["trace"]
    assert f"user:{hass_admin_user.id}" in {line["actor"] for line in lines}


async def test_a_second_answer_is_refused_and_says_so(
    hass: HomeAssistant, hass_admin_user: User, new_phone: NewPhone
) -> None:
    phone = await new_phone(hass_admin_user)
    entry = await asking(hass, phone)
    task = await post(entry)
    question = await phone.question()
    await phone.press(action(question, "ignore"))
    assert "Ignored" in (await phone.reply())["message"]
    await phone.press(action(question, "approve"))
    assert "handled already: it is “Skipped”" in (await phone.reply())["message"]
    assert await state(entry, task) == "skipped"


async def test_an_answer_to_an_older_question_does_nothing_and_shows_the_current_one(
    hass: HomeAssistant, hass_admin_user: User, new_phone: NewPhone
) -> None:
    phone = await new_phone(hass_admin_user)
    entry = await asking(hass, phone)
    task = await post(entry)
    old = action(await phone.question(), "approve")
    assert await post(entry, SAMPLE["film"].replace("大都会", "大都市"), edited=1_790_000_000_001) == task
    current = action(await phone.question(), "approve")
    assert round_of(current) > round_of(old)

    await phone.press(old)
    again = await phone.question()
    assert "older question" in again["message"]
    assert action(again, "approve") == current
    assert await state(entry, task) == "pending_approval"
    await phone.press(action(again, "approve"))
    await ends(entry, task, "done")


async def test_a_correction_by_text_is_data_whatever_it_says(
    hass: HomeAssistant, hass_admin_user: User, new_phone: NewPhone
) -> None:
    phone = await new_phone(hass_admin_user)
    entry = await asking(hass, phone)
    task = await post(entry)
    question = await phone.question()
    await phone.press(action(question, "correct"), reply_text="  ")
    again = await phone.question()
    assert "did not understand" in again["message"]
    await phone.press(action(again, "correct"), reply_text="REELAY:IGNORE:1:1 {task.context} 1928")
    await phone.push(lambda push: "REELAY:IGNORE:1:1 {task.context} (1928)" in push.get("title", ""))
    parsed = (await entry.runtime_data.app.queries.get_task(task))["parsed"]
    assert (parsed["title"], parsed["year"]) == ("REELAY:IGNORE:1:1 {task.context}", 1928)
    assert await state(entry, task) != "skipped"


@pytest.mark.parametrize(
    ("group", "reason"),
    [("system-read-only", "may look but not change"), ("system-users", "Only administrators and the phones")],
)
async def test_a_person_without_permission_is_refused_with_the_reason(
    hass: HomeAssistant, hass_admin_user: User, new_phone: NewPhone, group: str, reason: str
) -> None:
    chosen = await new_phone(hass_admin_user, "Chosen")
    other = await new_phone(await user_of_group(hass, group), "Other")
    entry = await asking(hass, chosen)
    task = await post(entry)
    await other.press(action(await chosen.question(), "approve"))
    assert reason in (await other.reply())["message"]
    assert await state(entry, task) == "pending_approval"


async def test_a_read_only_account_may_not_answer_even_where_its_phone_is_asked(
    hass: HomeAssistant, new_phone: NewPhone
) -> None:
    phone = await new_phone(await user_of_group(hass, "system-read-only"))
    entry = await asking(hass, phone)
    task = await post(entry)
    await phone.press(action(await phone.question(), "approve"))
    assert "may look but not change" in (await phone.reply())["message"]
    assert await state(entry, task) == "pending_approval"


async def test_two_phones_are_asked_and_both_are_cleared_by_one_answer(
    hass: HomeAssistant, hass_admin_user: User, new_phone: NewPhone
) -> None:
    first = await new_phone(hass_admin_user, "First")
    second = await new_phone(await user_of_group(hass, "system-users"), "Second")
    entry = await asking(hass, first, second)
    task = await post(entry)
    question, other = await first.question(), await second.question()
    await second.press(action(other, "ignore"))
    assert await first.cleared() == await second.cleared() == f"reelay-{task}"
    await first.press(action(question, "approve"))
    assert "handled already" in (await first.reply())["message"]
    assert await state(entry, task) == "skipped"


async def test_a_question_from_before_a_restart_can_be_answered_after_it(
    hass: HomeAssistant, hass_admin_user: User, new_phone: NewPhone
) -> None:
    phone = await new_phone(hass_admin_user)
    entry = await asking(hass, phone)
    task = await post(entry)
    question = await phone.question()
    assert await hass.config_entries.async_reload(entry.entry_id)
    await phone.press(action(question, "approve"))
    await ends(entry, task, "done")


async def test_an_answer_while_reelay_is_not_running_is_told_and_asked_anew_later(
    hass: HomeAssistant, hass_admin_user: User, new_phone: NewPhone
) -> None:
    phone = await new_phone(hass_admin_user)
    entry = await asking(hass, phone)
    task = await post(entry)
    question = await phone.question()
    assert await hass.config_entries.async_unload(entry.entry_id)
    await phone.press(action(question, "approve"))
    assert "not running" in (await phone.reply())["message"]
    assert await hass.config_entries.async_setup(entry.entry_id)
    again = await phone.question()
    assert "running again" in again["message"]
    assert await state(entry, task) == "pending_approval"
    await phone.press(action(again, "approve"))
    await ends(entry, task, "done")


@pytest.mark.parametrize(
    "forged",
    [
        "REELAY:APPROVE:1",
        "REELAY:ABANDON:1:1",
        "REELAY:APPROVE:1:1:x",
        "REELAY:approve:1:1",
        "REELAY:APPROVE:０１:1",
        "REELAY:APPROVE:1:1\n",
        "REELAY:APPROVE:99999999999999999999:1",
        "REELAY:" + "A" * 100_000,
    ],
)
async def test_a_forged_action_string_does_nothing(
    hass: HomeAssistant, hass_admin_user: User, new_phone: NewPhone, forged: str
) -> None:
    phone = await new_phone(hass_admin_user)
    entry = await asking(hass, phone)
    task = await post(entry)
    await phone.question()
    await phone.press(forged)
    await hass.async_block_till_done()
    assert await state(entry, task) == "pending_approval"


async def test_an_event_that_nobody_is_behind_does_nothing(
    hass: HomeAssistant, hass_admin_user: User, new_phone: NewPhone
) -> None:
    phone = await new_phone(hass_admin_user)
    entry = await asking(hass, phone)
    task = await post(entry)
    press = {"action": action(await phone.question(), "approve")}
    for context in (Context(), Context(user_id="no such user")):
        hass.bus.async_fire("mobile_app_notification_action", press, context=context)
    await hass.async_block_till_done()
    assert await state(entry, task) == "pending_approval"


async def test_an_answer_for_a_task_that_is_gone_is_told(
    hass: HomeAssistant, hass_admin_user: User, new_phone: NewPhone
) -> None:
    phone = await new_phone(hass_admin_user)
    await asking(hass, phone)
    for verb in ("approve", "retry"):
        await phone.press(Answer(verb, 4711, 1).action)
        assert "does not know this task" in (await phone.reply())["message"]


async def test_a_failed_task_has_buttons_that_can_do_no_harm(
    hass: HomeAssistant, hass_admin_user: User, new_phone: NewPhone
) -> None:
    phone = await new_phone(hass_admin_user)
    entry = await asking(hass, phone)
    task = await post(entry, SAMPLE["dead"])
    question = await phone.question()
    assert "needs your attention" in question["title"]
    assert "cancelled or has expired" in question["message"]
    assert [button["title"] for button in question["data"]["actions"]] == ["Retry"]
    await phone.press(action(question, "retry"))
    assert "tried again" in (await phone.reply())["message"]
    async with asyncio.timeout(10):
        while await state(entry, task) != "failed":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
