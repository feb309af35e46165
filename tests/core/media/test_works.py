"""When two works are the same one."""

from hypothesis import given, strategies as st

from custom_components.reelay.core.media.works import Same, same
from custom_components.reelay.core.model.offer import Kind, Work

WORKS = st.builds(
    Work,
    kind=st.sampled_from(Kind),
    title=st.sampled_from(["狮子王", "獅子王", "The Lion King", "沙丘"]),
    titles=st.lists(st.sampled_from(["狮子王", "The Lion King", "Dune"]), max_size=2).map(tuple),
    year=st.sampled_from([None, 1994, 2019]),
    tmdb=st.sampled_from([None, 1, 2]),
)


def film(
    title: str = "狮子王", year: int | None = 1994, tmdb: int | None = None, titles: tuple[str, ...] = ()
) -> Work:
    return Work(kind=Kind.FILM, title=title, year=year, tmdb=tmdb, titles=titles)


def test_ids_decide_where_both_have_one() -> None:
    assert same(film(tmdb=1), film("别的", 2000, tmdb=1)) is Same.SAME
    assert same(film(tmdb=1), film(tmdb=2)) is Same.DIFFERENT


def test_without_ids_any_known_title_and_the_year_decide() -> None:
    assert same(film(), film("The Lion King", titles=("獅子王",))) is Same.SAME
    assert same(film(tmdb=1), film()) is Same.SAME
    assert same(film(), film("沙丘")) is Same.DIFFERENT


def test_remakes_differ() -> None:
    assert same(film(year=1994), film(year=2019)) is Same.DIFFERENT


def test_a_missing_year_is_a_weak_hit() -> None:
    assert same(film(), film(year=None)) is Same.WEAK
    assert same(film(year=None), film(year=None)) is Same.WEAK


def test_a_film_is_no_series() -> None:
    assert same(film(), Work(kind=Kind.SERIES, title="狮子王", year=1994)) is Same.DIFFERENT


@given(WORKS, WORKS)
def test_it_is_symmetric(one: Work, other: Work) -> None:
    assert same(one, other) is same(other, one)


@given(WORKS)
def test_a_work_is_itself_unless_its_year_is_unknown(work: Work) -> None:
    expected = Same.SAME if work.tmdb is not None or work.year is not None else Same.WEAK
    assert same(work, work) is expected


@given(WORKS, WORKS)
def test_different_kinds_are_never_the_same(one: Work, other: Work) -> None:
    if one.kind is not other.kind:
        assert same(one, other) is Same.DIFFERENT
