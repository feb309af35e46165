"""What a click on a repair issue does; the issues themselves are made in `issues`."""

from homeassistant.components.repairs import ConfirmRepairFlow, RepairsFlow, RepairsFlowResult
from homeassistant.core import HomeAssistant

from .const import CONF_MODE, DOMAIN, Mode
from .folders import async_set_database_aside


class SetAsideFlow(ConfirmRepairFlow):
    """Set a damaged database aside once the owner agrees, and start with a new one."""

    async def async_step_confirm(self, user_input: dict[str, str] | None = None) -> RepairsFlowResult:
        """Rename the files and load the entry again."""
        if user_input is not None:
            for entry in self.hass.config_entries.async_entries(DOMAIN):
                await self.hass.config_entries.async_unload(entry.entry_id)
                await async_set_database_aside(self.hass, Mode(entry.data[CONF_MODE]))
                self.hass.config_entries.async_schedule_reload(entry.entry_id)
        return await super().async_step_confirm(user_input)


async def async_create_fix_flow(
    hass: HomeAssistant, issue_id: str, data: dict[str, str | int | float | None] | None
) -> RepairsFlow:
    """Only a damaged database can be repaired with a click."""
    return SetAsideFlow()
