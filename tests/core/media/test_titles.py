"""Titles: what makes two spellings one title, and what doesn't."""

import pytest
from hypothesis import given, strategies as st

from custom_components.reelay.core.media.titles import key, similarity, simplify


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("進擊的巨人", "进击的巨人"),
        ("鬼滅之刃", "鬼灭之刃"),
        ("Ｒｅ：从零开始", "Re:从零开始"),
        ("哈利·波特", "哈利波特"),
        ("The Last of Us", "the.last.of.us"),
        ("Amélie", "Amelie"),
        ("Fast & Furious", "Fast and Furious"),
        ("你的名字。", "你的名字"),
        ("无职转生Ⅱ", "无职转生II"),
        ("9-1-1", "911"),
    ],
)
def test_spellings_of_one_title_have_one_key(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("沙丘", "沙丘2"), ("她", "他"), ("1917", "1971"), ("黑镜", "黑镜：潘达斯奈基"), ("が", "か")],
)
def test_different_titles_have_different_keys(one: str, other: str) -> None:
    assert key(one) != key(other)


def test_a_title_of_signs_only_keeps_them() -> None:
    assert key("...") == "..."
    assert key("  ") == ""


def test_another_part_is_less_alike_than_another_spelling() -> None:
    assert similarity("流浪地球", "流浪地球2") < 0.7
    assert similarity("The Matrix", "Matrix, The") > 0.9
    assert similarity("繁花", "繁花") == 1.0
    assert similarity("", "繁花") == 0.0


@given(st.text(max_size=40))
def test_keys_are_stable(text: str) -> None:
    assert key(key(text)) == key(text)


@given(st.text(max_size=40))
def test_simplifying_keeps_positions(text: str) -> None:
    assert len(simplify(text)) == len(text)


@given(st.text(max_size=30), st.text(max_size=30))
def test_similarity_is_symmetric_and_bounded(one: str, other: str) -> None:
    assert 0.0 <= similarity(one, other) <= 1.0
    assert similarity(one, other) == pytest.approx(similarity(other, one))
