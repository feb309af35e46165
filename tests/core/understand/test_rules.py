"""What the words of a message say about the work: one row per shape and way of writing."""

import time
from typing import Any

import pytest
from hypothesis import given, strategies as st

from custom_components.reelay.core.media.titles import key
from custom_components.reelay.core.model.offer import Kind, Parsed, expand
from custom_components.reelay.core.understand.links import offers
from custom_components.reelay.core.understand.rules import parse

from .messages import corpus, from_row, linked, post
from .test_links import PATHOLOGICAL

LINK = "\n🔗 链接：https://115cdn.com/s/swep63k12xq?password=8888"
FILM, SERIES = Kind.FILM, Kind.SERIES


def read(text: str) -> Parsed:
    message = post(text)
    return parse(message, offers(message)[0])


#: Text, kind, title, year, seasons, first and last episode.
CARDS: dict[str, tuple[Any, ...]] = {
    "labelled film": (
        "🎬 电影：奥本海默 (2023)\n🎭 类型: 剧情,历史\n📦 文件: 3 个",
        FILM,
        "奥本海默",
        2023,
        (),
        None,
    ),
    "labelled series": ("📺 电视剧：安多 (2022) 第2季 更新至6集 4K DV", SERIES, "安多", 2022, (2,), (1, 6)),
    "no emoji": ("剧集：龙之家族(2022)\n季集：S02E01-E08", SERIES, "龙之家族", 2022, (2,), (1, 8)),
    "card": (
        "📺 繁花 (2023) 第1季 更新至第9集 ✨4K WEB-DL\n📖 简介：\n第3季第7集",
        SERIES,
        "繁花",
        2023,
        (1,),
        (1, 9),
    ),
    "bars": ("🎬 千与千寻 (2001) 2160p｜REMUX｜HDR10", FILM, "千与千寻", 2001, (), None),
    "category": (
        "[剧集·115] 石纪元 (2019)\nS04 E01-E12 1080P CR WEB-DL",
        SERIES,
        "石纪元",
        2019,
        (4,),
        (1, 12),
    ),
    "name field": (
        "名称：甄嬛传 全76集 1080P\n描述：第三季度重温，第42集后渐入高潮，2011年首播。",
        SERIES,
        "甄嬛传",
        None,
        (),
        None,
    ),
    "brackets": (
        "🗄 漫长的季节（2023）【4K.HDR】【12集全】【范伟/秦昊】",
        SERIES,
        "漫长的季节",
        2023,
        (),
        None,
    ),
    "book marks": ("🎬 ✅《流浪地球2（2023）》【4K.HDR10+】", FILM, "流浪地球2", 2023, (), None),
    "category in book marks": (
        "《英剧》神探夏洛克 (2010)  S01-S04 1080p",
        SERIES,
        "神探夏洛克",
        2010,
        (1, 2, 3, 4),
        None,
    ),
    "date first": (
        "📅 6月10日\n\n🎬《间谍过家家（2022）》【更新至 08集】",
        SERIES,
        "间谍过家家",
        2022,
        (),
        (1, 8),
    ),
    "submission": (
        "✅请您检阅\n文件数 28 ｜ 体积 129.9GB\n🎬 影视：狂飙\n📺 季集：S01E01-28\n📅 年份：2023",
        SERIES,
        "狂飙",
        2023,
        (1,),
        (1, 28),
    ),
    "update notice": (
        "📺 影片更新通知~\n电视剧名：白莲花度假村 (2021)\n季数：第3季\n状态：更新至第2集(共8集)",
        SERIES,
        "白莲花度假村",
        2021,
        (3,),
        (1, 2),
    ),
    "file name": (
        "凡人修仙传.2020 - S01E128 - 第 128 集 - 2160p.WEB-DL.mp4",
        SERIES,
        "凡人修仙传",
        2020,
        (1,),
        (128, 128),
    ),
    "release name": ("[EXAMPLE] Dune.Part.Two.2024.2160p.WEB-DL.H265", FILM, "Dune Part Two", 2024, (), None),
    "series release": (
        "The.Mandalorian.S03E05.1080p.DSNP.WEB-DL",
        SERIES,
        "The Mandalorian",
        None,
        (3,),
        (5, 5),
    ),
    "fansub": (
        "[字幕组] 86 -不存在的战区- Eighty Six [01-23合集][1080p]",
        SERIES,
        "86 -不存在的战区-",
        None,
        (),
        (1, 23),
    ),
    "boxes": (
        "[GM-Team][国漫][斗罗大陆][Douro Mainland][2019][215][AVC]",
        SERIES,
        "斗罗大陆",
        2019,
        (),
        (215, 215),
    ),
    "publisher": (
        "【高清影视之家发布 www.x.com】奥本海默[简繁英字幕].Oppenheimer.2023.IMAX.2160p",
        FILM,
        "奥本海默",
        2023,
        (),
        None,
    ),
    "year in the title": ("2046.2004.1080p.BluRay.REMUX", FILM, "2046", 2004, (), None),
    "year as the title": ("🎬 1917 (2019) 2160p UHD BluRay", FILM, "1917", 2019, (), None),
    "number in the title": ("《24小时》第一季 全24集 (2001)", SERIES, "24小时", 2001, (1,), None),
    "hyphens": ("9-1-1 S07E01-E10 1080p", SERIES, "9-1-1", None, (7,), (1, 10)),
    "roman title": ("📺 纪录片：蓝色星球II (2017) 全7集 4K", SERIES, "蓝色星球II", 2017, (), None),
    "subtitle after colon": (
        "Re：从零开始的异世界生活 3rd Season 袭击篇[8集全]",
        SERIES,
        "Re：从零开始的异世界生活",
        None,
        (3,),
        (1, 8),
    ),
    "variety": ("名称：奔跑吧 第八季 (2024)  综艺  真人秀  0531期", SERIES, "奔跑吧", 2024, (8,), None),
    "special": ("鬼灭之刃 SP 特别篇 兄妹的羁绊 1080p", SERIES, "鬼灭之刃", None, (0,), None),
    "full stop in the title": ("🎬 你的名字。 (2016) 4K REMUX", FILM, "你的名字。", 2016, (), None),
    "one character": ("电影：她 (2013) 1080p", FILM, "她", 2013, (), None),
    "raw Markdown": ("**🎬 电影：阿凡达 (2009)**\n__4K HDR10 Atmos__", FILM, "阿凡达", 2009, (), None),
    "traditional": ("📺 電視劇：鬼滅之刃 柱訓練篇 (2024)\n📂 分類：動漫", SERIES, "鬼滅之刃", 2024, (), None),
    "only a number": ("E05 已补", SERIES, None, None, (), (5, 5)),
    "year by its field": ("🎬 片名：让子弹飞\n📆 上映：2010-12-16", FILM, "让子弹飞", 2010, (), None),
    "unknown kind": ("2012 4K HDR", None, "2012", None, (), None),
    "list of missing": ("📋 集数：S03 E02-E05、E07\n熊家餐馆 (2022)", SERIES, "熊家餐馆", 2022, (3,), (2, 7)),
}


@pytest.mark.parametrize("shape", CARDS)
def test_each_shape_is_read(shape: str) -> None:
    text, kind, title, year, seasons, span = CARDS[shape]
    parsed = read(text + LINK)
    numbers = expand(parsed.episodes)
    assert parsed.is_media
    assert (parsed.kind, parsed.title, parsed.year, parsed.seasons) == (kind, title, year, seasons)
    assert ((min(numbers), max(numbers)) if numbers else None) == span


@pytest.mark.parametrize(
    ("text", "title", "original"),
    [
        ("🎬 狮子王 The Lion King (1994)", "狮子王", "The Lion King"),
        ("127小时 127 Hours (2010) BluRay", "127小时", "127 Hours"),
        ("七宗罪 Se7en (1995)", "七宗罪", "Se7en"),
        ("名称：速度与激情9 F9: The Fast Saga (2021)", "速度与激情9", "F9: The Fast Saga"),
        ("银翼杀手 最终剪辑版 Blade Runner The Final Cut (1982)", "银翼杀手", "Blade Runner"),
        ("28年后 (2025)\n又名: 28年毁灭倒数 / 28 Years Later", "28年后", "28 Years Later"),
        ("◎译　　名 无间道/无间\n◎片　　名 Infernal Affairs\n◎年　　代 2002", "无间道", "Infernal Affairs"),
        ("SPY×FAMILY 间谍过家家 第二季", "间谍过家家", "SPY×FAMILY"),
        ("Dune: Part Two (2024)", "Dune: Part Two", None),
        ("蓝色星球II (2017)", "蓝色星球II", None),
    ],
)  # fmt: skip
def test_titles_in_two_languages_are_told_apart(text: str, title: str, original: str | None) -> None:
    parsed = read(text + LINK)
    assert (parsed.title, parsed.original_title) == (title, original)


@pytest.mark.parametrize(
    ("text", "of_season"),
    [
        ("黑镜 第七季 (2025)", True),
        ("安多 (2022) 第2季", False),
        ("安多 (2022) S02E09", False),
        ("神秘博士 第一季 (2005)", False),
        ("白莲花度假村 (2021)\n季数：第3季", False),
    ],
)
def test_a_year_behind_a_later_season_is_that_seasons(text: str, of_season: bool) -> None:
    assert read(text + LINK).year_of_season is of_season


@pytest.mark.parametrize(
    "text",
    [
        "奥本海默 (2023)\n🍿 TMDB ID: 872585",
        "奥本海默 (2023)\nTMDB ID：872585",
        "奥本海默 (2023) {tmdb-872585}",
        "奥本海默 (2023) [tmdbid=872585]",
        "奥本海默 (2023)\nhttps://www.themoviedb.org/movie/872585-oppenheimer?language=zh-CN",
    ],
)
def test_ids_are_found_wherever_they_are_written(text: str) -> None:
    assert read(text + LINK).tmdb_id == 872585


def test_an_id_behind_words_counts_and_a_rating_does_not() -> None:
    text = "🎬 异形：夺命舰 (2024) 4K\n👉 115"
    message = linked(
        text + LINK, "异形：夺命舰 (2024)", "https://www.themoviedb.org/movie/945961?language=zh-CN"
    )
    assert parse(message, offers(message)[0]).tmdb_id == 945961
    assert read("死侍 (2024)\n⭐️ TMDB评分：7.6/10" + LINK).tmdb_id is None


def test_ed2k_names_say_what_is_there() -> None:
    files = "\n".join(f"ed2k://|file|Andor.S01E0{n}.2160p.mkv|512345678{n}|{str(n) * 32}|/" for n in (1, 2))
    parsed = read(f"📺 安多 Andor S01 4K DV 全12集（先放两集）\n{files}")
    assert (parsed.episodes, parsed.complete, parsed.declared_total) == (((1, 2),), False, 12)


def test_a_season_without_episodes_means_the_season() -> None:
    assert read("黑镜 第七季 4K" + LINK).complete
    assert not read("鬼灭之刃 SP 1080p" + LINK).complete
    assert not read("某剧 S03 共10集" + LINK).episodes


def test_collections_are_marked() -> None:
    for text in (
        "🎬【合集】哈利·波特 1-8部 (2001-2011)",
        "碟中谍 1-7 合集 (1996-2023)",
        "教父三部曲 (1972-1990)",
        "漫威电影合集 4K",
    ):
        parsed = read(text + LINK)
        assert (parsed.collection, parsed.kind) == (True, FILM)


def test_several_works_in_one_message_are_read_apart() -> None:
    message = post(
        "日漫分享\n银魂.Gintama.(2006) {tmdb-57041}\n链接：https://115cdn.com/s/swaaaaaaaa1（访问码：aa11）\n"
        "新世纪福音战士 (1995) {tmdb-890}\n链接：https://115cdn.com/s/swbbbbbbbb2（访问码：bb22）\n\n标签  #剧集 #4k"
    )
    found = [parse(message, offer) for offer in offers(message)]
    assert [(each.title, each.year, each.tmdb_id, each.kind) for each in found] == [
        ("银魂", 2006, 57041, SERIES),
        ("新世纪福音战士", 1995, 890, SERIES),
    ]


def test_several_versions_and_seasons_share_what_is_said_once() -> None:
    message = post(
        "🎬 沙丘 (2021)\n4K DV REMUX 86G：https://115cdn.com/s/swaaaaaaaa1\n1080P x265 12G：https://115cdn.com/s/swbbbbbbbb2"
    )
    found = [parse(message, offer) for offer in offers(message)]
    assert [(each.title, each.year, each.release.resolution) for each in found] == [
        ("沙丘", 2021, "2160p"),
        ("沙丘", 2021, "1080p"),
    ]
    message = post(
        "权力的游戏 (2011)\n第一季：https://115.com/s/swaaaaaaaa1\n第二季：https://115.com/s/swbbbbbbbb2"
    )
    found = [parse(message, offer) for offer in offers(message)]
    assert [(each.title, each.year, each.seasons) for each in found] == [
        ("权力的游戏", 2011, (1,)),
        ("权力的游戏", 2011, (2,)),
    ]


def test_neither_codes_nor_addresses_are_read_as_words() -> None:
    parsed = read("经典台剧合集 https://115.com/s/swuwwe0433x# mjq1 4T 有效")
    assert (parsed.title, parsed.original_title, parsed.episodes) == ("经典台剧合集", None, ())


def test_what_a_person_hands_in_is_meant() -> None:
    text = "求 银魂 全集 https://115.com/s/swuwwe0433x"
    assert not read(text).is_media
    message = post(text, person="user:1")
    assert parse(message, offers(message)[0]).is_media


TITLES = st.sampled_from(
    ["繁花", "黑镜：潘达斯奈基", "流浪地球2", "你的名字。", "9-1-1", "1917", "The Last of Us", "蓝色星球II"]
)
FRONTS = st.sampled_from(["", "🎬 ", "📺 电视剧：", "名称：", "【4K】", "🔥 "])
TAILS = st.sampled_from(
    ["", " 4K HDR10", "【4K.HDR】【国语】", " 2160p｜REMUX", "\n大小：8.2GB", " ✨1080P WEB-DL DDP 5 1"]
)


@given(TITLES, FRONTS, TAILS, st.integers(1930, 2029), st.integers(1, 30), st.integers(1, 99))
def test_titles_years_and_numbers_come_back_from_any_decoration(
    title: str, front: str, tail: str, year: int, season: int, episode: int
) -> None:
    parsed = read(f"{front}{title} ({year}) S{season:02}E{episode:02}{tail}{LINK}")
    assert parsed.title is not None
    assert key(parsed.title) == key(title)
    assert (parsed.year, parsed.seasons, parsed.episodes) == (year, (season,), ((episode, episode),))
    assert parsed.kind is SERIES


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    read(text + LINK)


@pytest.mark.parametrize("kind", PATHOLOGICAL)
def test_long_texts_are_read_in_time(kind: str) -> None:
    message = post(PATHOLOGICAL[kind][:60_000] + LINK)
    offer = offers(message)[-1]
    started = time.process_time()
    parse(message, offer)
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize(
    "row", [row for row in corpus() if row["expect"]["is_media"]], ids=lambda row: row["id"]
)
def test_the_corpus_is_read_as_expected(row: dict[str, Any]) -> None:
    expect, message = row["expect"], from_row(row)
    if "items" in expect or not offers(message):
        return
    parsed = parse(message, offers(message)[0])
    season = expect["season"]
    seasons = () if season is None else tuple(season) if isinstance(season, list) else (season,)
    assert key(parsed.title or "") == key(expect["title"] or "")
    assert parsed.kind == {"movie": FILM, "tv": SERIES}[expect["kind"]]
    assert (parsed.year, parsed.seasons) == (expect["year"], seasons)
    assert (sorted(expand(parsed.episodes)) or ("all" if parsed.complete else None)) == expect["episodes"]
