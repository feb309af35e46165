"""Messages from a file, one JSON object a line, as collected from channels. For the dry run."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..model.message import Button, Entity, Message

KEY = "file"


def read_messages(path: Path, *, posted: int) -> tuple[Message, ...]:
    """All messages of a file, one ms apart from `posted` on; ValueError names the line that can't be read."""
    messages = []
    lines = path.read_text(encoding="utf-8-sig").split("\n")
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                messages.append(message_from_json(json.loads(line), posted=posted + number))
            except (ValueError, TypeError, KeyError, AttributeError) as err:
                raise ValueError(f"{path}, line {number}: {type(err).__name__}: {err}") from err
    return tuple(messages)


def message_from_json(raw: Mapping[str, Any], *, posted: int) -> Message:
    """A message from `id`, `text`, `entities`, `buttons` (rows of text with url or copy) and `meta`."""
    meta = raw.get("meta") or {}
    edited = meta.get("edit_date")
    return Message(
        source=KEY,
        message_id=str(raw["id"]),
        text=str(raw.get("text") or ""),
        posted=posted,
        entities=tuple(_entity(item) for item in raw.get("entities") or ()),
        buttons=tuple(_row(row) for row in raw.get("buttons") or ()),
        preview_url=meta.get("preview_url"),
        edited=int(edited) * 1000 if edited else None,
        meta=dict(meta),
    )


def _entity(item: Mapping[str, Any]) -> Entity:
    return Entity(
        type=str(item["type"]), offset=int(item["offset"]), length=int(item["length"]), url=item.get("url")
    )


def _row(row: Sequence[Mapping[str, Any]]) -> tuple[Button, ...]:
    return tuple(
        Button(text=str(item.get("text", "")), url=item.get("url"), copy=item.get("copy")) for item in row
    )
