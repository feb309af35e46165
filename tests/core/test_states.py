"""The tables of states, edges and actions are the design's, line by line."""

from itertools import product

import pytest

from custom_components.reelay.core.model.states import (
    ACTIVE,
    EDGES,
    LANE_OF,
    RAISES_ROUND,
    RESTING,
    Action,
    Standing,
    State,
    actions,
    allowed,
)

DESIGN_EDGES = """
received → parsed | failed
parsed → pending_approval | queued | skipped | rejected
pending_approval → queued | skipped | received
queued → saving | skipped | failed
saving → stored | need_manual | queued | failed
stored → organizing
organizing → done | need_manual | failed | stored
need_manual → queued | skipped
failed → received | queued | stored | skipped
skipped → received
rejected → received
done →
"""


def test_the_edges_are_those_of_the_design() -> None:
    written = {}
    for line in DESIGN_EDGES.strip().splitlines():
        origin, _, targets = line.partition(" →")
        written[State(origin)] = frozenset(State(each.strip()) for each in targets.split("|") if each.strip())
    assert written == EDGES


def test_a_round_is_raised_where_a_new_question_begins() -> None:
    assert {State.RECEIVED, State.PENDING_APPROVAL, State.NEED_MANUAL} == RAISES_ROUND


def test_every_state_rests_or_has_a_lane() -> None:
    assert set(State) == RESTING | ACTIVE
    assert not RESTING & ACTIVE
    assert set(LANE_OF) == ACTIVE | {State.PENDING_APPROVAL}


def _stands(action: Action, at: Standing) -> bool:
    """The design's table of actions, written a second time in its own words."""
    state, before_send = at.state.value, not at.sent
    rows = {
        "approve": state == "pending_approval",
        "ignore": state == "pending_approval",
        "verify": state == "need_manual" and at.sent,
        "retry": state == "failed",
        "reorganize": (state == "need_manual" and at.received)
        or (state == "failed" and at.retry_from is State.STORED),
        "reidentify": state == "pending_approval"
        or (state in ("failed", "skipped", "rejected") and before_send),
        "correct": state == "pending_approval"
        or (state in ("failed", "skipped", "rejected") and before_send),
        "assign_files": (state in ("failed", "need_manual") and before_send) or state == "pending_approval",
        "receive_code": (state in ("failed", "need_manual") and before_send) or state == "pending_approval",
        "abandon": state in ("queued", "failed", "need_manual"),
    }
    assert set(rows) == {each.value for each in Action}
    return rows[action.value]


@pytest.mark.parametrize("action", list(Action))
def test_an_action_is_allowed_exactly_where_the_design_says(action: Action) -> None:
    for state, sent, received, back in product(
        State, (False, True), (False, True), (None, State.QUEUED, State.STORED)
    ):
        at = Standing(state=state, sent=sent, received=received, retry_from=back)
        assert allowed(action, at) == _stands(action, at), at
        assert (action in actions(at)) == allowed(action, at)


def test_a_task_that_was_sent_never_returns_to_received() -> None:
    for state in State:
        at = Standing(state=state, sent=True)
        returning = {Action.REIDENTIFY, Action.CORRECT} & set(actions(at))
        assert not returning or state is State.PENDING_APPROVAL
