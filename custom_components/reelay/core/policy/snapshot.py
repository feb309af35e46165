"""A policy is kept once per content: its key is a digest of what it says."""

from hashlib import blake2b

from .schema import Policy


def body(policy: Policy) -> str:
    """The policy as canonical JSON: equal policies give equal text."""
    return policy.model_dump_json()


def key(policy: Policy) -> str:
    """The content's digest, 16 hex digits."""
    return blake2b(body(policy).encode(), digest_size=8).hexdigest()
