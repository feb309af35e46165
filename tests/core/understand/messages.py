"""Messages for tests, and the shared corpus where it lies beside the checkout."""

import json
from pathlib import Path
from typing import Any

from custom_components.reelay.core.model.message import Button, Entity, Message

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "data" / "messages.jsonl"


def post(text: str, **more: Any) -> Message:
    """A message of a channel."""
    return Message(source="telegram:1", message_id="1", text=text, posted=0, **more)


def linked(text: str, words: str, url: str) -> Message:
    """A message in which `words` lead to `url`; offsets as Telegram counts them."""
    return post(text, entities=(span(text, words, url),))


def span(text: str, words: str, url: str | None = None, kind: str = "text_url") -> Entity:
    """The entity over the first `words` of a text."""
    at = text.index(words)
    units = [len(part.encode("utf-16-le")) // 2 for part in (text[:at], words)]
    return Entity(type=kind, offset=units[0], length=units[1], url=url)


def corpus() -> list[dict[str, Any]]:
    """All rows of the shared corpus; none where it isn't there."""
    if not CORPUS.exists():
        return []
    return [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines() if line.strip()]


def from_row(row: dict[str, Any]) -> Message:
    """The message of one row."""
    return post(
        row["text"],
        entities=tuple(
            Entity(type=each["type"], offset=each["offset"], length=each["length"], url=each.get("url"))
            for each in row.get("entities") or ()
        ),
        buttons=tuple(
            tuple(Button(text=each["text"], url=each.get("url"), copy=each.get("copy")) for each in buttons)
            for buttons in row.get("buttons") or ()
        ),
    )
