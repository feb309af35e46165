"""Policy snapshots, each kept once by its content."""

from ..policy import snapshot
from ..policy.schema import Policy
from .database import Tx

PUT = "INSERT INTO policies (key, body) VALUES (?, ?) ON CONFLICT (key) DO NOTHING"
GET = "SELECT body FROM policies WHERE key = ?"


def put(tx: Tx, policy: Policy) -> str:
    """Keep a policy and return its key."""
    key = snapshot.key(policy)
    tx.execute(PUT, (key, snapshot.body(policy)))
    return key


def get(tx: Tx, key: str) -> Policy:
    """A policy by its key; `LookupError` for one that was never kept."""
    row: tuple[str] | None = tx.execute(GET, (key,)).fetchone()
    if row is None:
        raise LookupError(f"no policy {key}")
    return Policy.model_validate_json(row[0])
