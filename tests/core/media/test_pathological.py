"""Names that are made to be slow aren't."""

import time

import pytest

from custom_components.reelay.core.media import release, wordings
from custom_components.reelay.core.media.episodes import from_name, from_path, season_of_folder
from custom_components.reelay.core.select.versions import rank

BOMBS = {
    "letters": "a" * 100_000,
    "digits": "1" * 100_000,
    "episodes": "E01" * 34_000,
    "ranges": "S01E01-" * 15_000,
    "brackets": "[" * 100_000,
    "dots": "." * 100_000,
    "dashes": "- 05 " * 20_000,
    "years": "(2020" * 20_000,
    "seasons": "season 1, 2 " * 8_000,
    "crosses": "5x44" + "x45" * 30_000,
    "checksums": "0a" * 50_000,
    "addresses": "www." * 25_000,
    "right to left": "\u202e" * 1_000 + "S01E01" + "\u202d" * 99_000,
    "control characters": "\x00\x01\x1b" * 33_000,
    "Chinese": "第一季第一集" * 16_000,
    "expanding": "\ufdfa" * 100_000,
    "combining": "e\u0301" * 50_000,
}


def _milliseconds(read: object, name: str) -> float:
    assert callable(read)
    start = time.process_time()
    read(name)
    return (time.process_time() - start) * 1000


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("read", [from_name, from_path, season_of_folder, rank])
def test_a_name_takes_ten_milliseconds_at_most(bomb: str, read: object) -> None:
    read("warm up.S01E01.mkv")  # type: ignore[operator]
    assert min(_milliseconds(read, f"{BOMBS[bomb]}.mkv") for _ in range(3)) < 10


@pytest.mark.parametrize("bomb", BOMBS)
def test_words_about_numbers_and_packing_stay_bounded(bomb: str) -> None:
    for read in (wordings.read, release.parse):
        assert min(_milliseconds(read, BOMBS[bomb][:4_000]) for _ in range(2)) < 60
