"""An AI Task entity as the model: whatever it does ends in a checked answer or a typed failure."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import selector

from custom_components.reelay.core.ai.client import ModelClient
from custom_components.reelay.core.ai.ladder import plain_schema
from custom_components.reelay.core.clock import SystemClock
from custom_components.reelay.core.model.llm import Failed, Trouble
from custom_components.reelay.core.understand.parse import Said, turns
from custom_components.reelay.model_backend import AiTaskBackend, structure

ENTITY = "ai_task.any"
SAID = {"advert": False, "kind": "series", "title": "安多", "seasons": ["2"], "year": 2022.0}


class Entity:
    """Stands for `ai_task.async_generate_data`."""

    def __init__(self, *results: Any) -> None:
        self.results = list(results)
        self.asked: list[dict[str, Any]] = []

    async def __call__(self, hass: HomeAssistant, **asked: Any) -> Any:
        self.asked.append(asked)
        result = self.results.pop(0)
        if isinstance(result, Exception):
            raise result
        if result == "hang":
            await asyncio.Event().wait()
        return SimpleNamespace(data=result)


class Quick(SystemClock):
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 30)


@pytest.fixture
def there(hass: HomeAssistant) -> None:
    hass.config.components.add("ai_task")
    hass.states.async_set(ENTITY, "unknown")


async def ask(hass: HomeAssistant, entity: Entity) -> Said | Failed:
    client = ModelClient(AiTaskBackend(hass, ENTITY, generate=entity), Quick(), budget=20)
    return await client.ask("parse", turns("安多 第二季 2022"), Said)


@pytest.mark.usefixtures("there")
async def test_an_entity_answers_and_its_answer_is_checked(hass: HomeAssistant) -> None:
    entity = Entity(SAID)
    said = await ask(hass, entity)
    assert isinstance(said, Said)
    assert (said.title, said.seasons, said.year) == ("安多", [2], 2022)
    (asked,) = entity.asked
    assert (asked["entity_id"], asked["task_name"]) == (ENTITY, "reelay parse")
    assert '"post": "安多 第二季 2022"' in asked["instructions"]


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize(
    ("results", "trouble"),
    [
        ([HomeAssistantError("broken")] * 3, Trouble.SERVER_ERROR),
        ([ServiceValidationError("no such entity")], Trouble.NOT_FOUND),
        ([KeyError("bug")] * 3, Trouble.BROKEN),
        (["hang"] * 3, Trouble.TIMEOUT),
        ([{"kind": "film"}, {"kind": "film"}], Trouble.INVALID),
        ([None, None], Trouble.INVALID),
        ([["安多"], 7], Trouble.INVALID),
    ],
)
async def test_what_an_entity_does_wrong_is_a_typed_failure(
    hass: HomeAssistant, results: list[Any], trouble: Trouble
) -> None:
    failed = await ask(hass, Entity(*results))
    assert isinstance(failed, Failed)
    assert failed.trouble is trouble


@pytest.mark.usefixtures("there")
async def test_an_entity_that_knows_no_structure_is_asked_for_text(hass: HomeAssistant) -> None:
    entity = Entity(
        HomeAssistantError("response_format is not supported"),
        '```json\n{"advert": false, "kind": null, "title": "安多"}\n```',
    )
    assert isinstance(await ask(hass, entity), Said)
    assert "structure" not in entity.asked[1]
    assert '"updated_to"' in entity.asked[1]["instructions"]


async def test_an_entity_that_is_missing_or_away_is_not_asked(hass: HomeAssistant) -> None:
    entity = Entity()
    for prepare, trouble in (
        (lambda: None, Trouble.NOT_FOUND),
        (lambda: hass.config.components.add("ai_task"), Trouble.NOT_FOUND),
        (lambda: hass.states.async_set(ENTITY, "unavailable"), Trouble.UNREACHABLE),
    ):
        prepare()
        failed = await ask(hass, entity)
        assert isinstance(failed, Failed)
        assert failed.trouble is trouble
    assert entity.asked == []


def test_every_field_is_a_selector() -> None:
    made = structure(plain_schema(Said))
    fields = {str(mark): value for mark, value in made.schema.items()}
    assert fields.keys() == Said.model_fields.keys()
    assert isinstance(fields["kind"], selector.SelectSelector)
    assert isinstance(fields["year"], selector.NumberSelector)
    assert isinstance(fields["advert"], selector.BooleanSelector)
    assert fields["seasons"].config["multiple"] is True
