"""Strangers' code: it is called with frozen views in order, may say no or ask, and can bring nothing down."""

import asyncio
import dataclasses
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from custom_components.reelay.core.builtin import demo_plugins
from custom_components.reelay.core.model.message import Message
from custom_components.reelay.core.model.states import State
from custom_components.reelay.core.plugin_api import (
    Answer,
    Contribution,
    ExtensionPoint,
    Plugin,
    TaskView,
)
from custom_components.reelay.core.policy.schema import Approval, PluginSwitch, Policy
from tests.core.pipeline.house import OWNER, UNSURE, House, film, link, plugin

HOOKS = (
    ExtensionPoint.BEFORE_PARSE,
    ExtensionPoint.PARSER,
    ExtensionPoint.AFTER_PARSE,
    ExtensionPoint.DECIDER,
    ExtensionPoint.BEFORE_SAVE,
    ExtensionPoint.AFTER_SAVE,
)


@pytest.fixture
def home(tmp_path: Path) -> House:
    """A house that isn't started yet."""
    made = House(tmp_path)
    made.film_share("swharbor1")
    return made


def says(answer: Answer | None, seen: list[TaskView] | None = None) -> Callable[[TaskView], Any]:
    async def hook(task: TaskView, /) -> Answer | None:
        if seen is not None:
            seen.append(task)
        return answer

    return hook


async def save_one(home: House, *plugins: Plugin) -> int:
    home.plugins += plugins
    await home.start()
    task = await home.one(film("swharbor1"))
    await home.wait(minutes=1)
    return task


async def ends(home: House, task: int) -> State:
    """The state of a task after some real time, for what doesn't go by our clock: time limits, the drive's file."""
    for _ in range(40):
        if await home.state(task) is State.DONE:
            break
        await asyncio.sleep(0.03)
        await home.wait(10)
    return await home.state(task)


async def detail_of(home: House, task: int, code: str) -> dict[str, Any]:
    return next(dict(line.detail) for line in await home.trace(task) if line.code == code)


async def test_every_point_is_called_on_a_tasks_way_in_the_order_of_the_way(home: House) -> None:
    called: list[str] = []

    def at(point: ExtensionPoint) -> Callable[[TaskView], Any]:
        async def hook(task: TaskView, /) -> None:
            called.append(f"{point} {task.state_name}")

        return hook

    task = await save_one(home, *(plugin(str(point), at(point), point) for point in HOOKS))
    assert await home.state(task) is State.DONE
    assert called == [
        "before_parse received",
        "parser received",
        "after_parse received",
        "decider received",
        "before_save queued",
        "after_save organizing",
    ]
    await home.stop()


async def test_plugins_of_a_point_are_called_by_priority(home: House) -> None:
    called: list[str] = []

    def named(name: str) -> Callable[[TaskView], Any]:
        async def hook(task: TaskView, /) -> None:
            called.append(name)

        return hook

    await save_one(
        home,
        plugin("late", named("late"), priority=200),
        plugin("b", named("b")),
        plugin("a", named("a")),
        plugin("early", named("early"), priority=-5),
    )
    assert called == ["early", "a", "b", "late"]
    await home.stop()


async def test_a_view_is_frozen_and_holds_neither_code_nor_link(home: House) -> None:
    seen: list[TaskView] = []
    await save_one(home, *(plugin(str(point), says(None, seen), point) for point in HOOKS))
    assert len(seen) == len(HOOKS)
    for view in seen:
        assert not any(secret in repr(view) for secret in ("swharbor1", "ab12", "115cdn"))
        for part in (view, view.message, view.offer):
            with pytest.raises(dataclasses.FrozenInstanceError):
                part.state = 1  # type: ignore[misc, union-attr]
    after = next(view for view in seen if view.listing is not None)
    assert after.offer.title == "Silver Harbor"
    assert after.listing is not None
    assert after.listing.files[0][0] == "Silver.Harbor.2021.1080p.WEB-DL.mkv"
    await home.stop()


# -- what they may say


@pytest.mark.parametrize(
    ("verdicts", "state"),
    [
        (("skip", "ask", "save"), State.SKIPPED),
        (("save", "ask"), State.PENDING_APPROVAL),
        (("save", "save"), State.DONE),
        ((None,), State.DONE),
    ],
)
async def test_skip_beats_ask_beats_save(home: House, verdicts: tuple[str | None, ...], state: State) -> None:
    plugins = [plugin(f"p{n}", says(Answer(verdict=said, reason="so"))) for n, said in enumerate(verdicts)]
    task = await save_one(home, *plugins)
    assert await home.state(task) is state
    if state is not State.DONE:
        place = verdicts.index("skip" if state is State.SKIPPED else "ask")
        code = "plugin_skips" if state is State.SKIPPED else "plugin_asks"
        detail = await detail_of(home, task, code)
        assert (detail["plugin"], detail["reason"]) == (f"p{place}", "so")
    await home.stop()


@pytest.mark.parametrize(
    "policy", [Policy(approval=Approval.ALWAYS), Policy(kinds=("series",)), Policy(max_size=1)]
)
async def test_no_plugin_can_widen_what_the_rules_allow(home: House, policy: Policy) -> None:
    home.owner.policy = policy
    answer = Answer(verdict="save", reason="please")
    task = await save_one(home, *(plugin(str(point), says(answer), point) for point in HOOKS))
    assert await home.state(task) in (State.PENDING_APPROVAL, State.SKIPPED)
    assert home.receives() == 0
    reasons = (await home.app.queries.get_task(task))["task"]["reasons"]
    assert not any(reason.startswith("plugin") for reason in reasons)
    await home.stop()


@pytest.mark.parametrize(
    "point", [ExtensionPoint.BEFORE_PARSE, ExtensionPoint.AFTER_PARSE, ExtensionPoint.BEFORE_SAVE]
)
async def test_a_veto_at_any_point_before_the_transfer_skips(home: House, point: ExtensionPoint) -> None:
    task = await save_one(home, plugin("no", says(Answer(verdict="skip", reason="seen")), point))
    assert await home.last(task) == "skipped plugin_skips"
    assert home.receives() == 0
    view = (await home.app.queries.get_task(task))["task"]
    assert view["reasons"][0] == "plugin_skips"
    await home.stop()


async def test_a_late_veto_lets_go_of_what_was_prepared(home: House) -> None:
    answers = [None, Answer(verdict="skip")]

    async def hook(task: TaskView, /) -> Answer | None:
        return answers.pop(0)

    home.fail("make_folder", "busy_task", seconds=60)
    home.plugins.append(plugin("no", hook, ExtensionPoint.BEFORE_SAVE))
    await home.start()
    task = await home.one(film("swharbor1"))
    assert await home.count("claims") == 1
    await home.wait(minutes=2)
    assert await home.last(task) == "skipped plugin_skips"
    assert await home.count("claims") == 0
    await home.stop()


@pytest.mark.parametrize("point", [ExtensionPoint.PARSER, ExtensionPoint.AFTER_PARSE])
async def test_fields_correct_what_was_read(home: House, point: ExtensionPoint) -> None:
    fields = {"title": "Night Flight", "year": 1934, "kind": "film", "is_ad": True, "nonsense": 1}
    home.plugins.append(plugin("knows", says(Answer(fields=fields)), point))
    await home.start()
    home.film_share("swnight1", "night.mkv")
    task = await home.one(UNSURE.format(link=link("swnight1")))
    await home.wait(minutes=1)
    assert await home.state(task) is State.DONE
    assert home.files() == ["Reelay/Films/Night Flight (1934)/Night Flight (1934).mkv"]
    await home.stop()


async def test_a_person_outranks_a_plugin(home: House) -> None:
    fields = {"title": "Wrong", "year": 1900}
    points = (ExtensionPoint.PARSER, ExtensionPoint.AFTER_PARSE)
    home.plugins += [plugin(str(point), says(Answer(fields=fields)), point) for point in points]
    home.owner.policy = Policy(approval=Approval.ALWAYS)
    await home.start()
    task = await home.one(film("swharbor1"))
    await home.app.commands.correct(OWNER, task, text="Golden Harbor 2023 film")
    await home.settle()
    work = (await home.task(task)).context.work
    assert work is not None
    assert (work.title, work.year) == ("Golden Harbor", 2023)
    await home.stop()


# -- what goes wrong in them


async def raises(task: TaskView, /) -> None:
    raise RuntimeError("secret words")


async def stopped(task: TaskView, /) -> None:
    raise asyncio.CancelledError


async def hangs(task: TaskView, /) -> None:
    await asyncio.Event().wait()


def no_coroutine(task: TaskView, /) -> int:
    return 7


RUBBISH: dict[str, tuple[Any, str]] = {
    "raises": (raises, "RuntimeError"),
    "raises what means stop": (stopped, "CancelledError"),
    "hangs": (hangs, "TimeoutError"),
    "is no coroutine": (no_coroutine, "TypeError"),
    "answers with something else": (says("skip"), "AttributeError"),  # type: ignore[arg-type]
    "says an unknown word": (says(Answer(verdict="maybe")), "KeyError"),
    "rejects": (says(Answer(verdict="reject")), "KeyError"),
    "keeps too much": (says(Answer(state="x" * 70_000)), "ValueError"),
    "keeps what isn't text": (says(Answer(state={"a": "\ud800"})), "Error"),
    "gives fields that are none": (says(Answer(fields=3)), "TypeError"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("point", HOOKS, ids=str)
@pytest.mark.parametrize("fault", RUBBISH)
async def test_a_faulty_plugin_is_left_out_and_named_in_the_trace(
    home: House, fault: str, point: ExtensionPoint
) -> None:
    hook, error = RUBBISH[fault]
    task = await save_one(home, plugin("bad", hook, point, timeout=0.05), plugin("good", says(None), point))
    assert await ends(home, task) is State.DONE
    failed = [
        str(line.detail.get("plugins_failed", "")) + str(line.detail.get("error", ""))
        for line in await home.trace(task)
        if line.code == "plugin_failed" or "plugins_failed" in line.detail
    ]
    assert len(failed) == 1
    assert error in failed[0]
    assert "secret words" not in failed[0]
    await home.stop()


@pytest.mark.parametrize(
    "fields", [{"year": "soon"}, {"kind": "opera"}, {"seasons": "all"}, {"title": "x" * 5_000}]
)
async def test_fields_that_cannot_be_used_count_for_nothing(home: House, fields: dict[str, Any]) -> None:
    task = await save_one(home, plugin("bad", says(Answer(fields=fields)), ExtensionPoint.PARSER))
    assert await home.state(task) is State.DONE
    assert home.files() == ["Reelay/Films/Silver Harbor (2021)/Silver Harbor (2021).mkv"]
    detail = await detail_of(home, task, "identified")
    assert detail["plugins_failed"] == ["bad: unusable fields"]
    await home.stop()


# -- switches, settings, state


async def test_settings_come_from_the_policy_through_the_plugins_own_schema(home: House) -> None:
    seen: list[TaskView] = []
    home.owner.policy = Policy(plugins={"set": PluginSwitch(settings={"words": ["a"]})})

    def schema(given: Any) -> dict[str, Any]:
        given["words"].append("b")
        return {"words": tuple(given["words"])}

    await save_one(home, plugin("set", says(None, seen), settings_schema=schema))
    await home.post(UNSURE.format(link=link("swnight1")))
    assert [view.settings for view in seen] == [{"words": ("a", "b")}] * 2
    await home.stop()


async def test_a_plugin_that_is_switched_off_is_not_asked(home: House) -> None:
    home.owner.policy = Policy(plugins={"off": PluginSwitch(enabled=False)})
    task = await save_one(home, plugin("off", says(Answer(verdict="skip"))))
    assert await home.state(task) is State.DONE
    await home.stop()


async def test_a_switch_holds_for_the_source_that_has_it_and_as_it_was_when_the_message_came(
    home: House,
) -> None:
    home.owner.sources = {
        "other": Policy(plugins={"no": PluginSwitch(enabled=False)}, approval=Approval.ALWAYS)
    }
    home.plugins.append(plugin("no", says(Answer(verdict="skip")), ExtensionPoint.BEFORE_SAVE))
    await home.start()
    task = await home.one(film("swharbor1"), source="other")
    home.owner.sources = {}
    await home.app.commands.approve(OWNER, task)
    await home.wait(minutes=1)
    assert await home.state(task) is State.DONE
    await home.stop()


async def test_state_comes_back_at_the_next_point_and_after_a_restart(home: House) -> None:
    seen: list[Any] = []

    async def hook(task: TaskView, /) -> Answer:
        seen.append(task.state)
        return Answer(state={"calls": len(seen)})

    points = (ExtensionPoint.BEFORE_PARSE, ExtensionPoint.DECIDER, ExtensionPoint.BEFORE_SAVE)
    contributions = tuple(Contribution(point=point, name=str(point), provider=hook) for point in points)
    home.owner.policy = Policy(approval=Approval.ALWAYS)
    home.plugins.append(Plugin(name="counts", contributions=contributions))
    await home.start()
    task = await home.one(film("swharbor1"))
    await home.restart()
    await home.app.commands.approve(OWNER, task)
    await home.wait(minutes=1)
    assert seen == [None, {"calls": 1}, {"calls": 2}]
    assert await home.count("plugin_state") == 1
    await home.stop()


# -- plugins that come and go


async def test_a_policy_that_names_a_plugin_which_is_not_there_holds_its_tasks_and_says_so(
    home: House,
) -> None:
    home.owner.policy = Policy(plugins={"late": PluginSwitch()})
    await home.start()
    task = await home.one(film("swharbor1"))
    await home.wait(hours=48)
    assert await home.state(task) is State.RECEIVED
    view = (await home.app.queries.get_task(task))["task"]
    assert view["reasons"] == ["plugin_missing"]
    assert await detail_of(home, task, "plugin_missing") == {"plugin": "late"}
    await home.restart()
    await home.wait(60)
    assert await home.state(task) is State.RECEIVED
    assert [line.code for line in await home.trace(task)].count("plugin_missing") == 1
    home.app.add_plugin(plugin("late", says(None)))
    await home.wait(minutes=1)
    assert await home.state(task) is State.DONE
    await home.stop()


async def test_a_drive_that_goes_while_running_holds_tasks_until_it_is_back(home: House) -> None:
    home.fail("receive", "late", seconds=600)
    await home.start()
    waiting = await home.one(film("swharbor1"))
    await home.wait(minutes=1)
    assert await home.state(waiting) is State.SAVING
    home.app.remove_plugin("storage")
    await home.settle()
    new = await home.one(film("swharbor2").replace("Silver", "Golden"))
    await home.wait(hours=1)
    assert (await home.state(waiting), await home.state(new)) == (State.SAVING, State.RECEIVED)
    for task in (waiting, new):
        assert (await home.app.queries.get_task(task))["task"]["reasons"][0] == "plugin_missing"
    home.film_share("swharbor2", "Golden.Harbor.2021.mkv")
    home.app.add_plugin(home.storage())
    await home.wait(hours=1)
    assert (await home.state(waiting), await home.state(new)) == (State.DONE, State.DONE)
    assert home.receives() == 2
    await home.stop()


async def test_a_held_question_is_still_answered(home: House) -> None:
    home.owner.policy = Policy(approval=Approval.ALWAYS, approval_days=1, plugins={"gone": PluginSwitch()})
    home.plugins.append(plugin("gone", says(None)))
    await home.start()
    task = await home.one(film("swharbor1"))
    home.app.remove_plugin("gone")
    await home.wait(hours=30)
    assert await home.state(task) is State.PENDING_APPROVAL
    await home.app.commands.ignore(OWNER, task)
    assert await home.state(task) is State.SKIPPED
    await home.stop()


@pytest.mark.parametrize("gone", ["demo_drive", "demo_source"])
async def test_without_one_of_the_built_in_parts_the_rest_runs_and_says_what_is_missing(
    home: House, gone: str
) -> None:
    home.plugins = [each for each in demo_plugins("/Reelay", pace=0.01) if each.name != gone]
    await home.start()
    task = await home.one(film("swharbor1"))
    await home.wait(minutes=5)
    if gone == "demo_drive":
        view = (await home.app.queries.get_task(task))["task"]
        assert view["reasons"] == ["plugin_missing"]
        assert await detail_of(home, task, "plugin_missing") == {"plugin": "demo"}
        assert home.app.snapshot.counts.get(State.REJECTED) == 1
    else:
        assert await ends(home, task) is State.DONE
        assert await home.count("messages") == 1
    await home.stop()


async def test_a_plugin_for_another_api_is_refused_and_named(home: House) -> None:
    home.plugins.append(Plugin(name="future", contributions=(), api_version=99))
    task = await save_one(home)
    assert await home.state(task) is State.DONE
    assert "future" not in home.app.plugins.names()
    state = next(state for state in home.app.health if state.component == "plugin:future")
    assert state.state == "bad"
    with pytest.raises(ValueError, match="API 99"):
        home.app.add_plugin(Plugin(name="future", contributions=(), api_version=99))
    with pytest.raises(ValueError, match="already there"):
        home.app.add_plugin(home.storage())
    await home.stop()


# -- sources, drives and notifiers of strangers


@dataclasses.dataclass
class Source:
    """Delivers one message as soon as it's started; raises where it's told to."""

    text: str = ""
    fault: str = ""
    key: str = "strange"
    log: list[str] = dataclasses.field(default_factory=list)

    async def start(self, sink: Any, clock: Any) -> None:
        self.log.append("start")
        if self.fault == "start":
            raise OSError("no network")
        if self.text:
            await sink.deliver(
                (Message(source=self.key, message_id="1", text=self.text, posted=clock.now()),)
            )

    async def stop(self) -> None:
        self.log.append("stop")
        if self.fault == "stop":
            raise OSError("no network")


def bring(name: str, point: ExtensionPoint, made: Any) -> Plugin:
    return Plugin(name=name, contributions=(Contribution(point=point, name=name, provider=made),))


async def test_a_source_of_a_stranger_delivers_until_it_is_unplugged(home: House) -> None:
    source = Source(text=film("swharbor1"))
    home.plugins.append(bring("strange", ExtensionPoint.SOURCE, lambda around: source))
    await home.start()
    await home.wait(minutes=1)
    assert home.app.snapshot.counts == {State.DONE: 1}
    home.app.remove_plugin("strange")
    await home.settle()
    assert source.log == ["start", "stop"]
    await home.stop()


@pytest.mark.parametrize("fault", ["start", "stop", "factory"])
async def test_a_source_that_fails_is_named_and_keeps_nobody_from_working_or_ending(
    home: House, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    def factory(around: Any) -> Source:
        if fault == "factory":
            raise OSError("no network")
        return Source(fault=fault)

    home.plugins.append(bring("strange", ExtensionPoint.SOURCE, factory))
    with caplog.at_level(logging.WARNING, logger="custom_components.reelay"):
        task = await save_one(home)
        assert await home.state(task) is State.DONE
        states = {state.component: state.state for state in home.app.health}
        assert states["plugin:strange"] == ("ok" if fault == "stop" else "bad")
        await home.stop()
    assert "strange" in caplog.text


async def test_a_drive_that_cannot_be_made_holds_the_tasks_that_need_it(home: House) -> None:
    def factory(around: Any) -> None:
        raise OSError("no network")

    home.plugins = [bring("demo", ExtensionPoint.STORAGE, factory)]
    task = await save_one(home)
    assert await detail_of(home, task, "plugin_missing") == {"plugin": "demo"}
    assert {state.component: state.state for state in home.app.health}["plugin:demo"] == "bad"
    await home.stop()


async def test_a_notifier_of_a_stranger_gets_what_phones_get(home: House) -> None:
    class Pager:
        def __init__(self) -> None:
            self.got: list[tuple[str, str]] = []

        async def send(self, target: str, notice: Any, facts: Any) -> str:
            self.got.append((target, notice.kind.value))
            return "r"

    pager = Pager()
    home.owner.policy = Policy(approval=Approval.ALWAYS)
    home.plugins.append(bring("pager", ExtensionPoint.NOTIFIER, pager))
    await home.start()
    task = await home.one(film("swharbor1"))
    await home.app.commands.approve(OWNER, task)
    await home.wait(minutes=1)
    assert pager.got == [("pager", "approval"), ("pager", "clear"), ("pager", "result")]
    assert home.phones.kinds() == ["approval", "clear", "result"]
    await home.stop()
