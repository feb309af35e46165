"""Finding the object in what a model wrote: reasoning before it, fences around it, words behind it, bad escapes in it.

Whoever wrote the message may have written an object as well, and models quote: all objects are returned, and where
several fit the schema and differ, nobody can know which one is the answer.
"""

import json
import re
from typing import Any

#: An answer is a few hundred characters; more than this isn't one.
LONGEST = 32_768
_MOST_STARTS = 20
_MOST_FOUND = 8
_REASONED = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_REASONS = re.compile(r"<(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_BAD_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|)')
_DECODER = json.JSONDecoder(strict=False)


def objects(text: str) -> list[dict[str, Any]]:
    """The outermost objects of a text, in order; the whole text where it is one."""
    text = text[:LONGEST].strip()
    if (whole := _load(text)) is not None:
        return [whole]
    return _located(_spoken(text))


def begun(text: str) -> bool:
    """Whether an object was begun, reasoning aside."""
    return "{" in _spoken(text)


def _spoken(text: str) -> str:
    """What follows the reasoning; some templates leave its opening mark out, a cut answer its closing one."""
    if closed := list(_REASONED.finditer(text)):
        return text[closed[-1].end() :]
    opened = _REASONS.search(text)
    return text[: opened.start()] if opened else text


def _located(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    at, starts = text.find("{"), 0
    while at >= 0 and starts < _MOST_STARTS and len(found) < _MOST_FOUND:
        starts += 1
        end = _end(text, at)
        value = _load(text[at:end]) if end is not None else None
        if value is not None and end is not None:
            found.append(value)
            at = text.find("{", end)
        else:
            at = text.find("{", at + 1)
    return found


def _end(text: str, start: int) -> int | None:
    """Where the object that opens at `start` is closed; braces in strings don't count."""
    depth, quoted, at = 0, False, start
    while at < len(text):
        char = text[at]
        if quoted:
            if char == "\\":
                at += 1
            elif char == '"':
                quoted = False
        elif char == '"':
            quoted = True
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return None


def _load(text: str) -> dict[str, Any] | None:
    if not text.startswith("{"):
        return None
    for candidate in (text, _BAD_ESCAPE.sub(lambda match: match[0] if match[1] else r"\\", text)):
        try:
            value = _DECODER.decode(candidate)
        except ValueError, RecursionError:
            continue
        return value if isinstance(value, dict) else None
    return None
