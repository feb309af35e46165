"""What an owner can set for a source. It holds no secret and nothing live (targets, pause, credentials)."""

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Approval(StrEnum):
    """When a person is asked."""

    ALWAYS = "always"
    SUBSCRIBED = "subscribed"
    AUTOMATIC = "automatic"


class Conflict(StrEnum):
    """What happens when a name is taken in the library."""

    KEEP_BOTH = "keep_both"
    SKIP = "skip"
    REPLACE_IF_BETTER = "replace_if_better"
    ASK = "ask"


class ModelUse(StrEnum):
    """When a model reads a message too."""

    ALWAYS = "always"
    UNSURE = "unsure"
    NEVER = "never"


class PluginSwitch(BaseModel):
    """A plugin's switch and settings in one policy."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = True
    settings: dict[str, Any] = {}


class Policy(BaseModel):
    """One source's effective rules. Durations in the unit of their name; sizes in bytes."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    provider: str = "demo"
    root: str = "/Reelay"
    approval: Approval = Approval.AUTOMATIC
    confidence: float = Field(default=0.75, ge=0, le=1)
    approval_days: float = Field(default=7, ge=0)
    model_use: ModelUse = ModelUse.UNSURE
    must_have: tuple[str, ...] = ()
    block_words: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ("film", "series")
    resolutions: tuple[str, ...] = ()
    max_size: int | None = None
    conflict: Conflict = Conflict.KEEP_BOTH
    film_folder: str = "Films/{title} ({year})"
    film_name: str = "{title} ({year}){part}"
    series_folder: str = "Series/{title} ({year})/Season {season:02d}"
    series_name: str = "{title} - S{season:02d}E{episode:02d}{last}{part}"
    keep_skipped_days: int = Field(default=90, ge=0)
    notify_done: bool = True
    notify_skipped: bool = False
    plugins: dict[str, PluginSwitch] = {}
