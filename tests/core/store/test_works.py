import sqlite3

import pytest

from custom_components.reelay.core.model.offer import Kind, Work
from custom_components.reelay.core.store import works

from .rows import add_work


def test_a_work_comes_back_as_it_was(tx: sqlite3.Connection) -> None:
    work = Work(kind=Kind.SERIES, title="漫长的季节", titles=("The Long Season",), year=2023, tmdb=5)
    assert works.get(tx, works.intern(tx, work)) == work
    with pytest.raises(LookupError):
        works.get(tx, 99)


def test_an_identical_work_keeps_its_row(tx: sqlite3.Connection) -> None:
    first = add_work(tx, "Film", year=2001)
    assert add_work(tx, "ＦＩＬＭ", year=2001) == first
    assert add_work(tx, "Film", titles=("Film",), year=2001) == first


@pytest.mark.parametrize(
    "other",
    [
        {"year": 2002},
        {"year": None},
        {"kind": Kind.SERIES},
        {"titles": ("More",)},
        {"tmdb": 5},
    ],
)
def test_anything_else_is_a_row_of_its_own(tx: sqlite3.Connection, other: dict[str, object]) -> None:
    first = add_work(tx, "Film", year=2001)
    assert add_work(tx, "Film", **({"year": 2001} | other)) != first


def test_a_tmdb_row_learns_titles_and_year(tx: sqlite3.Connection) -> None:
    first = add_work(tx, "Film", tmdb=5)
    assert add_work(tx, "Movie", titles=("Film", "影片"), tmdb=5, year=2001) == first

    known = works.get(tx, first)
    assert (known.title, known.titles, known.year) == ("Film", ("Movie", "影片"), 2001)
    assert works.same(tx, Work(kind=Kind.FILM, title="影片", year=2001)) == [(first, False)]


def test_candidates_are_found_by_key_and_judged_by_the_rule(tx: sqlite3.Connection) -> None:
    numbered = add_work(tx, "Film", year=2001, tmdb=5)
    undated = add_work(tx, "Film")
    add_work(tx, "Film", year=1980)
    add_work(tx, "Film", year=2001, kind=Kind.SERIES)
    other = add_work(tx, "Film", year=2001, tmdb=6)

    assert works.same(tx, Work(kind=Kind.FILM, title="film", year=2001)) == [
        (numbered, False),
        (undated, True),
        (other, False),
    ]
    assert works.same(tx, Work(kind=Kind.FILM, title="Else", year=2001, tmdb=5)) == [(numbered, False)]
    assert works.same(tx, Work(kind=Kind.FILM, title="Unknown")) == []
