"""Reelay's actions: each row of the table of verbs becomes one, registered before any entry is set up.

This is the door only: schema and rights come from `verbs`, the work is the core's. Errors of the core carry keys,
which are translated here into Home Assistant's two kinds: wrong use, and failure.
"""

from functools import partial
from typing import Any

import voluptuous as vol
from homeassistant.const import ATTR_CONFIG_ENTRY_ID
from homeassistant.core import HomeAssistant, ServiceCall, ServiceResponse, callback
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import config_validation as cv, service

from .const import DOMAIN
from .verbs import RULES, VERBS, Verb, async_call, async_check_right


@callback
def async_setup_services(hass: HomeAssistant) -> None:
    """Register all actions."""
    for verb in VERBS.values():
        hass.services.async_register(
            DOMAIN, verb.name, partial(_async_handle, verb), _schema(verb), verb.response
        )


def _schema(verb: Verb) -> vol.All:
    fields = vol.Schema({vol.Optional(ATTR_CONFIG_ENTRY_ID): cv.string} | dict(verb.schema))
    return vol.All(fields, RULES[verb.name]) if verb.name in RULES else vol.All(fields)


async def _async_handle(verb: Verb, call: ServiceCall) -> ServiceResponse:
    user_id = call.context.user_id
    await async_check_right(call.hass, verb, user_id)
    entry = service.async_get_config_entry(call.hass, DOMAIN, call.data.get(ATTR_CONFIG_ENTRY_ID))

    from .core.model.errors import CommandError, StoreError

    arguments = {key: value for key, value in call.data.items() if key != ATTR_CONFIG_ENTRY_ID}
    actor = f"user:{user_id}" if user_id else "automation"
    try:
        answer = await async_call(entry, verb, arguments, actor, person=user_id is not None)
    except CommandError as err:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key=err.key,
            translation_placeholders=_texts(err.placeholders),
        ) from err
    except StoreError as err:
        raise HomeAssistantError(
            translation_domain=DOMAIN,
            translation_key=err.key,
            translation_placeholders=_texts(err.placeholders),
        ) from err
    return answer if call.return_response else None


def _texts(placeholders: dict[str, Any]) -> dict[str, str]:
    """Placeholders as Home Assistant wants them. Names stay those that the actions take, untranslated."""
    return {
        key: ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        for key, value in placeholders.items()
    }
