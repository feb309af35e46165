"""Random lives, judged by the oracle. `python -m tests.core.invariants` has more of them and makes failures shorter.

REELAY_RUNS sets how many (300 for a nightly run), REELAY_SEED the first seed.
"""

import os

import pytest

from tests.core.invariants import oracle
from tests.core.invariants.lives import live
from tests.core.invariants.machine import WEIGHTS, Machine, draw

RUNS = int(os.environ.get("REELAY_RUNS", "100"))
STEPS = 60
SEED = int(os.environ.get("REELAY_SEED", "1"))


@pytest.mark.timeout(60 + 2 * RUNS)
@pytest.mark.parametrize("part", range(4))
def test_whatever_happens_nothing_is_lost_or_done_twice(part: int) -> None:
    """In four parts, so that several workers share them."""
    for seed in range(SEED + part, SEED + RUNS, 4):
        problems = live(seed, draw(seed, STEPS))
        assert not problems, (
            f"\n{oracle.report(problems)}\nrepeat and shorten: python -m tests.core.invariants --runs 1 --seed {seed}"
        )


def test_every_kind_of_step_is_there() -> None:
    assert {f"do_{name}" for name in WEIGHTS} == {name for name in vars(Machine) if name.startswith("do_")}


def test_a_run_repeats_exactly() -> None:
    first: list[str] = []
    second: list[str] = []
    assert live(3, draw(3, STEPS), trail=first) == live(3, draw(3, STEPS), trail=second)
    assert first == second
