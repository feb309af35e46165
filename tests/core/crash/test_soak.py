"""A process killed at random instants while messages come, questions are answered and the app is reloaded."""

import os
import random
import signal

import pytest

from tests.core.crash.child import Job
from tests.core.crash.zygote import Zygote, look, memory
from tests.core.invariants import oracle

#: Set REELAY_SEED to repeat a soak, REELAY_KILLS for a longer one.
KILLS = int(os.environ.get("REELAY_KILLS", "200"))
LONGEST = 0.25


@pytest.mark.soak
@pytest.mark.kill
@pytest.mark.timeout(60 + KILLS)
def test_a_life_cut_at_random_instants_loses_nothing_and_does_nothing_twice() -> None:
    seed = int(os.environ.get("REELAY_SEED") or random.randrange(1 << 30))
    print(f"REELAY_SEED={seed}")
    chance = random.Random(seed)
    with Zygote() as zygote, memory() as folder:
        for life in range(KILLS):
            after = chance.uniform(0.002, LONGEST)
            job = Job(folder=str(folder), script="soak", seed=seed + life, kill_after=after)
            ending = zygote.run(job)
            assert ending.code == -signal.SIGKILL, f"seed {seed}, life {life} ended by itself:\n{ending.said}"
            assert not ending.said, f"seed {seed}, life {life} complained:\n{ending.said}"
            if life % 10 == 9:
                problems = oracle.safety(look(folder))
                assert not problems, f"seed {seed}, after life {life}:\n{oracle.report(problems)}"
        ending = zygote.run(Job(folder=str(folder), script="soak", seed=seed, finish=True))
        assert ending.code == 0, f"seed {seed}, the last life:\n{ending.said}"
        world = look(folder)
        problems = oracle.settled(world)
        assert not problems, f"seed {seed}, finished:\n{oracle.report(problems)}"
        print(
            f"{len(world.tables['messages'])} messages, {len(world.tasks)} tasks, {len(world.lines)} requests"
        )
