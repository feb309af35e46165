"""Benchmarks of the core. The integration's own package imports Home Assistant: an empty one stands in for it."""

import os
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INTEGRATION = ROOT / "custom_components" / "reelay"
#: Large databases are built once; they are made anew when the tables or the rows change.
CACHE = Path(os.environ.get("REELAY_BENCH_FOLDER", ROOT / ".cache" / "bench"))


def stand_in() -> None:
    """Let `custom_components.reelay.core` be imported without the modules beside it."""
    sys.path.insert(0, str(ROOT))
    package = types.ModuleType("custom_components.reelay")
    package.__path__ = [str(INTEGRATION)]
    sys.modules["custom_components.reelay"] = package


if "custom_components.reelay" not in sys.modules:
    stand_in()
