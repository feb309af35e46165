"""Every work of the catalogue by every title it has, with right, near, missing and wrong years: never a wrong one."""

from custom_components.reelay.core.catalog.titles import Status
from custom_components.reelay.core.media import titles as words
from custom_components.reelay.core.model.offer import Kind, Parsed
from tests.fakes.tmdb import Entry, FakeTmdb, film, series

from .desk import Desk, said
from .works import WORKS

KINDS = {"movie": Kind.FILM, "tv": Kind.SERIES}
#: Works that only serve to mislead: a sequel, a film of a series, a namesake of long ago.
DECOYS: tuple[Entry, ...] = (
    *(
        film(
            9500000 + n, f"{each.title('zh-CN')} 3", "2030-01-01", zh=f"{each.title('zh-CN')}3", popularity=99
        )
        for n, each in enumerate(WORKS)
    ),
    *(
        series(9600000 + n, each.original, (20, "1961-01-01"), zh=each.title("zh-CN"), popularity=99)
        for n, each in enumerate(WORKS)
    ),
)


def variants(entry: Entry) -> list[str]:
    found = {title: None for title in entry.all() if title}
    for title in tuple(found):
        found |= {f"  {title} ": None, title.upper(): None, title.replace("：", " ").replace(": ", " "): None}
    return list(found)


def year_of(entry: Entry) -> int | None:
    return int(entry.date[:4]) if entry.date else None


def twins(entry: Entry, year: int) -> bool:
    """Whether another work of the kind has one of its titles and a year that near."""
    mine = {words.key(title) for title in entry.all()}
    return any(
        other.id != entry.id
        and other.kind == entry.kind
        and not mine.isdisjoint(words.key(title) for title in other.all())
        and abs((year_of(other) or year) - year) <= 1
        for other in (*WORKS, *DECOYS)
    )


async def test_by_every_title_with_its_year(desk: Desk, tmdb: FakeTmdb) -> None:
    tmdb.entries += DECOYS
    right, asked = 0, []
    for entry in WORKS:
        year = year_of(entry)
        if year is None or twins(entry, year):
            continue
        for title in variants(entry):
            found = await desk.recognise(said(title, KINDS[entry.kind], year=year))
            if found.status is Status.FOUND:
                assert found.work is not None
                assert found.work.tmdb == entry.id, (title, year)
                right += 1
            else:
                asked.append((title, year, found.status, found.reason))
    assert right >= 0.95 * (right + len(asked)), asked
    print(f"by every title: {right} right, 0 wrong, asked: {asked}")


async def test_by_every_title_with_a_wrong_year_or_none(desk: Desk, tmdb: FakeTmdb) -> None:
    tmdb.entries += DECOYS
    by_id = {(KINDS[each.kind], each.id): each for each in tmdb.entries}
    for entry in WORKS:
        first = year_of(entry)
        for year in (None, *((first - 9, first + 1, first - 1, first + 40) if first else ())):
            for title in variants(entry)[:6]:
                parsed: Parsed = said(title, KINDS[entry.kind], year=year)
                found = await desk.recognise(parsed)
                if found.work is None:
                    continue
                assert found.work.tmdb is not None
                taken = by_id[found.work.kind, found.work.tmdb]
                assert words.key(title) in {words.key(each) for each in taken.all()}, (title, year)
                if year is not None:
                    days = [taken.date, *(day for number, _, day in taken.seasons if number)]
                    assert min(abs(int(day[:4]) - year) for day in days if day) <= 1, (title, year)
                else:
                    namesakes = [
                        each
                        for each in tmdb.entries
                        if each.kind == taken.kind
                        and words.key(title) in {words.key(name) for name in each.all()}
                    ]
                    assert namesakes == [taken], title
