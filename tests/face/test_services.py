"""The actions: their table against the core, who may use them, what they answer and how they refuse."""

import inspect
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
import voluptuous as vol
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser

from custom_components.reelay.const import DOMAIN
from custom_components.reelay.core.commands import Commands
from custom_components.reelay.core.model.errors import StoreError
from custom_components.reelay.core.model.offer import Kind
from custom_components.reelay.core.model.states import Action, State
from custom_components.reelay.core.policy.schema import Conflict
from custom_components.reelay.core.priority import background, interactive, is_interactive
from custom_components.reelay.core.queries import Queries
from custom_components.reelay.verbs import CONFLICTS, KINDS, STATES, VERBS, Right

from .asking import drive_alone
from .support import FILM, make_entry, set_up, until

TEXT = FILM.format(7)
#: Valid data of each verb, for a task that doesn't exist where it names one.
DATA: dict[str, dict[str, Any]] = {
    name: {"task_id": 4711} if vol.Required("task_id") in verb.schema else {} for name, verb in VERBS.items()
}
DATA["correct"]["title"] = "Dune"
DATA["assign_files"]["files"] = [{"path": "a.mkv", "season": 1, "episode": 1}]
DATA["receive_code"]["code"] = "ab12"
DATA["ingest"]["text"] = DATA["preview"]["text"] = TEXT

CHANGING = sorted(name for name, verb in VERBS.items() if verb.right is Right.CHANGE)
ABOUT_TASKS = sorted(name for name in VERBS if "task_id" in DATA[name])


@pytest.fixture(autouse=True)
def quick_demo() -> Iterator[None]:
    with drive_alone():
        yield


async def call(hass: HomeAssistant, verb: str, user: MockUser | None = None, **data: Any) -> Any:
    context = Context(user_id=user.id if user else None)
    return await hass.services.async_call(
        DOMAIN, verb, data, blocking=True, return_response=True, context=context
    )


def test_the_table_says_what_the_core_says() -> None:
    assert set(STATES) == set(State)
    assert set(KINDS) == set(Kind)
    assert set(CONFLICTS) == set(Conflict) - {Conflict.ASK}
    assert set(Action) <= set(VERBS)
    for verb in VERBS.values():
        room = {"commands": Commands, "queries": Queries}[verb.room]
        parameters = inspect.signature(getattr(room, verb.core)).parameters
        fields = {str(field) for field in verb.schema}
        known = set(parameters) - {"self", "actor"}
        assert fields - {"task_id"} == known - {"task"}, verb.name
        assert ("task_id" in fields) == ("task" in known), verb.name
        assert verb.read_only == ("actor" not in parameters) == (verb.right is Right.READ), verb.name


async def test_a_text_becomes_a_task_that_can_be_listed_shown_and_previewed(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    entry = await set_up(hass, "demo")
    preview = await call(hass, "preview", text=TEXT)
    assert preview["offers"][0]["work"]["title"] == "月光宝盒"
    assert (await call(hass, "list_tasks"))["total"] == 0

    made = await call(hass, "ingest", hass_admin_user, text=TEXT)
    task = made["tasks"][0]["id"]
    assert made["tasks"][0]["wanted_by"] == f"user:{hass_admin_user.id}"
    await until(lambda: entry.runtime_data.app.idle())
    listed = await call(hass, "list_tasks", states=list(STATES), text="月光", limit=1)
    assert [each["id"] for each in listed["tasks"]] == [task]
    shown = await call(hass, "get_task", task_id=task)
    assert shown["task"]["id"] == task
    assert shown["trace"]
    assert "swface" not in str(shown)


async def test_a_command_answers_only_who_asks(hass: HomeAssistant) -> None:
    await set_up(hass, "demo")
    data = {"text": TEXT}
    assert await hass.services.async_call(DOMAIN, "ingest", data, blocking=True) is None


@pytest.mark.parametrize("verb", CHANGING)
async def test_a_read_only_user_is_refused_with_the_reason_and_nothing_changes(
    hass: HomeAssistant, hass_read_only_user: MockUser, verb: str
) -> None:
    await set_up(hass)
    with pytest.raises(ServiceValidationError) as refused:
        await call(hass, verb, hass_read_only_user, **DATA[verb])
    assert refused.value.translation_key == "may_not_change"
    assert "may look but not change" in str(refused.value)
    assert (await call(hass, "list_tasks"))["total"] == 0


async def test_a_read_only_user_may_read(hass: HomeAssistant, hass_read_only_user: MockUser) -> None:
    await set_up(hass, "demo")
    assert (await call(hass, "list_tasks", hass_read_only_user))["tasks"] == []
    assert (await call(hass, "preview", hass_read_only_user, text=TEXT))["offers"]


@pytest.mark.parametrize("group", ["system-users", "system-admin"])
async def test_who_may_control_home_assistant_may_hand_in_a_text(hass: HomeAssistant, group: str) -> None:
    await set_up(hass)
    found = await hass.auth.async_get_group(group)
    assert found
    user = MockUser(groups=[found]).add_to_hass(hass)
    assert (await call(hass, "ingest", user, text=TEXT))["tasks"]


async def test_a_user_that_does_not_exist_any_more_is_refused(hass: HomeAssistant) -> None:
    await set_up(hass)
    with pytest.raises(ServiceValidationError) as refused:
        await call(hass, "ingest", MockUser(), text=TEXT)
    assert refused.value.translation_key == "may_not_change"


@pytest.mark.parametrize("verb", ABOUT_TASKS)
async def test_an_unknown_task_is_named(hass: HomeAssistant, verb: str) -> None:
    await set_up(hass)
    with pytest.raises(ServiceValidationError) as refused:
        await call(hass, verb, **DATA[verb])
    assert str(refused.value) == "There is no task 4711"


async def test_an_action_in_the_wrong_state_says_what_is_possible(hass: HomeAssistant) -> None:
    await set_up(hass)
    task = (await call(hass, "ingest", text="https://115cdn.com/s/swfabc12345?password=ab12 月光宝盒"))[
        "tasks"
    ][0]
    with pytest.raises(ServiceValidationError) as refused:
        await call(hass, "verify", task_id=task["id"])
    assert refused.value.translation_key == "not_allowed"
    assert refused.value.translation_placeholders["action"] == "verify"
    assert "Possible now" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "text_empty"),
        (" \n\t\u200b", "text_empty"),
        ("x" * 1_000_000, "text_too_long"),
        ("片" * 30_000, "text_too_long"),
        ("nothing to fetch here", "no_offer"),
    ],
)
async def test_a_text_that_cannot_be_used_is_refused(hass: HomeAssistant, text: str, key: str) -> None:
    await set_up(hass)
    with pytest.raises(ServiceValidationError) as refused:
        await call(hass, "ingest", text=text)
    assert refused.value.translation_key == key
    assert (await call(hass, "list_tasks"))["total"] == 0


@pytest.mark.parametrize(
    ("verb", "data"),
    [
        ("approve", {"task_id": 0}),
        ("approve", {"task_id": 2**63}),
        ("approve", {"task_id": "x"}),
        ("approve", {}),
        ("approve", {"task_id": 1, "more": 1}),
        ("correct", {"task_id": 1}),
        ("correct", {"task_id": 1, "round": 1}),
        ("correct", {"task_id": 1, "kind": "game"}),
        ("reorganize", {"task_id": 1, "conflict": "ask"}),
        ("assign_files", {"task_id": 1, "files": []}),
        ("assign_files", {"task_id": 1, "files": [{"season": 1}]}),
        ("list_tasks", {"states": ["asleep"]}),
        ("list_tasks", {"limit": 201}),
        ("list_tasks", {"before": -1}),
    ],
)
async def test_data_that_makes_no_sense_is_refused_by_the_schema(
    hass: HomeAssistant, verb: str, data: dict[str, Any]
) -> None:
    assert await async_setup_component(hass, DOMAIN, {})
    with pytest.raises(vol.Invalid):
        await call(hass, verb, **data)


async def test_without_a_loaded_entry_every_action_says_so(hass: HomeAssistant) -> None:
    assert await async_setup_component(hass, DOMAIN, {})
    entry: MockConfigEntry = make_entry()
    for data in ({}, {"config_entry_id": "none"}, {"config_entry_id": entry.entry_id}):
        for verb in VERBS:
            with pytest.raises(ServiceValidationError):
                await call(hass, verb, **DATA[verb], **data)
        if entry.entry_id not in {each.entry_id for each in hass.config_entries.async_entries(DOMAIN)}:
            entry.add_to_hass(hass)


async def test_a_full_disk_is_a_failure_with_its_own_sentence(hass: HomeAssistant) -> None:
    entry = await set_up(hass)
    error = StoreError("database_full")
    with (
        patch.object(entry.runtime_data.app.commands, "retry", side_effect=error),
        pytest.raises(HomeAssistantError, match="The disk is full") as failed,
    ):
        await call(hass, "retry", task_id=1)
    assert not isinstance(failed.value, ServiceValidationError)


async def test_a_persons_call_passes_what_runs_in_the_background_an_automations_does_not(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    entry = await set_up(hass)
    seen = []

    async def look(**_: Any) -> dict[str, Any]:
        seen.append(is_interactive())
        return {}

    with patch.object(entry.runtime_data.app.queries, "list_tasks", look):
        with background():
            await call(hass, "list_tasks", hass_admin_user)
        with interactive():
            await call(hass, "list_tasks")
    assert seen == [True, False]


async def test_pages_follow_each_other_without_a_gap(hass: HomeAssistant) -> None:
    await set_up(hass)
    made = {(await call(hass, "ingest", text=FILM.format(n)))["tasks"][0]["id"] for n in range(5)}
    seen: list[int] = []
    before: dict[str, int] = {}
    while True:
        page = await call(hass, "list_tasks", limit=2, **before)
        seen += [task["id"] for task in page["tasks"]]
        if page["next"] is None:
            break
        before = {"before": page["next"]}
    assert seen == sorted(made, reverse=True)
