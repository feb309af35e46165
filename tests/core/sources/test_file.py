"""Messages of a file come out as a channel would have delivered them."""

import json
from pathlib import Path

import pytest

from custom_components.reelay.core.model.message import Button, Entity
from custom_components.reelay.core.sources.file import message_from_json, read_messages

RAW = {
    "id": "A1",
    "text": "片名\n链接",
    "entities": [
        {"type": "bold", "offset": 0, "length": 2},
        {"type": "text_url", "offset": 3, "length": 2, "url": "https://115.com/s/sw1"},
    ],
    "buttons": [[{"text": "115", "url": "https://115.com/s/sw2"}, {"text": "code", "copy": "ab12"}]],
    "meta": {"has_media": "photo", "edit_date": 1760000000},
    "expect": {"title": "片名"},
}


def test_a_line_becomes_a_message() -> None:
    message = message_from_json(RAW, posted=5)
    assert (message.source, message.message_id, message.text, message.posted) == (
        "file",
        "A1",
        "片名\n链接",
        5,
    )
    assert message.entities[1] == Entity(type="text_url", offset=3, length=2, url="https://115.com/s/sw1")
    assert message.buttons == (
        (Button(text="115", url="https://115.com/s/sw2"), Button(text="code", copy="ab12")),
    )
    assert message.edited == 1760000000000
    assert "expect" not in message.meta


def test_a_bare_line_is_enough() -> None:
    assert message_from_json({"id": 7, "text": None}, posted=1).message_id == "7"


def test_a_file_is_read_in_order(tmp_path: Path) -> None:
    path = tmp_path / "messages.jsonl"
    path.write_text(
        "\ufeff" + json.dumps(RAW) + "\n\n" + json.dumps({"id": "B", "text": "line\u2028end"}) + "\n"
    )
    first, second = read_messages(path, posted=1000)
    assert (first.message_id, second.message_id) == ("A1", "B")
    assert first.posted < second.posted


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"text": "x"}', '{"id": 1, "entities": [{"type": "bold"}]}', "7"]
)
def test_a_line_that_can_not_be_read_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "messages.jsonl"
    path.write_text('{"id": 1, "text": "x"}\n' + line + "\n")
    with pytest.raises(ValueError, match="line 2"):
        read_messages(path, posted=0)
