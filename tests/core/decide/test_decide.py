"""The decision: order of rules, all reasons, and what a person's word changes."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from custom_components.reelay.core.decide.decide import Opinion, decide
from custom_components.reelay.core.decide.stored import StoredView
from custom_components.reelay.core.model.context import ShareFacts
from custom_components.reelay.core.model.decision import Code, Decision, Reason, Signals, Verdict
from custom_components.reelay.core.model.offer import Kind, Parsed, Release, Work
from custom_components.reelay.core.model.share import FILM_EPISODE, FILM_SEASON
from custom_components.reelay.core.policy.schema import Approval, Policy

WORK = Work(kind=Kind.SERIES, title="安多", year=2022)
LOW = Release(resolution="720p")
SURE, UNSURE = Signals(total=0.9), Signals(total=0.5)
EPISODES = frozenset({(2, 1), (2, 2)})
FILM = frozenset({(FILM_SEASON, FILM_EPISODE)})


def parsed(**more: Any) -> Parsed:
    facts: dict[str, Any] = {
        "is_media": True,
        "kind": Kind.SERIES,
        "title": "安多",
        "year": 2022,
        "seasons": (2,),
    }
    return Parsed(**(facts | {"episodes": ((1, 2),)} | more))


def run(
    message: Parsed | None = None,
    *,
    share: ShareFacts | None = None,
    signals: Signals = SURE,
    policy: Policy | None = None,
    work: Work | None = WORK,
    **more: Any,
) -> Decision:
    return decide(message or parsed(), work, share, signals, policy or Policy(), **more)


def codes(decision: Decision) -> list[Code]:
    return [reason.code for reason in decision.reasons]


def test_a_sure_offer_of_an_automatic_source_is_saved() -> None:
    decision = run()
    assert (decision.verdict, codes(decision)) == (Verdict.SAVE, [Code.AUTOMATIC])


@pytest.mark.parametrize(
    ("message", "policy", "verdict", "code"),
    [
        (parsed(is_media=False, is_ad=True), {}, Verdict.REJECT, Code.ADVERT),
        (parsed(is_media=False, retracted=True), {}, Verdict.SKIP, Code.RETRACTED),
        (parsed(is_media=False), {}, Verdict.SKIP, Code.NOT_MEDIA),
        (parsed(), {"kinds": ("film",)}, Verdict.SKIP, Code.FILTERED_KIND),
        (parsed(release=LOW), {"resolutions": ("2160p",)}, Verdict.SKIP, Code.FILTERED_RESOLUTION),
        (parsed(release=Release(size=9)), {"max_size": 5}, Verdict.SKIP, Code.FILTERED_SIZE),
    ],
)  # fmt: skip
def test_each_filter_refuses_with_its_reason(
    message: Parsed, policy: dict, verdict: Verdict, code: Code
) -> None:
    decision = run(message, policy=Policy(**policy))
    assert (decision.verdict, codes(decision)) == (verdict, [code])


def test_what_a_message_leaves_open_is_not_filtered() -> None:
    policy = Policy(resolutions=("2160p",), max_size=5, kinds=("film",))
    assert run(parsed(kind=None), policy=policy, work=None).verdict is Verdict.ASK


def test_the_listing_knows_the_size_better_than_the_message() -> None:
    message = parsed(release=Release(size=3))
    decision = run(message, share=ShareFacts(files=2, videos=2, size=9), policy=Policy(max_size=5))
    assert codes(decision) == [Code.FILTERED_SIZE]


def test_all_filters_that_refuse_are_told() -> None:
    policy = Policy(kinds=("film",), max_size=5, resolutions=("2160p",))
    message = parsed(release=Release(size=9, resolution="720p"))
    assert codes(run(message, policy=policy)) == [
        Code.FILTERED_KIND,
        Code.FILTERED_RESOLUTION,
        Code.FILTERED_SIZE,
    ]


def test_what_is_not_sure_asks_with_all_reasons() -> None:
    message = parsed(title=None, kind=None, episodes=(), seasons=())
    decision = run(message, work=None, signals=UNSURE)
    assert decision.verdict is Verdict.ASK
    assert {Code.NO_TITLE, Code.KIND_UNKNOWN, Code.LOW_CONFIDENCE} <= set(codes(decision))
    assert Code.NO_EPISODES in codes(run(parsed(episodes=()), signals=UNSURE))
    assert Code.NOT_READ in codes(run(signals=UNSURE, share=ShareFacts(missing="cooldown")))
    assert Code.MODEL_FAILED in codes(run(parsed(failed_model=True)))


def test_everything_stored_skips_and_a_new_episode_does_not() -> None:
    assert codes(run(stored=StoredView(pairs=EPISODES))) == [Code.ALL_STORED, Code.AUTOMATIC]
    assert run(stored=StoredView(pairs=EPISODES)).verdict is Verdict.SKIP
    assert run(parsed(episodes=((1, 3),)), stored=StoredView(pairs=EPISODES)).verdict is Verdict.SAVE
    film = parsed(kind=Kind.FILM, seasons=(), episodes=())
    assert run(film, stored=StoredView(pairs=FILM)).verdict is Verdict.SKIP


def test_a_whole_season_is_stored_when_each_of_its_episodes_is() -> None:
    whole = parsed(episodes=(), complete=True, declared_total=2)
    assert run(whole, stored=StoredView(pairs=EPISODES)).verdict is Verdict.SKIP
    unknown = parsed(episodes=(), complete=True)
    assert run(unknown, stored=StoredView(pairs=EPISODES)).verdict is Verdict.SAVE


def test_a_share_with_more_videos_than_named_may_hold_new_episodes() -> None:
    share = ShareFacts(files=3, videos=3)
    assert run(share=share, stored=StoredView(pairs=EPISODES)).verdict is Verdict.SAVE


def test_collections_and_parts_are_not_skipped_by_a_title() -> None:
    film = parsed(kind=Kind.FILM, seasons=(), episodes=(), collection=True)
    assert run(film, stored=StoredView(pairs=FILM)).verdict is Verdict.SAVE
    assert run(parsed(part="柱训练篇"), stored=StoredView(pairs=EPISODES)).verdict is Verdict.SAVE


def test_a_weak_hit_asks_and_never_skips() -> None:
    decision = run(stored=StoredView(weak=EPISODES))
    assert (decision.verdict, codes(decision)[0]) == (Verdict.ASK, Code.MAYBE_STORED)


def test_an_unsure_work_that_is_stored_asks() -> None:
    decision = run(signals=UNSURE, stored=StoredView(pairs=EPISODES))
    assert decision.verdict is Verdict.ASK
    assert Code.MAYBE_STORED in codes(decision)


def test_a_share_without_new_files_is_skipped_and_a_grown_one_is_not() -> None:
    assert run(share=ShareFacts(files=2, videos=2, newer=0)).verdict is Verdict.SKIP
    assert run(share=ShareFacts(files=3, videos=3, newer=1)).verdict is Verdict.SAVE
    assert codes(run(stored=StoredView(seen=True)))[0] is Code.NOTHING_NEW


def test_duplicates_ask_a_person_who_wants_them() -> None:
    for facts in ({"stored": StoredView(pairs=EPISODES)}, {"share": ShareFacts(files=2, videos=2, newer=0)}):
        assert run(**facts, person_wanted=True).verdict is Verdict.ASK
        assert run(**facts, person_wanted=True, approved=True).verdict is Verdict.SAVE


@pytest.mark.parametrize(
    ("opinions", "verdict"),
    [
        ([Verdict.SAVE], Verdict.SAVE),
        ([Verdict.SAVE, Verdict.ASK], Verdict.ASK),
        ([Verdict.ASK, Verdict.SKIP, Verdict.SAVE], Verdict.SKIP),
    ],
)
def test_skip_beats_ask_beats_save(opinions: list[Verdict], verdict: Verdict) -> None:
    given = [Opinion(verdict=each, reason=Reason(code=Code.PLUGIN_ASKS)) for each in opinions]
    assert run(plugin_opinions=given).verdict is verdict


def test_no_opinion_widens_what_the_policy_allows() -> None:
    saves = [Opinion(verdict=Verdict.SAVE, reason=Reason(code=Code.PLUGIN_ASKS))]
    assert run(signals=UNSURE, plugin_opinions=saves).verdict is Verdict.ASK
    assert run(policy=Policy(approval=Approval.ALWAYS), plugin_opinions=saves).verdict is Verdict.ASK
    assert run(policy=Policy(kinds=("film",)), plugin_opinions=saves).verdict is Verdict.SKIP


def test_the_sources_approval_rule() -> None:
    assert run(policy=Policy(approval=Approval.ALWAYS)).verdict is Verdict.ASK
    assert run(policy=Policy(approval=Approval.SUBSCRIBED)).verdict is Verdict.ASK
    assert run(policy=Policy(approval=Approval.SUBSCRIBED), person_wanted=True).verdict is Verdict.SAVE
    assert run(policy=Policy(approval=Approval.ALWAYS), person_wanted=True).verdict is Verdict.ASK
    assert run(policy=Policy(confidence=0.95)).verdict is Verdict.ASK


def test_a_yes_settles_questions_and_nothing_else() -> None:
    always = Policy(approval=Approval.ALWAYS)
    assert codes(run(policy=always, signals=UNSURE, approved=True)) == [Code.APPROVED]
    assert run(stored=StoredView(weak=EPISODES), approved=True).verdict is Verdict.SAVE
    assert run(parsed(is_media=False, is_ad=True), approved=True).verdict is Verdict.REJECT
    assert run(policy=Policy(kinds=("film",)), approved=True).verdict is Verdict.SKIP
    assert run(stored=StoredView(pairs=EPISODES), approved=True).verdict is Verdict.SKIP
    assert run(parsed(title=None), work=None, approved=True).verdict is Verdict.ASK


@given(
    st.builds(
        Parsed,
        is_media=st.booleans(),
        is_ad=st.booleans(),
        kind=st.sampled_from([None, *Kind]),
        title=st.sampled_from([None, "安多"]),
        seasons=st.sampled_from([(), (1,), (1, 2)]),
        episodes=st.sampled_from([(), ((1, 2),)]),
        complete=st.booleans(),
    ),
    st.floats(0, 1),
    st.sampled_from([*Approval]),
    st.sampled_from([StoredView(), StoredView(pairs=frozenset({(1, 1), (1, 2)})), StoredView(weak=FILM)]),
    st.booleans(),
    st.booleans(),
)
def test_every_decision_has_a_reason_and_adverts_are_never_saved(
    message: Parsed, total: float, approval: Approval, stored: StoredView, wanted: bool, approved: bool
) -> None:
    work = Work(kind=message.kind, title=message.title) if message.kind and message.title else None
    decision = run(
        message,
        signals=Signals(total=total),
        policy=Policy(approval=approval),
        work=work,
        stored=stored,
        person_wanted=wanted,
        approved=approved,
    )
    assert decision.reasons
    if message.is_ad:
        assert decision.verdict is Verdict.REJECT
    if decision.verdict is Verdict.SAVE:
        assert work is not None
        assert message.is_media
        assert approved or approval is not Approval.ALWAYS
    if stored.weak and not approved and message.is_media and not message.is_ad:
        assert decision.verdict is Verdict.ASK
