"""A message as a source delivered it, and what makes two revisions of it differ."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A span of a message's text: `offset` and `length` count UTF-16 code units, as Telegram does."""

    type: str
    offset: int
    length: int
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A button under a message: it opens `url` or copies `copy`."""

    text: str
    url: str | None = None
    copy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One post of one source; its identity is (source, message_id).

    `source` is `telegram:<channel id>`, `inbox` or `demo`. `posted` and `edited` are times in ms.
    `person` is set where a person handed the text in: the task is then person-wanted.
    """

    source: str
    message_id: str
    text: str
    posted: int
    entities: tuple[Entity, ...] = ()
    buttons: tuple[tuple[Button, ...], ...] = ()
    preview_url: str | None = None
    edited: int | None = None
    person: str | None = None
    meta: dict[str, object] = field(default_factory=dict)
