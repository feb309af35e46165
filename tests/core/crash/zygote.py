"""The tests' end of the zygote: a process without Home Assistant from which children are forked in milliseconds."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from tests.core.crash.child import TIME, Ending, Job
from tests.core.invariants import oracle
from tests.core.invariants.oracle import Delivery, World
from tests.fakes.clock import START

ROOT = Path(__file__).parents[3]


class Zygote:
    """Start it once, run any number of jobs one after the other."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.core.crash.child"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def run(self, job: Job) -> Ending:
        """Let a child live, and tell how it ended."""
        self._process.stdin.write(json.dumps(asdict(job)) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the zygote has ended"
        return Ending(**json.loads(answer))


@contextmanager
def memory() -> Iterator[Path]:
    """A folder in memory where there is such a thing: kills are about order, not about disks."""
    shm = Path("/dev/shm")
    with TemporaryDirectory(prefix="reelay-", dir=shm if shm.is_dir() else None) as folder:
        yield Path(folder)


def look(folder: Path) -> World:
    """What a child has left behind, for the oracle."""
    (seconds,) = TIME.unpack((folder / "clock").read_bytes())
    return oracle.load(
        folder,
        START + round(seconds * 1000),
        delivered=[Delivery(**line) for line in _lines(folder / "phones.jsonl")],
        acknowledged={tuple(line) for line in _lines(folder / "taken.jsonl")},
    )


def _lines(path: Path) -> list:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
