"""How messages word seasons and episodes; one row per way of writing."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from custom_components.reelay.core.media.numerals import number, roman
from custom_components.reelay.core.media.wordings import read

WAYS: dict[str, dict[str, Any]] = {
    "S02E03": {"seasons": (2,), "episodes": ((3, 3),)},
    "S01 E04": {"seasons": (1,), "episodes": ((4, 4),)},
    "S05E202": {"seasons": (5,), "episodes": ((202, 202),)},
    "第 8 集": {"episodes": ((8, 8),)},
    "第07集": {"episodes": ((7, 7),)},
    "第二季第七集": {"seasons": (2,), "episodes": ((7, 7),)},
    "EP05": {"episodes": ((5, 5),)},
    "第14话": {"episodes": ((14, 14),)},
    "补E27": {"episodes": ((27, 27),)},
    "[12]": {"episodes": ((12, 12),)},
    "[01(49)]": {"episodes": ((1, 1),)},
    "某动画 - 05 [": {"episodes": ((5, 5),)},
    "S3 - 09": {"seasons": (3,), "episodes": ((9, 9),)},
    "S01E01-E21": {"seasons": (1,), "episodes": ((1, 21),)},
    "S01E01-28": {"seasons": (1,), "episodes": ((1, 28),)},
    "S01 E01-E12": {"seasons": (1,), "episodes": ((1, 12),)},
    "S01E01 - E08": {"seasons": (1,), "episodes": ((1, 8),)},
    "S01E01-E30.2160p": {"seasons": (1,), "episodes": ((1, 30),)},
    "S02E21 - 94 Meetings": {"seasons": (2,), "episodes": ((21, 21),)},
    "S02 01-12": {"seasons": (2,), "episodes": ((1, 12),)},
    "E01-E10（缺E03、E05）": {"episodes": ((1, 2), (4, 4), (6, 10))},
    "E02-E05、E07、E10-E12": {"episodes": ((2, 5), (7, 7), (10, 12))},
    "第1100-1110集": {"episodes": ((1100, 1110),)},
    "第13、14集": {"episodes": ((13, 14),)},
    "[25-36]": {"episodes": ((25, 36),)},
    "[01-23合集]": {"episodes": ((1, 23),)},
    "S01E01-S03E10": {"seasons": (1, 2, 3), "episodes": (), "crossing": True},
    "更新至8集": {"episodes": ((1, 8),)},
    "更新至第9集": {"episodes": ((1, 9),)},
    "更新至EP12 4K": {"episodes": ((1, 12),)},
    "更至EP67": {"episodes": ((1, 67),)},
    "更至06集": {"episodes": ((1, 6),)},
    "更05集": {"episodes": ((1, 5),)},
    "更新62集": {"episodes": ((1, 62),)},
    "更新至第二季第3集": {"seasons": (2,), "episodes": ((1, 3),)},
    "更新至S02E05": {"seasons": (2,), "episodes": ((1, 5),)},
    "更新至第 5 話": {"episodes": ((1, 5),)},
    "更0725期": {"episodes": (), "date": "--07-25"},
    "更新至20240520期": {"episodes": (), "date": "2024-05-20"},
    "第10期上+下 20240817": {"episodes": ((10, 10),), "date": "2024-08-17"},
    "全12集": {"complete": True, "total": 12},
    "12集全": {"complete": True, "total": 12},
    "（80集）": {"complete": True, "total": 80},
    "全集": {"complete": True},
    "已完结": {"complete": True},
    "S01完结": {"seasons": (1,), "complete": True},
    "共10集": {"complete": False, "total": 10},
    "更新至第2集(共8集)": {"episodes": ((1, 2),), "total": 8},
    "袭击篇[8集全]": {"episodes": ((1, 8),), "part": "袭击篇", "complete": False},
    "第1季": {"seasons": (1,)},
    "第二十一季": {"seasons": (21,)},
    "全十季": {"seasons": tuple(range(1, 11)), "complete": True},
    "1-3季": {"seasons": (1, 2, 3)},
    "第一季至第十一季": {"seasons": tuple(range(1, 12))},
    "S01-S05": {"seasons": (1, 2, 3, 4, 5)},
    "S0-S03": {"seasons": (0, 1, 2, 3)},
    "3rd Season": {"seasons": (3,)},
    "无职转生Ⅱ 全25话": {"seasons": (2,), "complete": True, "total": 25},
    "SP 特别篇": {"seasons": (0,), "special": True},
    "S01-S02 + OVA": {"seasons": (0, 1, 2)},
    "TV版 + OVA": {"seasons": (), "special": True},
    "第三季 第二部分": {"seasons": (3,), "part": "第二部分"},
    "第128集（年番第28集）": {"episodes": ((128, 128),)},
}


@pytest.mark.parametrize("text", WAYS)
def test_each_way_of_writing_is_read(text: str) -> None:
    found = read(text)
    assert {name: getattr(found, name) for name in WAYS[text]} == WAYS[text]


@pytest.mark.parametrize(
    "text",
    ["1917 (2019) 2160p", "第二十条 (2024)", "2025年更新至9月", "第三季度", "1-8部 (2001-2011)", "碟中谍 1-7 合集",
     "蓝色星球II", "[1080]", "The Witch Part 2", "DDP 5 1", "24小时", "H.265 10bit", "流浪地球2"],
)  # fmt: skip
def test_other_numbers_state_nothing(text: str) -> None:
    assert read(text).empty


@given(st.integers(1, 99), st.integers(1, 300), st.integers(0, 60))
def test_ranges_come_back_in_every_form(season: int, first: int, more: int) -> None:
    last = first + more
    for text in (
        f"某剧 S{season:02}E{first:02}-E{last:02} 4K",
        f"某剧 S{season:02} E{first:02}-{last:02} 4K",
        f"某剧 第{season}季 第{first}-{last}集 4K",
    ):
        found = read(text)
        assert (found.seasons, found.episodes) == ((season,), ((first, last),))


@given(st.integers(1, 2_000))
def test_progress_counts_from_one(number: int) -> None:
    assert read(f"某剧 更新至{number}集 4K").episodes == ((1, number),)
    assert read(f"某剧 更新至第{number}集 4K").episodes == ((1, number),)


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    read(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("十", 10),
        ("十二", 12),
        ("二十一", 21),
        ("一百零八", 108),
        ("二〇二四", 2024),
        ("两", 2),
        ("07", 7),
        ("外", None),
        ("", None),
    ],
)
def test_numerals(text: str, value: int | None) -> None:
    assert number(text) == value


def test_roman_numerals() -> None:
    assert [roman(text) for text in ("II", "iv", "Ⅲ", "XII", "IL", "hat")] == [2, 4, 3, 12, 49, None]
