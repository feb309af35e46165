from pathlib import Path

import pytest

from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_shares import ShareFile, make_share
from tests.fakes.clock import FakeClock

GIB = 1024**3


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "demo" / "drive.jsonl"


@pytest.fixture
def drive(clock: FakeClock) -> MemoryDrive:
    """A drive with landings at 1 s, then every 2 s, and some shares."""
    drive = MemoryDrive(clock, landing=(1.0, 2.0))
    drive.shares.add(
        make_share(
            "film", {"Film (2001)/Film.mkv": 4 * GIB, "Film (2001)/Film.srt": 900}, receive_code="ab12"
        ),
        make_share("open", {"one.mkv": GIB, "two.mkv": GIB, "three.mkv": GIB, "four.mkv": GIB}),
        make_share(
            "growing",
            (
                ShareFile("Show/E01.mkv", GIB),
                ShareFile("Show/E02.mkv", GIB, at=clock.now() + 60_000),
                ShareFile("Show/E03.mkv", GIB, after=30.0),
            ),
        ),
    )
    return drive
