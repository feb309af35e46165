"""Decisions and traces speak in codes: this is the list of all of them, each data, never a sentence.

Every code has a row of text in both languages (what happened, what Reelay did, what you can do); a test
holds the two lists equal.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .offer import Value


class Verdict(StrEnum):
    """What is to become of an offer; the order is the order of precedence."""

    REJECT = "reject"
    SKIP = "skip"
    ASK = "ask"
    SAVE = "save"


class Code(StrEnum):
    """Why something happened."""

    # intake and prefilter
    RECEIVED = "received"
    NO_LINK = "no_link"
    NOT_MEDIA = "not_media"
    ADVERT = "advert"
    BLOCKED_WORD = "blocked_word"
    MISSING_WORD = "missing_word"
    RETRACTED = "retracted"
    EDITED = "edited"
    # identification and decision
    IDENTIFIED = "identified"
    NO_TITLE = "no_title"
    KIND_UNKNOWN = "kind_unknown"
    LOW_CONFIDENCE = "low_confidence"
    MODEL_FAILED = "model_failed"
    NO_EPISODES = "no_episodes"
    NOT_READ = "not_read"
    SOURCE_ALWAYS_ASKS = "source_always_asks"
    AUTOMATIC = "automatic"
    PERSON_WANTED = "person_wanted"
    ALL_STORED = "all_stored"
    MAYBE_STORED = "maybe_stored"
    NOTHING_NEW = "nothing_new"
    FILTERED_KIND = "filtered_kind"
    FILTERED_RESOLUTION = "filtered_resolution"
    FILTERED_SIZE = "filtered_size"
    PLUGIN_SKIPS = "plugin_skips"
    PLUGIN_ASKS = "plugin_asks"
    PLUGIN_FAILED = "plugin_failed"
    PLUGIN_MISSING = "plugin_missing"
    # a person
    APPROVED = "approved"
    IGNORED = "ignored"
    APPROVAL_TIMEOUT = "approval_timeout"
    CORRECTED = "corrected"
    REIDENTIFIED = "reidentified"
    FILES_ASSIGNED = "files_assigned"
    CODE_GIVEN = "code_given"
    RETRIED = "retried"
    VERIFIED = "verified"
    ACCEPTED_PARTIAL = "accepted_partial"
    REORGANIZED = "reorganized"
    ABANDONED = "abandoned"
    INGESTED_AGAIN = "ingested_again"
    # selection problems
    NO_VIDEO = "no_video"
    NO_NUMBER = "no_number"
    NO_SEASON = "no_season"
    SEVERAL_FILES = "several_files"
    SEVERAL_FEATURES = "several_features"
    MISSING_PART = "missing_part"
    WRONG_ASSIGNMENT = "wrong_assignment"
    # transfer
    WAITS_FOR_TASK = "waits_for_task"
    SENDING = "sending"
    UNCLEAR = "unclear"
    LANDING_SLOW = "landing_slow"
    LANDED = "landed"
    LANDED_PARTLY = "landed_partly"
    NOT_EXECUTED = "not_executed"
    ALREADY_RECEIVED = "already_received"
    FOREIGN_STAGING = "foreign_staging"
    RECHECKED = "rechecked"
    STILL_MISSING = "still_missing"
    WATCH_ENDED = "watch_ended"
    LATE_FILES = "late_files"
    NO_SPACE = "no_space"
    NOT_SUPPORTED = "not_supported"
    SHARE_DEAD = "share_dead"
    WRONG_CODE = "wrong_code"
    CODE_NEEDED = "code_needed"
    SHARE_AUDIT = "share_audit"
    DRIVE_REFUSED = "drive_refused"
    DRIVE_ERROR = "drive_error"
    LOGIN_DEAD = "login_dead"
    COOLDOWN = "cooldown"
    DELETION_RUNNING = "deletion_running"
    PAUSED = "paused"
    DRIVE_LOST_FILE = "drive_lost_file"
    # organize
    ORGANIZING = "organizing"
    FILED = "filed"
    NAME_CONFLICT = "name_conflict"
    # faults of our own
    INTERNAL_ERROR = "internal_error"


class Reason(Value):
    """A code with the facts that belong to it (numbers, names, task ids; never a sentence or a secret)."""

    code: Code
    data: dict[str, Any] = {}


class Decision(Value):
    """A verdict and every reason for it, not the first one only."""

    verdict: Verdict
    reasons: tuple[Reason, ...] = ()


class Signals(Value):
    """The checkable signals behind a confidence between 0 and 1, kept with their weights' results."""

    total: float
    parts: dict[str, float] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something about a share's files that rules can't decide; `paths` names the files it is about."""

    code: Code
    paths: tuple[str, ...] = ()
    season: int | None = None
    episode: int | None = None
