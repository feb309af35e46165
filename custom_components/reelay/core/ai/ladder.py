"""The ways of asking for a form: which one a model understands, and what each adds to the prompt.

A step down is taken only where the server names the format as the fault, and kept only once the lower step has given
a valid answer (facts: tmdb-and-models C): a server that is merely ill must not cost its best way of answering.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from ..model.llm import Rung, Turn
from ..ports import ModelBackend

#: Servers ask for the word JSON somewhere in the messages before they speak it.
_FORM = "Answer with one JSON object and nothing else. It has to fit this JSON schema:\n"
#: How servers name what they can't do: DeepSeek, DashScope, LM Studio, vLLM, llama.cpp, OpenAI.
_FORMAT = re.compile(
    r"response[\s_.-]?format|json[\s_-]?(?:schema|object|mode)|structured[\s_-]?outputs?"
    r"|\bword\s+['\"`]?json|guided[\s_-]?(?:json|decoding)",
    re.IGNORECASE,
)
#: What every server's schema dialect has.
_KEPT = frozenset({"type", "enum", "description"})
#: What keeps a small model from rambling, where a server takes it. Lengths of texts aren't among it: with them
#: llama.cpp's grammar falls from 30 tokens a second to less than one (measured with SmolLM2).
LIMITS = frozenset({"maxItems"})


class Ladder:
    """Remembers per back end which rung has worked."""

    def __init__(self) -> None:
        self._known: dict[str, Rung] = {}

    def first(self, backend: ModelBackend) -> Rung:
        """Where to begin."""
        known = self._known.get(backend.key)
        return known if known in backend.rungs else backend.rungs[0]

    def below(self, backend: ModelBackend, rung: Rung) -> Rung | None:
        """The next way of asking, None at the bottom."""
        later = backend.rungs[backend.rungs.index(rung) + 1 :]
        return later[0] if later else None

    def worked(self, backend: ModelBackend, rung: Rung) -> None:
        """This rung has given a valid answer."""
        self._known[backend.key] = rung


def names_format(message: str) -> bool:
    """Whether an error is about the way of asking for a form."""
    return _FORMAT.search(message) is not None


def asked(turns: tuple[Turn, ...], schema: Mapping[str, Any], rung: Rung) -> tuple[Turn, ...]:
    """The messages for one rung: where the server doesn't enforce the schema, the prompt has to tell it."""
    if rung in (Rung.SCHEMA, Rung.STRUCTURE):
        return turns
    first, *rest = turns
    return (Turn(role=first.role, text=f"{first.text}\n\n{form(schema)}"), *rest)


def form(schema: Mapping[str, Any]) -> str:
    """The demand for an object of this schema, in words."""
    return _FORM + json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def plain_schema(model: type[BaseModel]) -> dict[str, Any]:
    """A model's JSON schema as strict servers want it: every field required, none besides, no references."""
    whole = model.model_json_schema()
    return _plain(whole, whole.get("$defs", {}))


def essential(model: type[BaseModel], schema: Mapping[str, Any]) -> dict[str, Any]:
    """A plain schema with only those fields that the model can't do without."""
    needed = [name for name, field in model.model_fields.items() if field.is_required()]
    fields = {name: schema["properties"][name] for name in needed or schema["properties"]}
    return {**schema, "properties": fields, "required": list(fields)}


def without_limits(node: Mapping[str, Any]) -> dict[str, Any]:
    """The schema for a server that refuses limits; the answer is checked against them in any case."""
    return {
        name: _unlimited(value, named=name == "properties")
        for name, value in node.items()
        if name not in LIMITS
    }


def _unlimited(value: Any, *, named: bool) -> Any:
    if named:
        return {name: without_limits(each) for name, each in value.items()}
    if isinstance(value, Mapping):
        return without_limits(value)
    if isinstance(value, list):
        return [without_limits(each) if isinstance(each, Mapping) else each for each in value]
    return value


def _plain(node: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        named = known[node["$ref"].rpartition("/")[2]]
        return _plain({**named, **{name: value for name, value in node.items() if name != "$ref"}}, known)
    plain: dict[str, Any] = {name: value for name, value in node.items() if name in _KEPT | LIMITS}
    if "const" in node:
        plain["enum"] = [node["const"]]
    if "anyOf" in node:
        plain["anyOf"] = [_plain(each, known) for each in node["anyOf"]]
    if "items" in node:
        plain["items"] = _plain(node["items"], known)
    if "properties" in node:
        plain["properties"] = {name: _plain(each, known) for name, each in node["properties"].items()}
        plain["required"] = list(node["properties"])
        plain["additionalProperties"] = False
    return plain
