"""What file names state about season, episode, part and date."""

import pytest
from hypothesis import given, strategies as st

from custom_components.reelay.core.media.episodes import from_name, season_of_folder

NUMBERED = {
    "The.Bear.S03E02.2160p.WEB-DL.mkv": (3, 2, 2),
    "Show.S01E01E02.mkv": (1, 1, 2),
    "Show.S01E01-E03.mkv": (1, 1, 3),
    "Show.S01E01-03.mkv": (1, 1, 3),
    "Show - S07E22 - S07E23 - Title.mkv": (7, 22, 23),
    "Series - S26E96-97-98-99-100 - Episode 5931": (26, 96, 100),
    "Series Title - S02E21 - 94 Meetings - 720p.mkv": (2, 21, 21),
    "FlexGet.US.S2013E14.Title.720p.HDTV.AAC1.0.x264.mkv": (2013, 14, 14),
    "某剧.S00E06.1080p.WEB-DL.mkv": (0, 6, 6),
    "凡人修仙传.2020 - S01E128 - 第 128 集 - 2160p.mp4": (1, 128, 128),
    "Show Name S01E06 DVD-RIP x264-S4L.mkv": (1, 6, 6),
    "The Soup - 11x41 - October 8, 2014.mp4": (11, 41, 41),
    "2x04x05.720p.BluRay.mkv": (2, 4, 5),
    "[LoliHouse] Tate no Yuusha S3 - 01 [WebRip 1080p].mkv": (3, 1, 1),
    "The Heart of Genius S01 13-14 2022 1080p.mkv": (1, 13, 14),
    "庆余年 第二季 第03集 4K.mp4": (2, 3, 3),
    "第12集.mp4": (None, 12, 12),
    "西部世界 第1-3集.mp4": (None, 1, 3),
    "第十二话.mp4": (None, 12, 12),
    "少年包青天2第10集.mp4": (None, 10, 10),
    "86.E01.2021.Crunchyroll.WEB-DL.1080p.mkv": (None, 1, 1),
    "[AI-Raws] 86 #02 スピアヘッド (BD HEVC 1920x1080)[E56E5DFE].mkv": (None, 2, 2),
    "BBC.A.History.of.Christianity.1of6.HDTV.mkv": (None, 1, 1),
    "[Group] Show Title - 05 [1080p][81373840].mkv": (None, 5, 5),
    "[Nekomoe] Soredemo Ayumu - 01v2 [WebRip 1080p HEVC-10bit EAC3 ASSx2].mkv": (None, 1, 1),
    "[Group] One Piece - 1013 (1080p).mkv": (None, 1013, 1013),
    "SKET Dance - 18 [1080p](1).mkv": (None, 18, 18),
    "[字幕组][某动画][12 END][1080P].mp4": (None, 12, 12),
    "【幻樱字幕组】【魔法制造者】【02】【BIG5_MP4】【1920X1080】.mp4": (None, 2, 2),
    "[字幕组] 某动画 [01(49)] [1080p].mkv": (None, 1, 1),
    "Babylon 5 Ep. 02 - Soul Hunter.avi": (None, 2, 2),
}


@pytest.mark.parametrize("name", NUMBERED)
def test_a_number_with_a_sign_of_its_own_is_sure(name: str) -> None:
    facts = from_name(name)
    assert (facts.season, facts.first, facts.last) == NUMBERED[name]
    assert not facts.bare


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("09 4K.mp4", 9),
        ("01.mkv", 1),
        ("长月烬明_22_4K_Poster0001.mp4", 22),
        ("某剧 - 12 4K.mp4", 12),
        ("Dragonball.Z.102.1080p.mkv", 102),
        ("白夜追凶12.mp4", 12),
        ("1168.mp4", 1168),
    ],
)
def test_a_number_alone_is_read_with_doubt(name: str, number: int) -> None:
    facts = from_name(name)
    assert facts.first == number
    assert facts.bare or " - " in name


@pytest.mark.parametrize(
    "name",
    [
        "2026.2160p.WEB-DL.H265.HDR10.10bit.Dolby Atmos 5.1.mkv",
        "测试节目.4K.WEB-DL.mkv",
        "测试节目.8bit.1080p.mkv",
        "SOME18.mkv",
        "Blade Runner 2049 (2017).mkv",
        "2046.2004.1080p.mkv",
        "钢铁侠2 (2010) 1080p AC3.mp4",
        "Spider-Man.2.2004.1080p.mkv",
        "The 355 2022 BluRay 1080p DTS-HD MA5.1 X265.10bit.mkv",
        "寻梦环游记.Coco.2017.BluRay.1080p.x264.mkv",
        "某片 16.57T.mkv",
        "Show.Name.720p.HDTV.AAC5.1.x264.mkv",
        "[Group] Movie [BDRip 1920x1080 HEVC FLAC][ABCDEF12].mkv",
    ],
)
def test_numbers_of_pictures_sound_size_and_titles_are_no_episodes(name: str) -> None:
    assert from_name(name).first is None


def test_dates_issues_and_parts_of_shows() -> None:
    facts = from_name("20260717第3期(一) .mp4")
    assert (facts.date, facts.issue, facts.part, facts.first) == ("2026-07-17", 3, "1", None)
    facts = from_name("2024.05.02期-第1期下.mp4")
    assert (facts.date, facts.issue, facts.part, facts.first) == ("2024-05-02", 1, "下", None)
    assert from_name("某综艺.0725期.mp4").date == "--07-25"
    assert from_name("221205 ABC123 17研究所！ #17.ts").date == "2022-12-05"
    assert from_name("Jade Ep1699 20220828 HDTV 720P.mkv").date == "2022-08-28"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("Movie.2009.CD1.mkv", "1"),
        ("Movie (2009) part2.mkv", "2"),
        ("死亡圣器(上) (2010).mkv", "上"),
        ("第6期中.mp4", "中"),
    ],
)
def test_parts(name: str, part: str) -> None:
    assert from_name(name).part == part


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("Supergirl.1984.Trailer.2160p.mkv", "trailer"),
        ("Supergirl.1984.主演访谈.mp4", "interview"),
        ("Supergirl.1984.精彩短片.mp4", "extra"),
        ("NCED.mkv", "credits"),
        ("[Group] Show [NCOP1][1080p].mkv", "credits"),
        ("sample-show.s01e01.mkv", "sample"),
        ("沙丘2 预告片.mp4", "trailer"),
        ("Trailer.Park.Boys.S01E02.mkv", None),
        ("Special.Forces.S01E01.mkv", None),
    ],
)
def test_extras_are_named_and_titles_with_such_words_are_not(name: str, extra: str | None) -> None:
    assert from_name(name).extra == extra


def test_recaps_and_specials() -> None:
    assert from_name("[Anime Time] Series no Mayo - 12.5.mkv").half
    assert from_name("[Anime Time] Series no Mayo - 12.5.mkv").first is None
    facts = from_name("[Dae-P9] Anime - 05.5 - S00E01 - Marrying (BD 1080p) [5BCD56B8].mkv")
    assert (facts.season, facts.first) == (0, 1)
    assert from_name("某动画 OVA2.mkv").special
    assert (from_name("某动画 SP1.mkv").season, from_name("某动画 SP1.mkv").first) == (0, 1)


@pytest.mark.parametrize(
    ("name", "title", "year"),
    [
        ("The.Hunger.Games.Catching.Fire.2013.mkv", "The Hunger Games Catching Fire", 2013),
        ("灰姑娘.2006.mkv", "灰姑娘", 2006),
        ("钢铁侠2 (2010) 1080p.mp4", "钢铁侠2", 2010),
        ("1917.2019.2160p.mkv", "1917", 2019),
        ("[Group] Another Anime 100 - 01 (1080p).mkv", "Another Anime 100", None),
        ("Reno.911.S01E02.mkv", "Reno 911", None),
    ],
)
def test_the_title_stands_before_the_facts(name: str, title: str, year: int | None) -> None:
    facts = from_name(name)
    assert (facts.title, facts.year) == (title, year)


@pytest.mark.parametrize(
    ("folder", "season"),
    [
        ("S01", 1),
        ("Season 2 1080P", 2),
        ("龙之家族 第二季", 2),
        ("第十二季", 12),
        ("S01-S03 合集", None),
        ("第1-3季", None),
        ("1080P", None),
        ("Specials", 0),
        ("某剧 (2020)", None),
    ],
)
def test_folders_state_one_season_or_none(folder: str, season: int | None) -> None:
    assert season_of_folder(folder) == season


@given(
    st.integers(0, 60),
    st.integers(1, 1500),
    st.sampled_from(["S{s:02}E{e:02}", "s{s}e{e}", "S{s:02}.E{e:02}"]),
)
def test_any_season_and_episode_comes_back(season: int, episode: int, form: str) -> None:
    facts = from_name(f"某剧.Show.{form.format(s=season, e=episode)}.2160p.WEB-DL.H265.AAC2.0-GRP.mkv")
    assert (facts.season, facts.first, facts.last, facts.bare) == (season, episode, episode, False)


@given(st.text(max_size=200))
def test_no_name_breaks_the_reader(name: str) -> None:
    facts = from_name(name)
    assert facts.first is None or (facts.last is not None and facts.last >= facts.first)
    season_of_folder(name)
