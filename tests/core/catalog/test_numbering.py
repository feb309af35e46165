"""Numbers as people write them, in the catalogue's own; what fits two places is no answer."""

import pytest

from custom_components.reelay.core.catalog import answers
from custom_components.reelay.core.catalog.answers import Group, Season
from custom_components.reelay.core.catalog.numbering import canonical
from tests.fakes.tmdb import FakeTmdb

from .desk import Desk

TITAN = tuple(Season(number=number, episodes=count) for number, count in enumerate((37, 25, 12, 22, 28)))
FINAL = Group(
    name="Seasons",
    type=6,
    seasons={4: (*((4, number) for number in range(1, 29)), (0, 36), (0, 37))},
)


@pytest.mark.parametrize(
    ("season", "number", "over", "place"),
    [
        (1, 5, True, (1, 5)),
        (4, 28, True, (4, 28)),
        (0, 36, True, (0, 36)),
        (0, 38, True, None),
        # numbered through
        (2, 26, True, (2, 1)),
        (4, 87, True, (4, 28)),
        (None, 87, True, (4, 28)),
        (None, 60, True, (4, 1)),
        # of which season?
        (None, 12, True, None),
        (None, 29, True, None),
        # neither
        (4, 88, True, None),
        (3, 30, True, None),
        (5, 1, True, None),
        (2, 0, True, None),
        # may be the next episode
        (4, 29, False, (4, 29)),
        (4, 40, False, None),
    ],
)
def test_a_number_has_one_place_or_none(
    season: int | None, number: int, over: bool, place: tuple[int, int] | None
) -> None:
    assert canonical(TITAN, season, number, over=over) == place


def test_another_order_of_the_catalogue_knows_where_the_finale_went() -> None:
    assert canonical(TITAN, 4, 29, (FINAL,), over=True) == (0, 36)
    assert canonical(TITAN, 4, 30, (FINAL,)) == (0, 37)
    assert canonical(TITAN, 4, 28, (FINAL,)) == (4, 28)
    other = Group(name="x", type=1, seasons={4: FINAL.seasons[4][::-1]})
    assert canonical(TITAN, 4, 29, (FINAL, other)) is None


def test_one_season_takes_every_number_and_a_number_that_two_seasons_may_have_none() -> None:
    assert canonical((Season(number=1, episodes=10),), None, 12) == (1, 12)
    two = (Season(number=1, episodes=12), Season(number=2, episodes=12))
    assert canonical(two, 2, 13) is None, "the first of the second season, or its thirteenth"
    assert canonical(two, 2, 13, over=True) == (2, 1)
    assert canonical((), 1, 1) is None


async def test_orders_come_from_the_catalogue(desk: Desk, tmdb: FakeTmdb) -> None:
    episodes = [
        {"season_number": season, "episode_number": number, "order": at}
        for at, (season, number) in enumerate(FINAL.seasons[4])
    ]
    tmdb.groups[1429] = [
        {
            "id": "5f0000000000000000000002",
            "name": "abs",
            "type": 2,
            "groups": [{"order": 1, "episodes": []}],
        },
        {
            "id": "66cd15ff5b846d32524101ec",
            "name": "Seasons",
            "type": 6,
            "groups": [{"order": 4, "episodes": episodes[::-1]}],
        },
    ]
    assert await desk.titles.groups(1429) == (FINAL,)
    tmdb.forget()
    await desk.titles.groups(1429)
    assert not tmdb.asked
    assert await desk.titles.groups(1396) == ()


@pytest.mark.parametrize("broken", [None, [], "x", {}, {"groups": 1}, {"groups": [{"order": "x"}, 3]}])
def test_a_broken_order_is_none(broken: object) -> None:
    assert answers.group(broken) is None
