"""A full or failing disk: every caller is told so, nothing is applied by half, and later calls work again."""

import asyncio
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from custom_components.reelay.core.model.errors import StoreError
from custom_components.reelay.core.store.database import Database, Tx
from tests.fakes.clock import FakeClock

from .threads import behind, fail, keys, put, queue

LARGE = "x" * 300_000


@contextmanager
def no_file_above(size: int) -> Iterator[None]:
    """Let the system refuse to write beyond `size`, as a failing disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_a_commit_that_fails_is_everybodys_failure(db: Database, path: Path) -> None:
    await db.run(put("before"))
    log = path.with_name(path.name + "-wal").stat().st_size
    door, first = await behind(db.run)
    calls = await queue(
        db.run(put("a")), db.run(fail(ValueError("no"))), db.run(put("b", LARGE)), db.run(put("c"))
    )
    with no_file_above(log):
        door.open()
        answers = await asyncio.gather(first, *calls, return_exceptions=True)

    assert [answer.key for answer in answers if isinstance(answer, StoreError)] == ["database_error"] * 5
    assert await keys(db) == ["before"]
    assert await db.run(put("after")) == "after"
    assert await keys(db) == ["after", "before"]
    assert db.commits == 2


@pytest.mark.parametrize("place", [0, 1, 2])
async def test_a_full_database_fails_who_can_not_be_kept(db: Database, place: int) -> None:
    pages = await db.run(lambda tx: tx.execute("PRAGMA page_count").fetchone()[0])
    await db.run(lambda tx: tx.execute(f"PRAGMA max_page_count = {pages + 5}").fetchone())
    functions = [put("a"), put("b")]
    functions.insert(place, put("large", LARGE))
    door, first = await behind(db.run)
    calls = await queue(*(db.run(fn) for fn in functions))
    door.open()
    await asyncio.gather(first, return_exceptions=True)

    answers = await asyncio.gather(*calls, return_exceptions=True)

    errors = [answer for answer in answers if not isinstance(answer, str)]
    assert {error.key for error in errors if isinstance(error, StoreError)} == {"database_full"}
    assert isinstance(answers[place], StoreError)
    assert await keys(db) == [answer for answer in answers if isinstance(answer, str)]

    await db.run(lambda tx: tx.execute("PRAGMA max_page_count = 1000000").fetchone())
    await db.run(put("large", LARGE))
    assert "large" in await keys(db)


async def test_a_function_that_hides_a_lost_transaction_is_found_out(db: Database) -> None:
    def hides(tx: Tx) -> str:
        put("hidden")(tx)
        # What SQLite does by itself where the disk is full.
        tx.execute("ROLLBACK")
        return "fine"

    door, first = await behind(db.run)
    calls = await queue(db.run(put("a")), db.run(hides), db.run(put("b")))
    door.open()
    answers = await asyncio.gather(first, *calls, return_exceptions=True)
    assert [type(answer) for answer in answers[:3]] == [StoreError] * 3
    assert answers[3] == "b"
    assert await keys(db) == ["b"]


async def test_a_connection_that_breaks_is_made_anew(db: Database) -> None:
    await db.run(put("before"))
    with pytest.raises(StoreError) as broken:
        await db.run(lambda tx: tx.close())
    assert broken.value.key == "database_error"
    assert await db.run(put("after")) == "after"
    assert await keys(db) == ["after", "before"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "reelay", str(folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except OSError, subprocess.CalledProcessError:
        pytest.skip("mounting isn't allowed here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)


async def test_a_disk_that_fills_up_and_is_cleaned(small_disk: Path, clock: FakeClock) -> None:
    db = await Database.open(small_disk / "reelay.db", clock=clock)
    await db.run(put("before"))
    ballast = small_disk / "ballast"
    fill(ballast)

    answers = await asyncio.gather(*(db.run(put(f"{n}", LARGE)) for n in range(3)), return_exceptions=True)
    assert {getattr(answer, "key", answer) for answer in answers} == {"database_full"}
    assert await keys(db) == ["before"]

    ballast.unlink()
    await db.run(put("after", LARGE))
    await db.close()

    db = await Database.open(small_disk / "reelay.db", clock=clock)
    assert await keys(db) == ["after", "before"]
    await db.close()


async def test_a_disk_that_is_full_from_the_start(small_disk: Path, clock: FakeClock) -> None:
    fill(small_disk / "ballast")
    with pytest.raises(StoreError) as refused:
        await Database.open(small_disk / "reelay.db", clock=clock)
    assert refused.value.key == "database_full"
