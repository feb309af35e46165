"""Imports core without the integration around it, which needs Home Assistant."""

import importlib
import json
import sys
import types
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
INTEGRATION = ROOT / "custom_components" / "reelay"


def core(name: str) -> types.ModuleType:
    """A module of core."""
    if "reelay_core" not in sys.modules:
        package = types.ModuleType("reelay_core")
        package.__path__ = [str(INTEGRATION)]
        sys.modules["reelay_core"] = package
    return importlib.import_module(f"reelay_core.core.{name}")


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSONL file; none where there is no such file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
