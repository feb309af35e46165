"""What a person can ask: lists, one task with everything about it, and the preview that stores nothing."""

import asyncio
import json
from typing import Any

import pytest

from custom_components.reelay.core.drives.memory_shares import Condition
from custom_components.reelay.core.model.errors import CommandError
from custom_components.reelay.core.model.states import State
from custom_components.reelay.core.policy.schema import Approval, Policy
from tests.core.pipeline.house import ADVERT, GIB, OWNER, UNSURE, House, film, link, series

CODES = ("swharbor1", "swnight1", "swadvert1", "zz99", "ab12", "115cdn.com", "password")


def leaks(answer: Any) -> list[str]:
    text = json.dumps(answer, ensure_ascii=False)
    return [secret for secret in CODES if secret in text]


async def many(house: House) -> dict[str, int]:
    """Tasks of two sources in several states."""
    house.film_share("swharbor1")
    made = {
        "done": await house.one(film("swharbor1")),
        "rejected": await house.one(ADVERT.format(link=link("swadvert1"))),
        "asked": await house.one(UNSURE.format(link=link("swnight1"))),
        "asked elsewhere": await house.one(UNSURE.format(link=link("swnight2")), source="other"),
    }
    house.film_share("swdead1", condition=Condition.DEAD)
    made["failed"] = await house.one(film("swdead1").replace("Silver", "Golden"))
    house.film_share("swaudit1", condition=Condition.AUDIT)
    made["retried"] = await house.one(film("swaudit1").replace("Silver", "Paper"))
    await house.wait(20)
    return made


async def listed(house: House, **filters: Any) -> list[int]:
    return [view["id"] for view in (await house.app.queries.list_tasks(**filters))["tasks"]]


async def test_tasks_are_listed_newest_first_by_state_source_and_words(house: House) -> None:
    made = await many(house)
    assert await listed(house) == sorted(made.values(), reverse=True)
    assert await listed(house, states=("pending_approval",)) == [made["asked elsewhere"], made["asked"]]
    assert await listed(house, states=("pending_approval",), source="other") == [made["asked elsewhere"]]
    assert await listed(house, source="other") == [made["asked elsewhere"]]
    assert await listed(house, text="harbor") == [made["retried"], made["failed"], made["done"]]
    assert await listed(house, text="harbor", states=("done",)) == [made["done"]]
    assert await listed(house, text="100%") == []


async def test_totals_count_what_passes_the_filters_and_not_the_page(house: House) -> None:
    await many(house)
    for filters, total in (
        ({}, 6),
        ({"states": ("pending_approval",)}, 2),
        ({"source": "other"}, 1),
        ({"text": "harbor"}, 3),
        ({"states": ("stored",)}, 0),
    ):
        assert (await house.app.queries.list_tasks(limit=1, **filters))["total"] == total  # type: ignore[arg-type]


async def test_attention_is_what_only_a_person_moves_on(house: House) -> None:
    made = await many(house)
    answer = await house.app.queries.list_tasks(attention=True)
    assert [view["id"] for view in answer["tasks"]] == [made["failed"]]
    assert answer["total"] == house.app.snapshot.needs_attention == 1
    assert house.app.snapshot.retrying == 1
    views = {view["id"]: view for view in (await house.app.queries.list_tasks())["tasks"]}
    assert (views[made["failed"]]["attention"], views[made["failed"]]["retrying"]) == (True, False)
    assert (views[made["retried"]]["attention"], views[made["retried"]]["retrying"]) == (False, True)
    assert await listed(house, attention=True, states=("done",)) == []
    assert (await house.app.queries.list_tasks(attention=True, text="harbor"))["total"] == 1


async def test_pages_hold_together_without_gaps_or_doubles(house: House) -> None:
    for number in range(7):
        await house.one(UNSURE.format(link=link(f"swnight{number}")))
    found: list[int] = []
    before = None
    while True:
        answer = await house.app.queries.list_tasks(limit=3, before=before)
        found += [view["id"] for view in answer["tasks"]]
        before = answer["next"]
        if before is None:
            break
    assert found == [7, 6, 5, 4, 3, 2, 1]
    assert len(await listed(house, limit=0)) == 1


async def test_a_task_tells_everything_but_codes_and_links(house: House) -> None:
    house.film_share("swharbor1")
    task = await house.one(film("swharbor1") + "\n访问码：zz99")
    await house.wait(minutes=1)
    answer = await house.app.queries.get_task(task)
    assert answer["task"]["state"] == "done"
    assert answer["task"]["title"] == "Silver Harbor"
    assert "Silver Harbor (2021)" in answer["message"]["text"]
    assert answer["decision"]["verdict"] == "save"
    assert answer["share"]["videos"] == 1
    (file,) = answer["files"]
    assert (file["placed"], file["received"], file["problem"]) == ("placed", True, None)
    assert file["name"] == "Silver Harbor (2021).mkv"
    states = [line["to_state"] for line in answer["trace"]]
    assert states == ["received", "parsed", "queued", "saving", "stored", "organizing", "done"]
    assert [line["id"] for line in answer["trace"]] == sorted(line["id"] for line in answer["trace"])
    assert answer["actions"] == []
    assert leaks(answer) == []


@pytest.mark.parametrize(
    "text",
    [
        link("swnight1"),
        "链接：" + link("swnight1") + "\n访问码：zz99",
        link("swnight1", None) + " zz99",
        "ed2k://|file|Night.S01E01.mkv|1000|0123456789abcdef0123456789abcdef|/",
    ],
)
async def test_a_message_that_is_little_more_than_a_link_leaks_it_nowhere(house: House, text: str) -> None:
    events: list[Any] = []
    house.app.on_event(events.append)
    (task,) = await house.post(text)
    await house.wait(minutes=1)
    shown = [
        await house.app.queries.get_task(task),
        await house.app.queries.list_tasks(),
        [str(event) for event in events],
        [(notice.data, dict(facts)) for _, notice, facts in house.phones.sent],
    ]
    assert [leak for each in shown for leak in leaks(each)] == []
    assert "0123456789abcdef" not in json.dumps(shown, ensure_ascii=False)


async def test_a_task_that_does_not_exist_is_named(house: House) -> None:
    with pytest.raises(CommandError) as caught:
        await house.app.queries.get_task(7)
    assert (caught.value.key, caught.value.placeholders) == ("unknown_task", {"task_id": 7})


# -- preview


async def rows(house: House) -> list[str]:
    """Every row of every table."""

    def read(tx: Any) -> list[str]:
        names = [row[0] for row in tx.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return [f"{name}: {row}" for name in sorted(names) for row in tx.execute(f"SELECT * FROM {name}")]

    return await house.app._db.read(read)


async def preview(house: House, text: str) -> dict[str, Any]:
    """The preview, which must not have written, sent or asked anything."""
    before, commits, deeds = await rows(house), house.app._db.commits, house.drive.log()
    answer = await house.app.queries.preview(text=text)
    await house.settle()
    assert await rows(house) == before
    assert house.app._db.commits == commits
    assert house.drive.log() == deeds
    assert house.phones.sent == []
    assert leaks(answer) == []
    return answer


async def test_the_preview_says_what_would_become_of_a_text(house: House) -> None:
    house.series_share("swcomet1", 3)
    answer = await preview(house, series("swcomet1", 3))
    (offer,) = answer["offers"]
    assert answer["refused"] is None
    assert (offer["work"]["title"], offer["work"]["year"]) == ("The Paper Comet", 2019)
    assert offer["decision"]["verdict"] == "save"
    assert [(file["season"], file["episode"]) for file in offer["files"]] == [(1, 1), (1, 2), (1, 3)]
    assert offer["share"]["videos"] == 3


async def test_the_preview_says_which_rule_refuses(house: House) -> None:
    assert (await preview(house, ADVERT.format(link=link("swadvert1"))))["refused"]["code"] == "advert"
    answer = await preview(house, "📢 今日共更新【12】条资源")
    assert (answer["refused"]["code"], answer["offers"]) == ("no_link", [])


async def test_the_preview_of_a_dead_or_locked_share_names_it(house: House) -> None:
    house.film_share("swharbor1", condition=Condition.DEAD)
    (offer,) = (await preview(house, film("swharbor1")))["offers"]
    assert offer["error"] == "share_dead"
    house.film_share("swnight1", access="zz99")
    (offer,) = (await preview(house, film("swnight1")))["offers"]
    assert offer["error"] == "wrong_code"


async def test_the_preview_of_unclear_files_names_them(house: House) -> None:
    house.share("swharbor1", {"The Crossing.mkv": 4 * GIB, "The Return.mkv": 4 * GIB + 1})
    (offer,) = (await preview(house, "🎬 电影：Twin Harbors (2020)\n" + link("swharbor1")))["offers"]
    assert [problem["code"] for problem in offer["problems"]] == ["several_features"]


async def test_the_preview_works_while_the_drive_refuses_everything(house: House) -> None:
    await house.drive.cool_down(600)
    (offer,) = (await house.app.queries.preview(text=film("swharbor1")))["offers"]
    assert offer["share"]["missing"] == "cooldown"
    assert offer["decision"]["verdict"] in ("save", "ask")


@pytest.mark.parametrize(("text", "key"), [("  ", "text_empty"), ("x" * 70_000, "text_too_long")])
async def test_the_preview_refuses_texts_that_are_none(house: House, text: str, key: str) -> None:
    with pytest.raises(CommandError) as caught:
        await house.app.queries.preview(text=text)
    assert caught.value.key == key


# -- events and numbers


async def test_events_replayed_are_the_events_told(house: House) -> None:
    told: list[Any] = []
    house.app.on_event(told.append)
    house.fail("make_folder", "busy_task", seconds=3600)
    house.film_share("swharbor1")
    await house.post(film("swharbor1"), "m1")
    await house.post(film("swharbor1").replace("2021", "2022"), "m1")
    house.series_share("swcomet1", 4)
    house.fail("receive", "partial", keep=0.5)
    await house.post(series("swcomet1", 4))
    task = await house.one(UNSURE.format(link=link("swnight1")))
    await house.app.commands.ignore(OWNER, task)
    await house.wait(hours=3)
    replayed = await house.app.events_after(0)
    assert [event.id for event in told] == [event.id for event in replayed]
    assert [event.to_state for event in replayed if event.task == task] == [
        State.PENDING_APPROVAL,
        State.SKIPPED,
    ]
    assert all(event.from_state is not event.to_state for event in replayed)
    assert [event.id for event in await house.app.events_after(replayed[1].id)] == [
        e.id for e in replayed[2:]
    ]


async def test_the_numbers_are_those_of_the_table_whatever_happens(house: House) -> None:
    house.owner.policy = Policy(approval=Approval.ALWAYS)
    for number in range(6):
        await house.post(UNSURE.format(link=link(f"swnight{number}")))
    await asyncio.gather(
        *(house.app.commands.ignore(OWNER, number) for number in (1, 2)),
        house.app._tally.recount(),
        *(house.app.commands.approve(OWNER, number) for number in (3, 4)),
        house.app._tally.recount(),
        house.app.commands.ignore(OWNER, 5),
    )
    await house.wait(minutes=10)

    def count(tx: Any) -> dict[State, int]:
        return {
            State(state): n for state, n in tx.execute("SELECT state, count(*) FROM tasks GROUP BY state")
        }

    assert house.app.snapshot.counts == await house.app._db.read(count)
