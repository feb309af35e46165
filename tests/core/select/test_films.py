"""Which file of a share is the film, or which films it has."""

import pytest

from custom_components.reelay.core.model.context import Assignment
from custom_components.reelay.core.model.share import FILM_EPISODE, FILM_SEASON, Role
from custom_components.reelay.core.select.outcome import without
from tests.core.select.shares import FILM, GIB, MIB, by_path, choose, problems, said


def test_the_one_large_file_is_the_film_whatever_it_is_called() -> None:
    found = choose({"abc.mkv": 9 * GIB, "bonus.mkv": GIB, "poster.jpg": 9}, FILM)
    assert list(by_path(found)) == ["abc.mkv"]
    assert (found.files[0].season, found.files[0].episode) == (FILM_SEASON, FILM_EPISODE)


def test_of_several_versions_the_best_is_taken() -> None:
    files = {"流浪地球.2019.1080p.mkv": 8 * GIB, "流浪地球.2019.2160p.REMUX.mkv": 30 * GIB}
    assert list(by_path(choose(files, FILM))) == ["流浪地球.2019.2160p.REMUX.mkv"]


def test_the_film_that_bears_the_name_is_taken_from_a_mixed_share() -> None:
    files = {"The.Wandering.Earth.2019.mkv": 8 * GIB, "Other.Film.2018.mkv": 9 * GIB}
    assert list(by_path(choose(files, FILM))) == ["The.Wandering.Earth.2019.mkv"]


def test_the_remake_of_another_year_is_not_the_film() -> None:
    files = {"The.Wandering.Earth.2019.mkv": 8 * GIB, "The.Wandering.Earth.1999.mkv": 9 * GIB}
    assert list(by_path(choose(files, FILM))) == ["The.Wandering.Earth.2019.mkv"]


def test_several_features_that_nothing_tells_apart_are_a_problem() -> None:
    assert problems({"one.2018.mkv": 8 * GIB, "two.2019.mkv": 9 * GIB}, FILM) == ["several_features"]
    assert problems({"a/Film.mkv": 8 * GIB, "b/Film.mkv": 9 * GIB}, FILM) == ["several_features"]


@pytest.mark.parametrize(
    "names",
    [["F.CD1.mkv", "F.CD2.mkv"], ["流浪地球(上).mkv", "流浪地球(下).mkv"], ["F.part1.mkv", "F.part2.mkv"]],
)
def test_all_parts_of_a_film_belong_together(names: list[str]) -> None:
    found = choose({name: 3 * GIB + n for n, name in enumerate(names)}, FILM)
    assert [(file.path, file.part) for file in found.files] == [(names[0], "1"), (names[1], "2")]


@pytest.mark.parametrize("names", [["F.CD1.mkv"], ["F.CD2.mkv"], ["F.CD1.mkv", "F.CD3.mkv"]])
def test_a_film_with_a_missing_part_is_a_problem(names: list[str]) -> None:
    assert problems(names, FILM) == ["missing_part"]


def test_part_two_of_a_title_is_a_whole_film() -> None:
    assert len(choose(["Dune.Part.Two.2024.mkv"], FILM).files) == 1
    assert len(choose(["Hallows.Part.2.2011.mkv"], FILM).files) == 1


def test_a_collection_gives_each_film_its_own_work_and_the_folder_decides_nothing() -> None:
    files = {
        "流浪地球合集 (2000)/流浪地球.The.Wandering.Earth.2019.2160p.mkv": 9 * GIB,
        "流浪地球合集 (2000)/流浪地球2.2023.2160p.mkv": 9 * GIB,
        "流浪地球合集 (2000)/流浪地球2.2023.1080p.mkv": 4 * GIB,
        "流浪地球合集 (2000)/流浪地球2.2023.2160p.srt": 9,
    }
    found = choose(files, FILM, said(FILM, collection=True))
    assert [(work.title, work.year) for work in found.works] == [("流浪地球", 2019), ("流浪地球2", 2023)]
    assert found.works[0] == FILM
    assert [(file.work, file.role) for file in found.files] == [
        (0, Role.VIDEO),
        (1, Role.VIDEO),
        (1, Role.SUBTITLE),
    ]


def test_what_is_stored_of_a_collection_is_left_out_by_work() -> None:
    files = {"A.2001.mkv": GIB, "B.2002.mkv": GIB}
    found = choose(files, FILM, said(FILM, collection=True))
    left = without(found, {1: {(FILM_SEASON, FILM_EPISODE)}})
    assert [file.path for file in left.files] == ["A.2001.mkv"]


def test_a_disc_is_a_unit_with_all_its_files() -> None:
    files = {
        "流浪地球 2019 BluRay/BDMV/index.bdmv": 900,
        "流浪地球 2019 BluRay/BDMV/STREAM/00001.m2ts": 30 * GIB,
        "流浪地球 2019 BluRay/BDMV/STREAM/00002.m2ts": 200 * MIB,
        "流浪地球 2019 BluRay/CERTIFICATE/id.bdmv": 90,
    }
    found = choose(files, FILM)
    assert len(found.files) == 4
    assert {file.role for file in found.files} == {Role.DISC}


def test_a_disc_image_is_a_disc() -> None:
    assert choose(["流浪地球.iso"], FILM).files[0].role is Role.DISC


def test_a_stored_film_leaves_nothing_to_take() -> None:
    found = choose(["流浪地球.2019.mkv"], FILM, stored={(FILM_SEASON, FILM_EPISODE)})
    assert found.files == ()


def test_a_person_says_which_of_several_features_it_is() -> None:
    files = {"one.mkv": 8 * GIB, "two.mkv": 9 * GIB}
    word = (Assignment(path="two.mkv", leave_out=True),)
    assert list(by_path(choose(files, FILM, assignments=word))) == ["one.mkv"]
    word = (Assignment(path="one.mkv"),)
    assert list(by_path(choose(files, FILM, assignments=word))) == ["one.mkv"]


def test_the_subtitles_of_a_single_film_follow_it_whatever_they_are_called() -> None:
    found = choose({"film.mkv": GIB, "Subs/2_English.srt": 9, "chs.ass": 9}, FILM)
    assert len(found.files) == 3


def test_films_whose_files_are_numbers_bear_the_names_of_their_own_folders() -> None:
    files = {
        f"倩女幽魂[1-3]/倩女幽魂{n}.A Chinese Ghost Story.{year}.Blu-ray.1080p.AVC/{n}.mkv": GIB * n
        for n, year in ((1, 1987), (2, 1990), (3, 1991))
    }
    found = choose(files, FILM, said(FILM, collection=True))
    assert [work.year for work in found.works] == [1987, 1990, 1991]


@pytest.mark.parametrize("years", [(1972, 1974, 1990), (2001, 2002, 2003), (1999, 2003, 2021)])
@pytest.mark.parametrize(
    "form", ["{t}.{n}.{y}.1080p.BluRay.mkv", "{t} {n} ({y}).mkv", "{c}{n}.{y}.2160p.mkv"]
)
def test_collections_of_films_in_any_way_of_writing_give_one_work_per_film(
    form: str, years: tuple[int, ...]
) -> None:
    files = [
        "Collection 1972-2021/" + form.format(t="Paper.Comet", c="纸彗星", n=n, y=year)
        for n, year in enumerate(years, start=1)
    ]
    found = choose(files, FILM, said(FILM, collection=True))
    assert [work.year for work in found.works] == list(years)
    assert len(found.files) == len(years)
