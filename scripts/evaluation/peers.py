"""Other parsers on the same rows, where they are installed: guessit, and PTT as `parsett`."""

import importlib.util
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import names
from .names import Reading


def installed() -> dict[str, Callable[[Mapping[str, Any]], Reading]]:
    """Readers by name."""
    found: dict[str, Callable[[Mapping[str, Any]], Reading]] = {}
    if importlib.util.find_spec("guessit"):
        found["guessit"] = _guessit
    if importlib.util.find_spec("PTT"):
        found["PTT"] = _ptt
    return found


def score(rows: Sequence[dict[str, Any]], read: Callable[[Mapping[str, Any]], Reading]) -> dict[str, Any]:
    """Counts of one peer, with its time per row."""
    start = time.process_time()
    counts, _ = names.score(rows, read)
    return {
        "counts": counts,
        "milliseconds": round((time.process_time() - start) * 1000 / max(len(rows), 1), 3),
    }


def _many(value: object) -> tuple[int, ...]:
    values = value if isinstance(value, list) else [] if value is None else [value]
    return tuple(number for number in values if isinstance(number, int))


def _guessit(row: Mapping[str, Any]) -> Reading:
    import guessit  # type: ignore[import-not-found]

    found = guessit.guessit(row["input"])
    numbers = _many(found.get("episode")) or _many(found.get("absolute_episode"))
    return Reading(
        seasons=_many(found.get("season")),
        numbers=frozenset(numbers),
        date=str(found["date"]) if "date" in found else None,
        year=found.get("year"),
        titles=tuple(filter(None, [str(found.get("title", ""))])),
        resolution=names.height(str(found["screen_size"])) if "screen_size" in found else None,
    )


def _ptt(row: Mapping[str, Any]) -> Reading:
    import PTT  # type: ignore[import-not-found]

    found = PTT.parse_title(row["input"])
    return Reading(
        seasons=_many(found.get("seasons")),
        numbers=frozenset(_many(found.get("episodes"))),
        date=found.get("date"),
        year=found.get("year"),
        titles=tuple(filter(None, [found.get("title")])),
        resolution=names.height(found.get("resolution")),
    )
