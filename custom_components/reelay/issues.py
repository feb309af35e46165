"""Repair issues: only for what a person can do something about. Dead logins are re-authentication, not an issue."""

from typing import TYPE_CHECKING

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from .const import DOMAIN

if TYPE_CHECKING:
    from .core.ports import HealthState

#: What can be wrong with the database (keys of the core's StoreError): whether time alone may heal it.
DATABASE_ISSUES = {
    "database_newer": False,
    "database_corrupt": False,
    "database_readonly": True,
    "database_locked": True,
    "database_full": True,
    "database_error": True,
}
FIXABLE = frozenset({"database_corrupt"})


@callback
def async_database_failed(hass: HomeAssistant, key: str, placeholders: dict[str, str]) -> None:
    """Explain why the database can't be used; replaces an earlier explanation."""
    async_database_works(hass, but=key)
    ir.async_create_issue(
        hass,
        DOMAIN,
        key,
        is_fixable=key in FIXABLE,
        severity=ir.IssueSeverity.ERROR,
        translation_key=key,
        translation_placeholders=placeholders,
    )


@callback
def async_database_works(hass: HomeAssistant, *, but: str | None = None) -> None:
    """Take the issues about the database back."""
    for key in DATABASE_ISSUES:
        if key != but:
            ir.async_delete_issue(hass, DOMAIN, key)


@callback
def async_plugin_failed(hass: HomeAssistant, plugin: str, error: str) -> None:
    """Name a plugin, or the integration that brings it, that is left out."""
    ir.async_create_issue(
        hass,
        DOMAIN,
        f"plugin_failed_{plugin}",
        is_fixable=False,
        severity=ir.IssueSeverity.WARNING,
        translation_key="plugin_failed",
        translation_placeholders={"plugin": plugin, "error": error},
    )


@callback
def async_plugin_works(hass: HomeAssistant, plugin: str) -> None:
    """Take the issue about a plugin back."""
    ir.async_delete_issue(hass, DOMAIN, f"plugin_failed_{plugin}")


@callback
def async_plugins_missing(hass: HomeAssistant, missing: tuple[str, ...]) -> None:
    """Say which plugins the owner's rules want and nobody brings: tasks wait for them."""
    if not missing:
        ir.async_delete_issue(hass, DOMAIN, "plugins_missing")
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        "plugins_missing",
        is_fixable=False,
        severity=ir.IssueSeverity.WARNING,
        translation_key="plugins_missing",
        translation_placeholders={"plugins": ", ".join(missing)},
    )


@callback
def async_health(hass: HomeAssistant, state: HealthState) -> None:
    """Follow the health of the running core as far as a person can help."""
    kind, _, name = state.component.partition(":")
    match kind, state.state:
        case "database", "ok":
            async_database_works(hass)
        case "database", "bad":
            reason = state.reason or ""
            async_database_failed(hass, reason if reason in DATABASE_ISSUES else "database_error", {})
        case "plugin", "ok":
            async_plugin_works(hass, name)
        case "plugin", "bad":
            async_plugin_failed(hass, name, state.reason or "")


@callback
def async_delete_issues(hass: HomeAssistant) -> None:
    """Take all issues back: the entry is gone."""
    for domain, issue_id in list(ir.async_get(hass).issues):
        if domain == DOMAIN:
            ir.async_delete_issue(hass, domain, issue_id)
