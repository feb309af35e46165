"""What is concluded about a task. It is persisted with every change of state and stays below 8 KB.

Message, manifest and policy are rows of their own and only referred to.
"""

from typing import Any

from pydantic import field_validator

from .decision import Decision, Reason, Signals
from .offer import Offer, Parsed, Value, Work

VERSION = 1


class ShareFacts(Value):
    """What a look into the share showed; enough for an approval and for season proof, never the file list.

    `newer` counts files that no earlier manifest held. `missing` is the named signal that the share could not
    be read (cooldown, no login); `files_hash` tells whether the share has grown since.
    """

    files: int = 0
    videos: int = 0
    size: int = 0
    title: str = ""
    files_hash: str = ""
    newer: int | None = None
    missing: str | None = None


class Correction(Value):
    """What a person said about an offer; it outranks what rules and models concluded."""

    kind: str | None = None
    title: str | None = None
    year: int | None = None
    seasons: tuple[int, ...] = ()
    tmdb_id: int | None = None


class Assignment(Value):
    """A person's word on one file: its season and episodes, or that it is left out."""

    path: str
    season: int | None = None
    episode: int | None = None
    episode_last: int | None = None
    leave_out: bool = False


class PipelineContext(Value):
    """Everything concluded about one offer so far; `version` lets old rows be upgraded on read.

    `approved` and `accept_partial` record a person's answers; `conflict` answers a name conflict. `plugins`
    holds each plugin's short result for the trace and the views; its state lives in rows.
    """

    version: int = VERSION
    offer: Offer
    parsed: Parsed | None = None
    work: Work | None = None
    share: ShareFacts | None = None
    signals: Signals | None = None
    decision: Decision | None = None
    correction: Correction | None = None
    assignments: tuple[Assignment, ...] = ()
    approved: bool = False
    accept_partial: bool = False
    conflict: str | None = None
    problems: tuple[Reason, ...] = ()
    plugins: dict[str, Any] = {}

    @field_validator("version")
    @classmethod
    def _known(cls, value: int) -> int:
        if value > VERSION:
            raise ValueError("this context was written by a newer version")
        return value
