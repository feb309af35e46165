"""What a button of a notification says when it is pressed: verb, task and round, and nothing else.

The string comes back from an app, perhaps days later, perhaps from somebody who made it up. It is the only part
that all phones send back, so it says everything, and it proves nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

#: Verbs that can be a button. What could throw something away, other than a question, is not among them.
BUTTONS: Final = ("approve", "ignore", "correct", "verify", "retry")

PREFIX: Final = "REELAY:"
_ACTION: Final = re.compile(r"REELAY:([A-Z]{1,16}):([1-9][0-9]{0,17}):([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Answer:
    """A press: `round` is that of the question which was on the phone."""

    verb: str
    task: int
    round: int

    @property
    def action(self) -> str:
        """As the app is told, and sends it back."""
        return f"{PREFIX}{self.verb.upper()}:{self.task}:{self.round}"

    @classmethod
    def parse(cls, action: Any) -> Self | None:
        """Read an action string; None for everything that this module didn't write."""
        match = _ACTION.fullmatch(action) if isinstance(action, str) else None
        if match is None or match[1].lower() not in BUTTONS:
            return None
        return cls(match[1].lower(), int(match[2]), int(match[3]))


def asks(facts: Mapping[str, Any]) -> bool:
    """Whether a task waits for a person now."""
    return facts.get("state") == "pending_approval" or bool(facts.get("attention"))


def replaced(facts: Mapping[str, Any], round: int) -> bool:
    """Whether the question of `round` needs no clearing: a newer one takes, or has taken, its place on screen."""
    return facts.get("round", 0) > round and asks(facts)
