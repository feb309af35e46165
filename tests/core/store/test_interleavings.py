"""Any mixture of callers: each one's functions in order, all or nothing, at most once."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings, strategies as st

from custom_components.reelay.core.store import marks
from custom_components.reelay.core.store.database import Database, Tx
from tests.fakes.clock import FakeClock

from .threads import keys_in

#: What one call does: write, write and raise, or be cancelled after some turns of the loop.
call = st.tuples(
    st.sampled_from(["write", "raise", "cancel"]), st.integers(0, 6), st.sampled_from([False, True])
)
callers = st.lists(st.lists(call, min_size=1, max_size=12), min_size=1, max_size=6)


class Refused(Exception):
    pass


async def play(path: Path, plan: list[list[tuple[str, int, bool]]]) -> None:
    clock = FakeClock()
    db = await Database.open(path, clock=clock)
    ran: list[list[int]] = [[] for _ in plan]
    sure: set[str] = set()
    never: set[str] = set()

    async def caller(who: int, calls: list[tuple[str, int, bool]], at_once: bool) -> None:
        async def one(number: int, kind: str, turns: int, interactive: bool) -> None:
            key = f"{who}-{number:02}"

            def fn(tx: Tx) -> str:
                ran[who].append(number)
                marks.put(tx, key + "a", "x")
                if kind == "raise":
                    raise Refused(key)
                if turns == 6:
                    clock.jump(0.02)
                marks.put(tx, key + "b", "x")
                return key

            running = asyncio.ensure_future(db.run(fn, interactive=interactive))
            if kind == "cancel":
                for _ in range(turns):
                    await asyncio.sleep(0)
                running.cancel()
            try:
                assert await running == key
                sure.add(key)
            except Refused as error:
                never.add(str(error))
            except asyncio.CancelledError:
                pass

        if at_once:
            # All of one priority: the two lines are served independently of each other.
            await asyncio.gather(*(one(n, kind, turns, False) for n, (kind, turns, _) in enumerate(calls)))
        else:
            for n, (kind, turns, interactive) in enumerate(calls):
                await one(n, kind, turns, interactive)

    await asyncio.gather(*(caller(who, calls, who % 2 == 0) for who, calls in enumerate(plan)))
    await db.close()

    for who, order in enumerate(ran):
        assert len(order) == len(set(order))
        if who % 2 == 0:
            assert order == sorted(order)
    found = keys_in(path)
    whole = {key[:-1] for key in found if key.endswith("a")}
    assert whole == {key[:-1] for key in found if key.endswith("b")}
    started = {f"{who}-{number:02}" for who, order in enumerate(ran) for number in order}
    assert whole == started - never
    assert sure <= whole


@given(plan=callers)
@settings(max_examples=40, deadline=None)
def test_every_interleaving_keeps_order_and_atomicity(plan: list[list[tuple[str, int, bool]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder) / "reelay.db", plan))
