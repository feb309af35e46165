"""A figure with its goal, and which figures of a report miss theirs."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any


def at_most(goal: float, values: Sequence[float], digits: int = 3) -> dict[str, Any]:
    """The median of `values`, which must not be above the goal."""
    return _figure(values, digits) | {"goal": f"<= {goal}", "met": median(values) <= goal}


def at_least(goal: float, values: Sequence[float], digits: int = 3) -> dict[str, Any]:
    """The median of `values`, which must not be below the goal."""
    return _figure(values, digits) | {"goal": f">= {goal}", "met": median(values) >= goal}


def told(values: Sequence[float], digits: int = 3) -> dict[str, Any]:
    """The median of values without a goal."""
    return _figure(values, digits)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of all lie."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def missed(report: dict[str, Any], path: str = "") -> list[str]:
    """The names of all figures that miss their goal."""
    return list(_missed(report, path))


def _figure(values: Sequence[float], digits: int) -> dict[str, Any]:
    figure: dict[str, Any] = {"value": round(median(values), digits)}
    if len(values) > 1:
        figure["runs"] = [round(value, digits) for value in values]
    return figure


def _missed(report: dict[str, Any], path: str) -> Iterator[str]:
    for name, value in report.items():
        if isinstance(value, dict):
            here = f"{path}.{name}".lstrip(".")
            if value.get("met") is False:
                yield here
            yield from _missed(value, here)
