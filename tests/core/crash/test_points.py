"""A process killed at each named point of a transfer, started anew, ends with nothing lost and nothing twice."""

from collections.abc import Iterator

import pytest

from custom_components.reelay.core.model.points import Point
from tests.core.crash.points import count, kill
from tests.core.crash.zygote import Zygote, memory
from tests.core.invariants.oracle import report

pytestmark = [pytest.mark.kill, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    with Zygote() as made:
        yield made


@pytest.fixture(scope="module")
def visits(zygote: Zygote) -> dict[str, int]:
    return count(zygote)


def test_an_undisturbed_life_passes_every_point(visits: dict[str, int]) -> None:
    assert set(visits) == {point.value for point in Point}


@pytest.mark.parametrize("when", ["first", "last"])
@pytest.mark.parametrize("point", list(Point))
def test_a_kill_loses_nothing_and_does_nothing_twice(
    zygote: Zygote, visits: dict[str, int], point: Point, when: str
) -> None:
    with memory() as folder:
        problems = kill(zygote, folder, point, 1 if when == "first" else visits[point])
    assert not problems, f"killed at {point}:\n{report(problems)}"
