"""Lets core be imported without the package above it, which needs Home Assistant and a second or two."""

import sys
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).parents[2] / "custom_components" / "reelay"


def without_face() -> None:
    """Put an empty package in the place of `custom_components.reelay`; for processes of their own only."""
    for name, path in (("custom_components", PACKAGE.parent), ("custom_components.reelay", PACKAGE)):
        module = ModuleType(name)
        module.__path__ = [str(path)]
        sys.modules.setdefault(name, module)
