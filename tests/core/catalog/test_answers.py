"""Answers of any shape are read, and recorded ones right."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, strategies as st

from custom_components.reelay.core.catalog import answers, posters
from custom_components.reelay.core.catalog.scoring import Asked, score
from custom_components.reelay.core.model.offer import Kind
from custom_components.reelay.core.remote.errors import RemoteError, Why

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "tmdb"
recorded = pytest.mark.skipif(not DATA.exists(), reason="the shared data isn't there")


def load(name: str) -> Any:
    return json.loads((DATA / name).read_text("utf-8"))


@recorded
def test_a_film_is_read() -> None:
    found = answers.details(load("movie_535167_zh_append.json"), Kind.FILM)
    assert found is not None
    assert (found.title, found.year, found.imdb) == ("流浪地球", 2019, "tt7605074")
    assert found.titles == ("流浪地球", "The Wandering Earth", "Liu Lang Di Qiu")


@recorded
def test_a_series_is_read() -> None:
    found = answers.details(load("tv_204541_zh.json"), Kind.SERIES)
    assert found is not None
    assert (found.title, found.year, found.over, found.tvdb) == ("三体", 2023, True, 421477)
    assert found.seasons == (answers.Season(number=1, episodes=30, year=2023, name="第 1 季"),)


@recorded
def test_hits_are_read() -> None:
    found = answers.rows(load("search_tv_zh_same_name.json"), Kind.SERIES)
    assert [(row.tmdb, row.year, row.titles) for row in found] == [
        (108545, 2024, ("三体", "3 Body Problem")),
        (204541, 2023, ("三体",)),
    ]
    assert answers.rows(load("search_empty.json"), Kind.FILM) == ()
    group = answers.group(load("tv_episode_group_trimmed.json"))
    assert group is not None
    assert group.seasons[4][-1][0] == 0


def test_a_chinese_title_is_taken_from_the_mainland_first() -> None:
    def title(*translations: tuple[str, str], other: tuple[tuple[str, str], ...] = ()) -> str:
        found = answers.details(
            {
                "id": 1,
                "name": "원제",
                "translations": {
                    "translations": [
                        {"iso_3166_1": country, "iso_639_1": "zh", "data": {"name": name}}
                        for country, name in translations
                    ]
                },
                "alternative_titles": {
                    "results": [{"iso_3166_1": country, "title": name} for country, name in other]
                },
            },
            Kind.SERIES,
        )
        assert found is not None
        return found.title

    assert title(("TW", "臺灣名"), ("CN", "大陆名"), ("HK", "香港名")) == "大陆名"
    assert title(("TW", "臺灣名"), ("CN", ""), ("HK", "香港名")) == "香港名"
    assert title(other=(("CN", "Pin Yin"), ("CN", "别名"))) == "别名"
    assert title(other=(("JP", "別名"),)) == "원제"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
FIELDS = (
    *(
        "id",
        "results",
        "total_pages",
        "title",
        "name",
        "original_title",
        "release_date",
        "first_air_date",
        "seasons",
    ),
    *(
        "season_number",
        "episode_count",
        "translations",
        "alternative_titles",
        "titles",
        "external_ids",
        "status",
    ),
    *("poster_path", "groups", "episodes", "order", "data"),
)


@given(
    st.dictionaries(
        st.sampled_from(FIELDS), JSON | st.dictionaries(st.sampled_from(FIELDS), JSON), max_size=8
    )
)
def test_no_answer_is_too_strange(answer: dict[str, Any]) -> None:
    for kind in Kind:
        answers.rows(answer, kind)
        answers.rows({"results": [answer]}, kind)
        found = answers.details(answer | {"id": 1, "title": "x"}, kind)
        assert found is not None
        score(Asked(kind=kind, titles=("x",), year=2020), found)
    answers.pages(answer)
    answers.group(answer)
    answers.group_ids(answer)


def test_only_pictures_have_an_address() -> None:
    assert posters.address("w342", "/ab-C_1.jpg") == "https://image.tmdb.org/t/p/w342/ab-C_1.jpg"
    for size, file in (
        ("w343", "a.jpg"),
        ("w342", "../a.jpg"),
        ("w342", "a.svg"),
        ("w342", "a.jpg?x"),
        ("", "a.jpg"),
    ):
        assert posters.address(size, file) is None
    assert posters.kind(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert posters.kind(b"RIFF\0\0\0\0WEBPVP8") == "image/webp"
    assert posters.kind(b"<svg xmlns") is None


async def test_a_picture_is_what_its_bytes_say() -> None:
    answers_of = {
        "/t/p/w342/a.jpg": (200, b"\xff\xd8\xff\xe0picture"),
        "/t/p/w342/b.jpg": (200, b"<html>"),
        "/t/p/w342/c.jpg": (404, b""),
        "/t/p/w342/d.jpg": (500, b""),
    }

    def serve(request: httpx.Request) -> httpx.Response:
        status, body = answers_of[request.url.path]
        return httpx.Response(status, content=body, headers={"Content-Type": "image/jpeg"})

    async with httpx.AsyncClient(transport=httpx.MockTransport(serve)) as client:
        assert await posters.fetch(client, "w342", "/a.jpg") == (b"\xff\xd8\xff\xe0picture", "image/jpeg")
        for file, why in (
            ("b", Why.WRONG_TYPE),
            ("c", Why.NOT_FOUND),
            ("d", Why.SERVER_ERROR),
            ("../a", Why.NOT_FOUND),
        ):
            with pytest.raises(RemoteError, match=why.value):
                await posters.fetch(client, "w342", f"{file}.jpg")
