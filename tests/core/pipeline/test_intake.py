"""What becomes of a message when it arrives, arrives again, and is edited."""

import asyncio

import pytest

from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.states import State
from custom_components.reelay.core.policy.schema import Approval, Policy
from tests.core.pipeline.house import ADVERT, OWNER, UNSURE, House, film, link, series


async def test_a_film_goes_from_its_message_to_its_place(house: House) -> None:
    house.film_share("swharbor1")
    task = await house.one(film("swharbor1"))
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE
    assert house.files() == ["Reelay/Films/Silver Harbor (2021)/Silver Harbor (2021).mkv"]
    assert house.phones.kinds() == ["result"]
    assert house.receives() == 1


async def test_the_same_message_twice_makes_one_task(house: House) -> None:
    house.film_share("swharbor1")
    task = await house.one(film("swharbor1"), "m1")
    assert await house.post(film("swharbor1"), "m1") == []
    await house.wait(minutes=1)
    assert await house.post(film("swharbor1"), "m1") == []
    assert await house.count("tasks") == 1
    assert await house.state(task) is State.DONE


async def test_the_same_id_in_another_source_is_another_message(house: House) -> None:
    first = await house.one(UNSURE.format(link=link("swnight1")), "m1")
    second = await house.one(UNSURE.format(link=link("swnight2")), "m1", source="other")
    assert first != second


async def test_a_message_without_a_link_has_one_task_that_says_so(house: House) -> None:
    task = await house.one("📢 今日共更新【12】条资源")
    assert await house.way(task) == ["received received", "parsed identified", "skipped no_link"]
    assert house.phones.sent == []


async def test_an_advert_with_a_share_is_rejected_without_a_look(house: House) -> None:
    task = await house.one(ADVERT.format(link=link("swadvert1")))
    assert await house.last(task) == "rejected advert"
    assert house.drive.calls["list_share"] == 0


async def test_a_message_with_two_shares_makes_a_task_for_each(house: House) -> None:
    made = await house.post(
        f"🎬 电影：Silver Harbor (2021)\n{link('swharbor1')}\n🎬 电影：Golden Harbor (2023)\n{link('swharbor2')}"
    )
    assert len(made) == 2
    assert {(await house.task(task)).offer for task in made} == {"share:swharbor1", "share:swharbor2"}


async def test_a_hundred_messages_at_once_are_all_there_when_deliver_returns(house: House) -> None:
    posts = tuple(house.message(UNSURE.format(link=link(f"swnight{n:03d}"))) for n in range(100))
    await house.app.intake.deliver(posts)
    assert await house.count("messages") == 100
    assert await house.count("tasks") == 100
    await house.wait(minutes=5)
    assert house.app.snapshot.counts == {State.PENDING_APPROVAL: 100}
    assert len(house.phones.sent) == 100


async def test_a_text_beyond_four_kilobytes_is_taken_as_any_other(house: House) -> None:
    house.film_share("swharbor1")
    story = "简介：一个人和他的港口。\n" * 600
    task = await house.one(film("swharbor1") + "\n" + story)
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE


async def test_a_lone_surrogate_hurts_nobody(house: House) -> None:
    task = await house.one("夜航 \ud83d\n" + link("swnight1"))
    assert await house.state(task) is State.PENDING_APPROVAL
    assert (await house.app.queries.get_task(task))["message"]["text"].startswith("夜航 ?")


# -- edits before a send


async def test_an_edit_that_changes_no_fact_changes_nothing(house: House) -> None:
    task = await house.one(UNSURE.format(link=link("swnight1")), "m1")
    before = await house.task(task)
    assert await house.post(UNSURE.format(link=link("swnight1")) + "\n\n👍 12", "m1") == []
    assert (await house.task(task)).round == before.round


@pytest.mark.parametrize("asked", [True, False], ids=["pending_approval", "failed"])
async def test_an_edit_before_a_send_starts_a_new_round_of_the_same_task(house: House, asked: bool) -> None:
    house.film_share("swharbor1", access=None if asked else "zz99")
    old = UNSURE.format(link=link("swharbor1", None)) if asked else film("swharbor1")
    task = await house.one(old, "m1")
    assert await house.state(task) is (State.PENDING_APPROVAL if asked else State.FAILED)
    before = (await house.task(task)).round
    assert await house.post(film("swharbor1", "zz99"), "m1") == [task]
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE
    assert (await house.task(task)).round > before
    assert "received edited" in await house.way(task)


async def test_an_edit_of_a_queued_task_drops_what_was_prepared(house: House) -> None:
    house.film_share("swharbor1")
    house.fail("make_folder", "busy_task", seconds=3600)
    task = await house.one(film("swharbor1"), "m1")
    assert await house.state(task) is State.QUEUED
    assert await house.count("claims") == 1
    house.owner.policy = Policy(approval=Approval.ALWAYS)
    assert await house.post(film("swharbor1").replace("2021", "2022"), "m1") == [task]
    assert await house.count("claims") == 0
    assert await house.last(task) == "pending_approval source_always_asks"
    assert (await house.way(task))[-4:-1] == ["failed edited", "received edited", "parsed identified"]


async def test_a_skipped_task_is_looked_at_again_when_its_message_becomes_better(house: House) -> None:
    house.film_share("swharbor1")
    task = await house.one("#软件 某某播放器 破解版 APK\n" + link("swharbor1"), "m1")
    assert await house.last(task) == "skipped not_media"
    assert await house.post(film("swharbor1"), "m1") == [task]
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE


async def test_an_offer_that_was_taken_back_and_given_again_is_looked_at_again(house: House) -> None:
    text = UNSURE.format(link=link("swnight1"))
    task = await house.one(text, "m1")
    await house.post("【已失效】" + text, "m1")
    assert await house.post(text, "m1") == [task]
    assert await house.state(task) is State.PENDING_APPROVAL


async def test_an_expired_edit_before_a_send_skips_and_takes_the_question_back(house: House) -> None:
    text = UNSURE.format(link=link("swnight1"))
    task = await house.one(text, "m1")
    await house.post("【已失效】" + text, "m1")
    assert await house.last(task) == "skipped retracted"
    assert house.phones.kinds() == ["approval", "clear"]


async def test_a_replaced_link_ends_the_old_task_and_starts_a_new_one(house: House) -> None:
    old = await house.one(UNSURE.format(link=link("swnight1")), "m1")
    new, _ = await house.post(UNSURE.format(link=link("swnight2")), "m1")
    assert await house.last(old) == "skipped retracted"
    assert await house.state(new) is State.PENDING_APPROVAL
    assert (await house.task(new)).message == (await house.task(old)).message


async def test_a_link_that_is_added_makes_a_task_and_leaves_the_other_alone(house: House) -> None:
    text = UNSURE.format(link=link("swnight1"))
    old = await house.one(text, "m1")
    (new,) = await house.post(text + "\n备用\n" + link("swnight2"), "m1")
    assert (await house.task(new)).offer == "share:swnight2"
    assert await house.state(old) is State.PENDING_APPROVAL
    assert house.phones.kinds() == ["approval", "approval"]


async def test_what_a_person_ignored_stays_ignored_whatever_is_edited(house: House) -> None:
    task = await house.one(UNSURE.format(link=link("swnight1")), "m1")
    await house.app.commands.ignore(OWNER, task)
    assert await house.post("夜航 (2022) 1080p\n链接：" + link("swnight1"), "m1") == []
    assert await house.last(task) == "skipped ignored"


async def test_a_code_that_a_person_gave_survives_an_edit_that_states_none(house: House) -> None:
    house.film_share("swharbor1", access="zz99")
    task = await house.one(film("swharbor1", None), "m1")
    assert await house.last(task) == "failed code_needed"
    house.owner.pausing = True
    house.app.settings_changed()
    await house.app.commands.receive_code(OWNER, task, code="zz99")
    await house.settle()
    await house.post(film("swharbor1", None).replace("1080p", "2160p").replace("2021", "2022"), "m1")
    assert (await house.task(task)).context.offer.share.receive_code == "zz99"  # type: ignore[union-attr]


async def test_an_edit_outdates_an_identification_that_is_under_way(house: House) -> None:
    house.film_share("swharbor1")
    house.fail("list_share", "slow", seconds=30)
    task = await house.one(film("swharbor1"), "m1")
    assert await house.state(task) is State.RECEIVED
    await house.wait(10)
    await house.post(film("swharbor1").replace("2021", "2022"), "m1")
    await house.wait(60)
    work = (await house.task(task)).context.work
    assert work is not None
    assert work.year == 2022
    assert (await house.way(task)).count("parsed identified") == 1


async def test_an_edit_outdates_a_preparation_that_is_under_way(house: House) -> None:
    house.film_share("swharbor1")
    task = await house.one(UNSURE.format(link=link("swharbor1")), "m1")
    house.fail("list_share", "slow", seconds=30)
    await house.app.commands.correct(OWNER, task, text="Silver Harbor 2021 film")
    await house.settle()
    await house.wait(10)
    await house.post("【已失效】" + UNSURE.format(link=link("swharbor1")), "m1")
    await house.wait(minutes=5)
    assert await house.last(task) == "skipped retracted"
    assert house.receives() == 0
    assert await house.count("claims") == 0


# -- edits after a send


async def sent(house: House, last: int = 2) -> int:
    house.series_share("swcomet1", last)
    task = await house.one(series("swcomet1", last), "m1")
    await house.wait(minutes=1)
    assert await house.state(task) is State.DONE
    return task


async def test_after_a_send_an_edit_without_news_makes_nothing(house: House) -> None:
    await sent(house)
    assert await house.post(series("swcomet1").replace("2019", "2018"), "m1") == []
    assert await house.post("【已失效】" + series("swcomet1"), "m1") == []
    assert await house.count("tasks") == 1


async def test_after_a_send_more_episodes_make_a_follow_up_for_the_new_ones_only(house: House) -> None:
    old = await sent(house)
    house.series_share("swcomet1", 4)
    (new,) = await house.post(series("swcomet1", 4), "m1")
    await house.wait(minutes=1)
    assert (await house.task(new)).follows == old
    assert await house.state(new) is State.DONE
    assert [name.rpartition(" - ")[2] for name in house.files()] == [f"S01E0{n}.mkv" for n in (1, 2, 3, 4)]
    assert await house.state(old) is State.DONE


async def test_after_a_send_a_new_link_makes_a_task_and_a_known_one_none(house: House) -> None:
    await sent(house)
    house.film_share("swharbor1")
    text = series("swcomet1") + "\n备用\n" + link("swharbor1")
    made = await house.post(text, "m1")
    assert [(await house.task(number)).offer for number in made] == ["share:swharbor1"]


async def test_after_two_edits_nothing_that_was_sent_gets_a_task_again(house: House) -> None:
    await sent(house)
    text = series("swcomet1") + "\n备用\n" + link("swnight1")
    await house.post(text, "m1")
    await house.post(text + "\n第三\n" + link("swnight2"), "m1")
    offers = [
        row[0]
        for row in await house.app._db.read(lambda tx: tx.execute("SELECT offer FROM tasks").fetchall())
    ]
    assert sorted(offers) == ["share:swcomet1", "share:swnight1", "share:swnight2"]


async def test_of_two_links_the_one_that_was_not_sent_still_follows_its_message(house: House) -> None:
    house.film_share("swharbor1")
    first = f"🎬 电影：Silver Harbor (2021) 1080p\n{link('swharbor1')}\n"
    second = f"\n🎬 电影：Golden Harbor (2023) 1080p\n{link('swharbor2')}"
    house.film_share("swharbor2", "Golden.Harbor.2023.mkv", access="zz99")
    one, two = await house.post(first + second, "m1")
    await house.wait(minutes=1)
    assert await house.state(one) is State.DONE
    assert await house.last(two) == f"failed {Code.WRONG_CODE}"
    await house.post(first + second.replace(link("swharbor2"), link("swharbor2", "zz99")), "m1")
    await house.wait(minutes=1)
    assert await house.state(two) is State.DONE
    assert await house.count("tasks") == 2


async def test_an_edit_and_a_persons_answer_at_the_same_time_end_in_one_of_both(house: House) -> None:
    house.film_share("swharbor1")
    task = await house.one(UNSURE.format(link=link("swharbor1")), "m1")
    edit = house.message("【已失效】" + UNSURE.format(link=link("swharbor1")), "m1")
    await asyncio.gather(
        house.app.commands.correct(OWNER, task, text="Silver Harbor 2021 film"),
        house.app.intake.deliver((edit,)),
        return_exceptions=True,
    )
    await house.wait(minutes=5)
    assert (await house.task(task)).lane is None
    assert await house.count("claims") == 0
