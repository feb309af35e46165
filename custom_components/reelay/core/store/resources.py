"""Resources: which task has dealt with a share or a set of ed2k links, and what it held then."""

from .database import Tx

GET = "SELECT task, files_hash FROM resources WHERE provider = ? AND root = ? AND key = ?"
PUT = """
INSERT INTO resources (provider, root, key, task, files_hash) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (provider, root, key) DO UPDATE SET task = excluded.task, files_hash = excluded.files_hash"""


def get(tx: Tx, provider: str, root: str, key: str) -> tuple[int, str] | None:
    """The last task that landed this resource there, and the digest of its files; `key` is the offer's."""
    row: tuple[int, str] | None = tx.execute(GET, (provider, root, key)).fetchone()
    return row


def put(tx: Tx, provider: str, root: str, key: str, task: int, files_hash: str) -> None:
    """Note that a task landed this resource."""
    tx.execute(PUT, (provider, root, key, task, files_hash))
