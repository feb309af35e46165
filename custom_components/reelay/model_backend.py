"""A language model by way of Home Assistant: an AI Task entity as a back end of the core's model client.

The entity's answer isn't guaranteed to fit the structure, has no time limit and no count of tokens: the client checks
it against the schema, and time is limited here (facts: home-assistant 9.3).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import voluptuous as vol
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import selector

from .core.ai.ladder import names_format
from .core.model.llm import ModelAnswer, ModelFault, ModelRequest, Rung, Trouble

AI_TASK = "ai_task"
_QUOTED = 300

#: Home Assistant's `ai_task.async_generate_data`.
Generate = Callable[..., Awaitable[Any]]


class AiTaskBackend:
    """The `ModelBackend` of one AI Task entity."""

    rungs = (Rung.STRUCTURE, Rung.TEXT)

    def __init__(self, hass: HomeAssistant, entity_id: str, *, generate: Generate | None = None) -> None:
        self._hass = hass
        self._entity_id = entity_id
        self._generate = generate

    @property
    def key(self) -> str:
        """The entity: which model it asks is its own business."""
        return self._entity_id

    @property
    def model(self) -> str:
        """The entity."""
        return self._entity_id

    async def ask(self, request: ModelRequest, seconds: float) -> ModelAnswer:
        """One task; whatever an entity does, it ends in an answer or a `ModelFault`."""
        self._there()
        wanted: dict[str, Any] = {
            "task_name": f"reelay {request.purpose}",
            "entity_id": self._entity_id,
            "instructions": "\n\n".join(turn.text for turn in request.turns),
        }
        if request.rung is Rung.STRUCTURE:
            wanted["structure"] = structure(request.schema)
        try:
            async with asyncio.timeout(seconds):
                generate = self._generate or await self._imported()
                result = await generate(self._hass, **wanted)
        except TimeoutError:
            raise ModelFault(Trouble.TIMEOUT) from None
        except ServiceValidationError as err:
            raise ModelFault(Trouble.NOT_FOUND, str(err)[:_QUOTED]) from err
        except HomeAssistantError as err:
            trouble = Trouble.FORMAT if names_format(str(err)) else Trouble.SERVER_ERROR
            raise ModelFault(trouble, str(err)[:_QUOTED]) from err
        except Exception as err:
            raise ModelFault(Trouble.BROKEN, type(err).__name__) from err
        data = getattr(result, "data", None)
        if isinstance(data, str):
            return ModelAnswer(text=data)
        return ModelAnswer(data=data)

    def _there(self) -> None:
        state = self._hass.states.get(self._entity_id)
        if AI_TASK not in self._hass.config.components or state is None:
            raise ModelFault(Trouble.NOT_FOUND, self._entity_id)
        if state.state == STATE_UNAVAILABLE:
            raise ModelFault(Trouble.UNREACHABLE, self._entity_id)

    async def _imported(self) -> Generate:
        """Home Assistant has loaded it already, else the entity weren't there."""
        from homeassistant.components import ai_task

        return ai_task.async_generate_data


def structure(schema: Mapping[str, Any]) -> vol.Schema:
    """A flat JSON schema as a structure of selectors: providers can tell a model about nothing else."""
    fields: dict[Any, Any] = {}
    for name, node in schema["properties"].items():
        nullable = any(each.get("type") == "null" for each in node.get("anyOf", ()))
        real = next((each for each in node.get("anyOf", ()) if each.get("type") != "null"), node)
        mark = vol.Optional if nullable or real.get("type") == "array" else vol.Required
        fields[mark(name, description=node.get("description"))] = _selector(real)
    return vol.Schema(fields, extra=vol.PREVENT_EXTRA)


def _selector(node: Mapping[str, Any]) -> Any:
    if "enum" in node:
        return selector.SelectSelector(selector.SelectSelectorConfig(options=list(node["enum"])))
    match node.get("type"):
        case "boolean":
            return selector.BooleanSelector()
        case "integer" | "number":
            return selector.NumberSelector(
                selector.NumberSelectorConfig(mode=selector.NumberSelectorMode.BOX, step="any")
            )
        case "array":
            # Numbers come as texts then, which the schema reads as numbers.
            return selector.TextSelector(selector.TextSelectorConfig(multiple=True))
        case "string":
            return selector.TextSelector()
    return selector.ObjectSelector()
