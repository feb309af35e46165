"""Which work a message means: right or asked, never wrong."""

import asyncio
from typing import Any

import pytest

from custom_components.reelay.core.catalog.scoring import Fit
from custom_components.reelay.core.catalog.titles import Status
from custom_components.reelay.core.model.offer import Kind, Parsed, Work
from tests.fakes.tmdb import FakeTmdb, Fault, film, series

from .desk import Desk, said, show

#: Marked in advance: what a careful person would decide from these words alone.
DECIDABLE: tuple[tuple[Parsed, int], ...] = (
    (said("沙丘", year=2021), 438631),
    (said("沙丘", year=1984), 841),
    (said("Dune", year=1984), 841),
    (said("沙丘2", year=2024), 693134),
    (said("沙丘：第二部", year=2024), 693134),
    (said("Dune: Part One", year=2021), 438631),
    (said("狮子王", year=1994), 8587),
    (said("狮子王", year=2019, original_title="The Lion King"), 420818),
    (said("獅子王", year=2019), 420818),
    (said("流浪地球", year=2019), 535167),
    (said("流浪地球2", year=2023), 842675),
    (said("流浪地球2"), 842675),
    (said("流浪地球 2", year=2023), 842675),
    (said("你的名字", year=2016), 372058),
    (said("君の名は。", year=2016), 372058),
    (said("千与千寻", year=2001), 129),
    (said("神隱少女", year=2001), 129),
    (said("寄生虫", year=2019), 496243),
    (said("Parasite", year=1982), 83533),
    (said("Parasite", year=2019), 496243),
    (said("无间道", year=2002), 10775),
    (said("無間道", year=2002), 10775),
    (said("无间道风云", year=2006), 1422),
    (said("Alien", year=1979), 348),
    (said("Aliens", year=1986), 679),
    (said("阿凡达：水之道", year=2022), 76600),
    (said("阿凡达 水之道", year=2022), 76600),
    (said("阿凡达", year=2009), 19995),
    (said("蜘蛛侠：纵横宇宙", year=2023), 569094),
    (said("蜘蛛侠：平行宇宙"), 324857),
    (said("她", year=2013), 152601),
    (said("La Petite Fixture", year=2020), 9001002),
    (said("路边野餐", year=2016), 9001004),
    (said("怦然未知", original_title="Kaili Blues", year=2015), 9001004),
    (said("随便什么", year=2021, tmdb_id=438631, other_titles=("Dune",)), 438631),
    (show("三体", year=2023), 204541),
    (show("三体", year=2024), 108545),
    (show("三體", year=2023, seasons=(1,)), 204541),
    (show("三体", original_title="3 Body Problem", seasons=(1,)), 108545),
    (show("三体", declared_total=30, episodes=((1, 30),)), 204541),
    (show("绝命毒师", seasons=(2,)), 1396),
    (show("绝命毒师", year=2009, seasons=(2,)), 1396),
    (show("权力的游戏", year=2011), 1399),
    (show("安多", year=2022, seasons=(2,)), 83867),
    (show("安多", year=2025, seasons=(2,)), 83867),
    (show("安多", year=2025, year_of_season=True, seasons=(2,)), 83867),
    (show("鱿鱼游戏", year=2025, year_of_season=True, seasons=(3,)), 93405),
    (show("鱿鱼游戏", seasons=(3,)), 93405),
    (show("进击的巨人", year=2013), 1429),
    (show("进击的巨人 最终季", year=2020, year_of_season=True, seasons=(4,)), 1429),
    (show("進擊的巨人", seasons=(4,), year=2020), 1429),
    (show("人世间", year=2022), 71024),
    (show("人间世", year=2016), 9002001),
    (show("凡人修仙传", year=2020), 106449),
    (show("凡人修仙传", year=2025), 9002002),
    (show("Fan Ren Xiu Xian Zhuan", year=2020), 106449),
    (show("人生切割术", year=2025, seasons=(2,)), 95396),
    (show("乌托邦", year=2013), 9002003),
    (show("Utopia", year=2020, seasons=(1,)), 9002004),
    (show("Utopia", year=2014, seasons=(2,)), 9002003),
    (show("鬼灭之刃", seasons=(3,), year=2023), 85937),
    (show("最后生还者", seasons=(2,)), 100088),
)

#: Here anything but a question is a guess.
UNDECIDABLE: tuple[tuple[Parsed, Fit | None], ...] = (
    (said("沙丘"), Fit.SAME_NAME),
    (said("沙丘", year=2003), Fit.YEAR_DIFFERS),
    (said("狮子王"), Fit.SAME_NAME),
    (said("重逢", year=2018), Fit.SAME_NAME),
    (said("重逢"), Fit.SAME_NAME),
    (said("她"), Fit.SAME_NAME),
    (said("Aliens", year=1979), Fit.YEAR_DIFFERS),
    (show("三体"), Fit.SAME_NAME),
    (show("三体", seasons=(1,)), Fit.SAME_NAME),
    (show("凡人修仙传"), Fit.SAME_NAME),
    (show("乌托邦"), Fit.SAME_NAME),
    (show("绝命毒师", seasons=(9,)), Fit.SEASON_MISSING),
    (show("人世间", year=2022, declared_total=200), Fit.EPISODES_EXCEED),
    # the other kind has it
    (said("绝命毒师"), Fit.KIND_DIFFERS),
    (show("流浪地球", year=2019), Fit.KIND_DIFFERS),
    # a number that the rest contradicts
    (said("狮子王", year=1994, tmdb_id=438631), Fit.TITLE_DIFFERS),
    (said("沙丘", year=1984, tmdb_id=438631), Fit.YEAR_DIFFERS),
    (said("流浪地球", year=2019, tmdb_id=842675), Fit.TITLE_DIFFERS),
    (said("绝命毒师", tmdb_id=1396), Fit.KIND_DIFFERS),
    (said("沙丘", year=2021, tmdb_id=99999999), Fit.ID),
)


async def test_what_can_be_decided_is_decided_right(desk: Desk) -> None:
    right, wrong, asked = 0, [], []
    for parsed, expected in DECIDABLE:
        found = await desk.recognise(parsed)
        if found.status is not Status.FOUND:
            asked.append((parsed.title, parsed.year, found.status, found.reason))
        elif found.work is not None and found.work.tmdb == expected:
            right += 1
        else:
            wrong.append((parsed.title, parsed.year, found.work))
    assert not wrong
    assert right >= 0.95 * len(DECIDABLE), asked
    print(f"decidable: {right} of {len(DECIDABLE)} right, 0 wrong, asked: {asked}")


@pytest.mark.parametrize(
    ("parsed", "reason"), UNDECIDABLE, ids=lambda each: each.title if isinstance(each, Parsed) else str(each)
)
async def test_what_can_not_be_decided_is_asked_and_changes_nothing(
    desk: Desk, parsed: Parsed, reason: Fit | None
) -> None:
    for _ in range(2):
        found = await desk.recognise(parsed)
        assert (found.status, found.work) == (Status.AMBIGUOUS, None)
        assert found.reason is reason
        assert found.candidates
        assert found.by is None, "an ambiguous match is never cached"


async def test_what_was_found_brings_title_year_seasons_and_all_names(desk: Desk) -> None:
    found = await desk.recognise(show("Andor", seasons=(2,), year=2025))
    assert found.work == Work(kind=Kind.SERIES, title="安多", titles=("Andor",), year=2022, tmdb=83867)
    assert [(each.number, each.episodes, each.year) for each in found.seasons] == [
        (1, 12, 2022),
        (2, 12, 2025),
    ]
    assert found.poster == "/fixture_83867.jpg"
    assert (found.candidates[0].tmdb, Fit.YEAR_OF_SEASON in found.candidates[0].fits) == (83867, True)
    spirited = await desk.recognise(said("神隱少女", year=2001))
    assert spirited.work is not None
    assert spirited.work.title == "千与千寻"
    assert {"千と千尋の神隠し", "Spirited Away", "神隱少女"} <= {*spirited.work.titles}


async def test_without_a_translation_the_original_title_stands(desk: Desk) -> None:
    found = await desk.recognise(said("Parasite", year=1982))
    assert found.title == "Parasite"


async def test_the_specials_come_first_and_are_no_regular_season(desk: Desk) -> None:
    found = await desk.recognise(show("进击的巨人", year=2013))
    assert [season.number for season in found.seasons] == [0, 1, 2, 3, 4]


async def test_nothing_found_is_unknown_and_kept_for_a_day(desk: Desk, tmdb: FakeTmdb) -> None:
    parsed = said("从来没有的片子", year=2020)
    assert (await desk.recognise(parsed)).status is Status.UNKNOWN
    tmdb.forget()
    again = await desk.recognise(parsed)
    assert (again.status, again.by, tmdb.asked) == (Status.UNKNOWN, "cache", [])
    desk.clock.jump(86_401)
    assert (await desk.recognise(parsed)).by == "search"
    assert tmdb.asked


async def test_a_recognition_is_remembered_and_a_forced_check_asks_anew(desk: Desk, tmdb: FakeTmdb) -> None:
    parsed = said("沙丘", year=2021)
    first = await desk.recognise(parsed)
    assert (first.by, dict(tmdb.counts)) == ("search", {"search/movie": 1, "movie": 1})
    tmdb.forget()
    second = await desk.recognise(parsed)
    assert (second.by, second.work, tmdb.asked) == ("cache", first.work, [])
    assert (await desk.recognise(parsed, force=True)).by == "search"
    assert dict(tmdb.counts) == {"search/movie": 1, "movie": 1}
    desk.clock.jump(8 * 86_400)
    tmdb.forget()
    assert (await desk.recognise(parsed)).by == "search"
    assert dict(tmdb.counts) == {"search/movie": 1}, "details live longer than searches"


async def test_equal_messages_at_the_same_time_ask_once(desk: Desk, tmdb: FakeTmdb) -> None:
    found = await asyncio.gather(*(desk.recognise(said("沙丘", year=2021)) for _ in range(20)))
    assert {each.work.tmdb for each in found if each.work} == {438631}
    assert len(tmdb.asked) == 2


async def test_what_other_words_decided_is_not_remembered_under_the_bare_title(desk: Desk) -> None:
    assert (await desk.recognise(show("三体", declared_total=30))).status is Status.FOUND
    assert (await desk.recognise(show("三体"))).status is Status.AMBIGUOUS


async def test_an_error_is_told_and_never_kept(desk: Desk, tmdb: FakeTmdb) -> None:
    parsed = said("沙丘", year=2021)
    tmdb.always = Fault(status=503)
    failed = await desk.recognise(parsed)
    assert (failed.status, failed.why, failed.work) == (Status.ERROR, "server_error", None)
    tmdb.always = None
    assert (await desk.recognise(parsed)).status is Status.FOUND


async def test_a_person_is_remembered_over_a_miss(desk: Desk, tmdb: FakeTmdb) -> None:
    parsed = said("大漠星球", year=2021)
    assert (await desk.recognise(parsed)).status is Status.UNKNOWN
    person = Work(kind=Kind.FILM, title="沙丘", year=2021, tmdb=438631)
    assert await desk.titles.remember(parsed, person)
    found = await desk.recognise(parsed)
    assert (found.status, found.by, found.title) == (Status.FOUND, "person", "沙丘")
    assert (await desk.recognise(said("大漠星球", year=2022))).status is Status.UNKNOWN


async def test_a_person_outranks_a_wrong_number_from_then_on(desk: Desk) -> None:
    parsed = said("狮子王", year=1994, tmdb_id=438631)
    assert (await desk.recognise(parsed)).status is Status.AMBIGUOUS
    assert await desk.titles.remember(parsed, Work(kind=Kind.FILM, title="狮子王", tmdb=8587))
    found = await desk.recognise(parsed)
    assert found.work is not None
    assert (found.work.tmdb, found.by) == (8587, "person")


async def test_a_conflict_of_kinds_is_refused_when_written_and_dropped_when_read(desk: Desk) -> None:
    parsed = show("三体", year=2023)
    assert not await desk.titles.remember(parsed, Work(kind=Kind.FILM, title="沙丘", tmdb=438631))
    assert not await desk.titles.remember(parsed, Work(kind=Kind.SERIES, title="三体"))
    found = await desk.recognise(parsed)
    assert (found.work and found.work.tmdb, found.by) == (204541, "search")
    for entry in ({"id": 438631, "kind": "film", "by": "search"}, {"id": "x"}, ["?"]):
        await desk.cache.put("tmdb.recognize", "[series][zh-CN]三体-2023-", entry, ttl=99, limit=9)
        found = await desk.recognise(parsed)
        assert (found.work and found.work.tmdb, found.by) == (204541, "search")


async def test_a_persons_number_needs_no_other_proof_but_its_kind(desk: Desk) -> None:
    person: dict[str, Any] = {"parser": "person", "tmdb_id": 438631}
    assert (await desk.recognise(said("我的片子", **person))).status is Status.FOUND
    assert (await desk.recognise(show("我的片子", **person))).status is Status.AMBIGUOUS


async def test_new_episodes_make_it_look_at_old_details_once_a_day(desk: Desk, tmdb: FakeTmdb) -> None:
    running = series(9009001, "长剧", (10, "2026-01-01"), zh="长剧", status="Returning Series")
    tmdb.entries.append(running)
    assert (await desk.recognise(show("长剧", year=2026))).seasons[0].episodes == 10
    running.seasons = [(1, 20, "2026-01-01"), (2, 1, "2027-01-01")]
    parsed = show("长剧", year=2026, seasons=(1,), episodes=((18, 18),))
    assert (await desk.recognise(parsed)).seasons[0].episodes == 10, "younger than a day"
    desk.clock.jump(90_000)
    tmdb.forget()
    for _ in range(3):
        found = await desk.recognise(parsed)
        assert found.seasons[0].episodes == 20
    assert tmdb.counts["tv"] == 1


async def test_many_hits_are_read_to_the_end_only_where_no_year_tells_them_apart(
    desk: Desk, tmdb: FakeTmdb
) -> None:
    tmdb.page_size = 1
    tmdb.entries[:] = [each for each in tmdb.entries if "狮子" not in each.title("zh-CN")]
    assert (await desk.recognise(said("流浪地球", year=2019))).status is Status.FOUND
    alone = await desk.recognise(said("流浪地球"))
    assert alone.status is Status.FOUND
    tmdb.page_size = 20
    tmdb.entries += [series(9100000 + n, f"长夜{n}", (1, "2020-01-01")) for n in range(60)]
    tmdb.entries.append(series(9100999, "长夜", (1, "2020-01-01"), popularity=99))
    many = await desk.recognise(show("长夜"))
    assert (many.status, many.reason) == (Status.AMBIGUOUS, Fit.MANY_HITS)
    assert (await desk.recognise(show("长夜", year=2020))).status is Status.FOUND


async def test_a_work_hidden_behind_popular_ones_is_found_by_its_year(desk: Desk, tmdb: FakeTmdb) -> None:
    tmdb.entries += [film(9200000 + n, f"归来 {n}", "2000-01-01", popularity=50) for n in range(40)]
    tmdb.entries.append(film(9200999, "归来", "2014-05-16", zh="归来", popularity=1))
    found = await desk.recognise(said("归来", year=2014))
    assert found.work is not None
    assert found.work.tmdb == 9200999
    near = await desk.recognise(said("归来", year=2015), force=True)
    assert near.status in (Status.AMBIGUOUS, Status.UNKNOWN, Status.FOUND)
    assert near.work is None or near.work.tmdb == 9200999
