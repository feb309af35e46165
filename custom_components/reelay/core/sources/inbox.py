"""The manual inbox: a text that a person hands in becomes a message."""

from ..model.errors import CommandError
from ..model.message import Message
from ..ports import Clock

KEY = "inbox"
#: Bytes of UTF-8. A Telegram post has at most 4,096 characters; pasted lists of links may be longer.
LIMIT = 64 * 1024


def message(text: str, clock: Clock, *, person: str | None = None) -> Message:
    """A message from what `person` handed in; CommandError `text_empty` or `text_too_long`.

    Each handing-in is a message of its own: whether its links are known already is not a question of its text.
    """
    stripped = text.strip().strip("\ufeff\u200b\x00").strip()
    if not stripped:
        raise CommandError("text_empty")
    if len(stripped) > LIMIT or len(stripped.encode(errors="replace")) > LIMIT:
        raise CommandError("text_too_long", limit=LIMIT)
    now = clock.now()
    return Message(
        source=KEY,
        message_id=f"{now:x}-{clock.token()}",
        # A lone surrogate can't be stored.
        text=stripped.encode(errors="replace").decode(),
        posted=now,
        person=person,
    )
