"""One kill at a named point and what is wrong afterwards: for the tests and for the seeded bugs."""

import json
import signal
from pathlib import Path

from custom_components.reelay.core.model.points import Point
from tests.core.crash.child import Job
from tests.core.crash.zygote import Zygote, look, memory
from tests.core.invariants import oracle

#: Between the checkpoint and the request nobody can tell whether it left: a person has to say.
UNSURE = {Point.AFTER_CHECKPOINT_COMMIT, Point.BEFORE_SEND}


def count(zygote: Zygote) -> dict[str, int]:
    """How often an undisturbed life comes to each point."""
    with memory() as folder:
        ending = zygote.run(Job(folder=str(folder), script="points"))
        assert ending.code == 0, ending.said
        found: dict[str, int] = json.loads(ending.said.splitlines()[-1])
        return found


def kill(zygote: Zygote, folder: Path, point: Point, visit: int) -> list[str]:
    """Kill a life at a point, look, let a second one finish, look again."""
    ending = zygote.run(Job(folder=str(folder), script="points", point=point, visit=visit))
    if ending.code != -signal.SIGKILL:
        return [f"{point} was not reached: {ending.said}"]
    problems = oracle.safety(look(folder))
    if problems:
        return [f"just after the kill, {problem}" for problem in problems]
    ending = zygote.run(Job(folder=str(folder), script="points", finish=True))
    if ending.code != 0:
        return [f"the second life failed: {ending.said}"]
    world = look(folder)
    problems = oracle.settled(world)
    states = [task["state"] for task in world.tasks.values()]
    if states.count("need_manual") > (point in UNSURE) or {"failed", "rejected"} & set(states):
        problems.append(f"ended in {states}")
    return problems
