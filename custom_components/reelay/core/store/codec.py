"""How values become text in a column and back: JSON through pydantic's serializer, once per write."""

from typing import Any

from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

from ..model.context import PipelineContext
from ..model.message import Message

_MESSAGE = TypeAdapter(Message)


def dump(value: Any) -> str:
    """Any plain value (enums, tuples and pydantic values included) as JSON; a stranger becomes its text."""
    return "{}" if value == {} else to_json(value, fallback=str).decode()


def load(text: str) -> Any:
    """What `dump` wrote."""
    return {} if text == "{}" else from_json(text)


def dump_message(message: Message) -> str:
    """A message as JSON, without what equals its default."""
    return _MESSAGE.dump_json(message, exclude_defaults=True).decode()


def load_message(text: str) -> Message:
    """What `dump_message` wrote."""
    return _MESSAGE.validate_json(text)


def dump_context(context: PipelineContext) -> str:
    """A context as JSON. Defaults are left out, but never the version: it tells how to read the rest."""
    body = context.model_dump_json(exclude_defaults=True, exclude={"version"})
    return f'{{"version":{context.version},{body[1:]}'


def load_context(text: str) -> PipelineContext:
    """What `dump_context` wrote."""
    return PipelineContext.model_validate_json(text)
