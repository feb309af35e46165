"""What is stored of a work, read from the rows."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from custom_components.reelay.core.decide.stored import StoredView, view, wanted
from custom_components.reelay.core.model.offer import Kind, Offer, Parsed, ShareRef, Work
from custom_components.reelay.core.model.share import FILM_EPISODE, FILM_SEASON, StoredRow
from custom_components.reelay.core.store import library, opening, resources, works

HERE = ("demo", "/Reelay")
ANDOR = Work(kind=Kind.SERIES, title="安多", year=2022)


@pytest.fixture
def tx(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection, _ = opening.prepare(tmp_path / "rows.db")
    yield connection
    connection.close()


def store(tx: sqlite3.Connection, work: Work, *pairs: tuple[int, int]) -> None:
    row = works.intern(tx, work)
    rows = [
        StoredRow(
            work=row,
            season=season,
            episode=number,
            origin="found",
            task=None,
            file_id=f"{row}-{season}-{number}",
        )
        for season, number in pairs
    ]
    library.add(tx, *HERE, rows, 1)


def test_all_seasons_of_the_same_work_are_seen(tx: sqlite3.Connection) -> None:
    store(tx, ANDOR, (1, 1), (2, 3))
    store(tx, Work(kind=Kind.SERIES, title="别的", year=2022), (1, 9))
    assert view(tx, *HERE, ANDOR) == StoredView(pairs=frozenset({(1, 1), (2, 3)}))
    assert view(tx, "demo", "/else", ANDOR) == StoredView()


def test_a_work_without_a_year_is_a_weak_hit(tx: sqlite3.Connection) -> None:
    store(tx, ANDOR, (1, 1))
    nameless = Work(kind=Kind.SERIES, title="安多")
    assert view(tx, *HERE, nameless) == StoredView(weak=frozenset({(1, 1)}))


def test_what_is_gone_is_not_stored(tx: sqlite3.Connection) -> None:
    store(tx, ANDOR, (1, 1))
    (row,) = library.stored(tx, *HERE, [works.intern(tx, ANDOR)])
    library.mark_gone(tx, row.file_id, True)
    assert view(tx, *HERE, ANDOR) == StoredView()


def test_ed2k_links_that_came_before_are_seen_and_shares_are_not(tx: sqlite3.Connection) -> None:
    links, share = (
        Offer(key="ed2k:1", ed2k_count=2),
        Offer(key="share:sw1", share=ShareRef(code="sw1"), ed2k_count=2),
    )
    assert not view(tx, *HERE, None, links).seen
    for offer in (links, share):
        resources.put(tx, *HERE, offer.key, 7, "hash")
    assert view(tx, *HERE, None, links).seen
    assert not view(tx, *HERE, None, share).seen


def test_only_what_words_surely_name_is_wanted() -> None:
    def series(**more: object) -> Parsed:
        return Parsed.model_validate({"is_media": True, "kind": "series", "title": "安多"} | more)

    film = Parsed(is_media=True, kind=Kind.FILM, title="沙丘")
    assert wanted(film) == {(FILM_SEASON, FILM_EPISODE)}
    assert wanted(film.model_copy(update={"collection": True})) == frozenset()
    assert wanted(series(seasons=[2], episodes=[[1, 2]])) == {(2, 1), (2, 2)}
    assert wanted(series(seasons=[2], complete=True, declared_total=2)) == {(2, 1), (2, 2)}
    for unclear in (
        series(episodes=[[1, 2]]),
        series(seasons=[1, 2]),
        series(seasons=[2], complete=True),
        series(seasons=[2], episodes=[[1, 2]], part="第二部分"),
        series(seasons=[2], air_date="2024-05-20"),
    ):
        assert wanted(unclear) == frozenset()
