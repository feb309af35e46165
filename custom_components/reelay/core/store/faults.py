"""What SQLite and the file system say when the database can't be used, as the keys that people get to see.

Mistakes in a query or a violated constraint are no faults: those exceptions pass as they are.
"""

import errno
import os
import sqlite3
from pathlib import Path

from ..model.errors import StoreError

_BY_CODE = {
    sqlite3.SQLITE_FULL: "database_full",
    sqlite3.SQLITE_READONLY: "database_readonly",
    sqlite3.SQLITE_PERM: "database_readonly",
    sqlite3.SQLITE_BUSY: "database_locked",
    sqlite3.SQLITE_LOCKED: "database_locked",
    sqlite3.SQLITE_PROTOCOL: "database_locked",
    sqlite3.SQLITE_CORRUPT: "database_corrupt",
    sqlite3.SQLITE_NOTADB: "database_corrupt",
    sqlite3.SQLITE_CANTOPEN: "database_error",
    sqlite3.SQLITE_IOERR: "database_error",
    sqlite3.SQLITE_NOMEM: "database_error",
}
_BY_ERRNO = {
    errno.ENOSPC: "database_full",
    errno.EDQUOT: "database_full",
    errno.EACCES: "database_readonly",
    errno.EPERM: "database_readonly",
    errno.EROFS: "database_readonly",
    errno.EWOULDBLOCK: "database_locked",
}


def store_error(error: BaseException, path: Path) -> StoreError | None:
    """The fault behind an exception from SQLite or the file system; None where it is another kind of mistake."""
    if isinstance(error, StoreError):
        return error
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", None)
        # The low byte is the kind, the rest are details.
        key = None if code is None else _BY_CODE.get(code & 0xFF)
        if key == "database_error" and not _writable(path.parent):
            key = "database_readonly"
    elif isinstance(error, OSError):
        key = _BY_ERRNO.get(error.errno or 0, "database_error")
    else:
        key = None
    return None if key is None else StoreError(key, error=str(error))


def answer(error: BaseException, path: Path) -> BaseException:
    """What a caller is given for an exception out of a transaction function."""
    if isinstance(error, sqlite3.Error) and (fault := store_error(error, path)) is not None:
        fault.__cause__ = error
        return fault
    if isinstance(error, StopIteration):
        # A future refuses to carry it.
        wrapped = RuntimeError("a transaction function raised StopIteration")
        wrapped.__cause__ = error
        return wrapped
    return error


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
