"""Merging: the owner's global rules, then the source's own."""

from collections.abc import Mapping
from typing import Any

from .schema import Policy


def effective(overall: Mapping[str, Any], own: Mapping[str, Any] | None = None) -> Policy:
    """The policy of a source: `own` values win over `overall` ones; unknown keys are ignored.

    Plugins merge by name, so that a source can switch one off without repeating the others. Raises pydantic's
    `ValidationError` on values out of range.
    """
    merged = dict(overall) | dict(own or {})
    plugins = dict(overall.get("plugins") or {}) | dict((own or {}).get("plugins") or {})
    return Policy.model_validate(merged | {"plugins": plugins})
