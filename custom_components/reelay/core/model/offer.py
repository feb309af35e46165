"""What a message offers: links bound to their codes, and what its words say about the work."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Kind(StrEnum):
    """A work is a film or a series."""

    FILM = "film"
    SERIES = "series"


class Value(BaseModel):
    """Base of the frozen values that are kept as JSON."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ShareRef(Value):
    """A 115 share: its code and the access code that belongs to it (None where the message states none)."""

    code: str
    receive_code: str | None = None


class Ed2kLink(Value):
    """An ed2k file link; `hash` is lower case, `size` in bytes, `name` percent-decoded."""

    name: str
    size: int
    hash: str


class Links(Value):
    """Everything literally extractable from one message, in order of appearance, without doubles."""

    shares: tuple[ShareRef, ...] = ()
    ed2k: tuple[Ed2kLink, ...] = ()


class Release(Value):
    """How a work is packed, in normalised words (facts: telegram-messages section 7)."""

    resolution: str | None = None
    source: str | None = None
    hdr: tuple[str, ...] = ()
    codec: str | None = None
    audio: tuple[str, ...] = ()
    subtitles: tuple[str, ...] = ()
    size: int | None = None
    group: str | None = None
    edition: str | None = None


#: Inclusive runs of episode numbers: ((1, 8), (10, 10)). A thousand episodes stay a few bytes.
Runs = tuple[tuple[int, int], ...]


class Parsed(Value):
    """What a message's words say about the work. None means "not stated".

    `seasons` holds 0 for specials; `episodes` are runs; `complete` says that whole seasons are claimed.
    `year_of_season` says that `year` is written for the season, not for the series. `part` names a piece of a
    season (a cour, a named arc); `air_date` is ISO or `--MM-DD`. `parser` names who read it (`rules`, `model`,
    `person`); `failed_model` forces an approval (design: Deciding).
    """

    is_media: bool
    is_ad: bool = False
    kind: Kind | None = None
    title: str | None = None
    original_title: str | None = None
    other_titles: tuple[str, ...] = ()
    year: int | None = None
    year_of_season: bool = False
    seasons: tuple[int, ...] = ()
    episodes: Runs = ()
    complete: bool = False
    declared_total: int | None = None
    part: str | None = None
    air_date: str | None = None
    tmdb_id: int | None = None
    collection: bool = False
    retracted: bool = False
    release: Release = Release()
    parser: str = "rules"
    failed_model: bool = False


class Offer(Value):
    """One message's content under one distinct share, or under all its ed2k links together.

    `key` is `share:<code>` or `ed2k:<digest of the sorted hashes>`: it identifies the offer within its
    message and, together with provider and root, the resource. The ed2k links themselves stay with the message.
    `hint` is the text that belongs to this share alone where a message offers several works.
    """

    key: str
    share: ShareRef | None = None
    ed2k_count: int = 0
    hint: Annotated[str, Field(max_length=600)] | None = None


class Work(Value):
    """A film or series as far as it is known; compare with `media.works.same`, never by equality."""

    kind: Kind
    title: str
    titles: tuple[str, ...] = ()
    year: int | None = None
    tmdb: int | None = None


def expand(runs: Runs) -> frozenset[int]:
    """All numbers of `runs`."""
    return frozenset(number for first, last in runs for number in range(first, last + 1))


def compact(numbers: frozenset[int] | set[int] | list[int] | tuple[int, ...]) -> Runs:
    """Inclusive runs of `numbers`, ascending."""
    runs: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return tuple(runs)
