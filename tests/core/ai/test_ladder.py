"""Parts of the client that need no server: wordings of errors, schemas, objects in a text."""

import time
from enum import StrEnum
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from custom_components.reelay.core.ai.ladder import names_format, plain_schema, without_limits
from custom_components.reelay.core.ai.reading import objects


@pytest.mark.parametrize(
    "message",
    [
        "This response_format type is unavailable now",
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
        "Json mode response is not supported when enable_thinking is true",
        "'response_format.type' must be 'json_schema' or 'text'",
        "Invalid schema for response_format 'parse'",
        "structured outputs are not supported by this model",
        "Failed to deserialize the JSON body: response_format.type: unknown variant `json_schema`",
    ],
)
def test_errors_about_the_format_are_known_by_their_words(message: str) -> None:
    assert names_format(message)


@pytest.mark.parametrize(
    "message",
    [
        "The request exceeds the available context size",
        "Incorrect API key provided",
        "model 'x' not found",
        "Invalid JSON in request body",
        "Unsupported parameter: 'max_tokens'",
    ],
)
def test_other_errors_are_not(message: str) -> None:
    assert not names_format(message)


class Color(StrEnum):
    RED = "red"


class Inner(BaseModel):
    color: Color


class Outer(BaseModel):
    inner: Inner | None = None
    many: list[Inner] = Field(default=[], max_length=3)
    kind: Literal["a", "b"] = Field(default="a", description="which")
    only: Literal["x"] = "x"
    number: int = Field(default=1, ge=0, le=9)


def test_a_schema_is_what_strict_servers_take() -> None:
    inner = {
        "type": "object",
        "properties": {"color": {"type": "string", "enum": ["red"]}},
        "required": ["color"],
        "additionalProperties": False,
    }
    assert plain_schema(Outer) == {
        "type": "object",
        "properties": {
            "inner": {"anyOf": [inner, {"type": "null"}]},
            "many": {"type": "array", "items": inner, "maxItems": 3},
            "kind": {"type": "string", "enum": ["a", "b"], "description": "which"},
            "only": {"type": "string", "enum": ["x"]},
            "number": {"type": "integer"},
        },
        "required": ["inner", "many", "kind", "only", "number"],
        "additionalProperties": False,
    }

    bare = without_limits(plain_schema(Outer))
    assert "max" not in str(bare)
    assert bare["required"] == ["inner", "many", "kind", "only", "number"]
    assert bare["properties"]["inner"] == {"anyOf": [inner, {"type": "null"}]}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('x {"a": {"b": "}"}} y', [{"a": {"b": "}"}}]),
        ('{"a": "1\\. x"}', [{"a": "1\\. x"}]),
        ('{"a": "C:\\\\x \\q \\u4e09 \\u12"}', [{"a": "C:\\x \\q 三 \\u12"}]),
        ('{"a": "two\nlines"}', [{"a": "two\nlines"}]),
        ('{"a": 1} {"a": 2}', [{"a": 1}, {"a": 2}]),
        ('<think>{"a": 1}</think>{"a": 2}', [{"a": 2}]),
        ('<THINK>{"a": 1}', []),
        ('{"a": "</think>{\\"a\\": 2}"}', [{"a": '</think>{"a": 2}'}]),
        ('{not json} {"a": 1}', [{"a": 1}]),
        ("[1, 2]", []),
        ("null", []),
        ("", []),
    ],
)
def test_objects_are_found(text: str, found: list[dict[str, object]]) -> None:
    assert objects(text) == found


@pytest.mark.parametrize(
    "text",
    ["{" * 100_000, '{"a":' * 50_000, '{"' * 50_000, "{}" * 50_000, '{"a":"\\' * 20_000, "</think>" * 9_000],
)
def test_a_bomb_costs_little(text: str) -> None:
    begun = time.perf_counter()
    assert len(objects(text)) <= 8
    assert time.perf_counter() - begun < 0.5
