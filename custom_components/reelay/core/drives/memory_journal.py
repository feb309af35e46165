"""Keeps the log of an in-memory drive in a file, so that it outlives the process. Blocking: runs in a thread."""

import os
from pathlib import Path

from .memory_state import LogLine


class Journal:
    """An append-only file, one line per executed request, each synced before it counts as written.

    A line cut off by a kill or a full disk is not a line: reading leaves it out and the next append removes it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        self._good = 0

    def read(self) -> list[LogLine]:
        """All complete lines."""
        if not self._path.exists():
            return []
        whole, _, _ = self._path.read_bytes().rpartition(b"\n")
        self._good = len(whole) + 1 if whole else 0
        return [LogLine.decode(line) for line in whole.split(b"\n") if line]

    def append(self, line: LogLine) -> None:
        """Write one line in one piece and sync it."""
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
            os.ftruncate(self._file, self._good)
        data = line.encode()
        try:
            written = os.pwrite(self._file, data, self._good)
            if written != len(data):
                raise OSError(f"{written} of {len(data)} bytes written")
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, self._good)
            raise
        self._good += len(data)

    def close(self) -> None:
        """Give the file back."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
