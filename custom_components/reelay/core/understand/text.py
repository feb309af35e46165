"""A message as one text in which every link stands where a reader sees it.

Telegram keeps targets of links, buttons and copied texts apart from the text. Here they are put in: a link behind the
words it hangs on, a button as a line of its own. Offsets of entities count UTF-16 code units.
"""

import base64
import binascii
import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from urllib.parse import unquote

from ..model.message import Message

#: Longer texts are cut: nobody announces a film in more words.
LONGEST = 65_536
_LONGEST_PART = 4_096
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_INVISIBLE = dict.fromkeys(
    [*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF, 0x00AD, 0xFE0F, 0]
)
_SPACES = dict.fromkeys([0x00A0, 0x2002, 0x2003, 0x2007, 0x2009, 0x202F, 0x3000, 0x0009, 0x000B, 0x000C], " ")
_LINES = {0x000D: "\n", 0x2028: "\n", 0x2029: "\n", 0x0085: "\n"}
_CLEAN = _INVISIBLE | _SPACES | _LINES
#: Full-width forms of ASCII; one character each, so that positions stay.
_NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {
    0x3010: "[",
    0x3011: "]",
    0xFFE8: "|",
    0xFE55: ":",
}
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_ESCAPED = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_PERCENT = re.compile(r"[!-~]{0,200}%2[fF][!-~]{0,800}")
_THUNDER = re.compile(r"thunder://([A-Za-z0-9+/]{8,4096}={0,2})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Words:
    """`full` holds text, link targets and buttons; `spoken` only what a person reads in the message itself."""

    full: str
    spoken: str


def words(message: Message) -> Words:
    """Put a message together; same message, same text."""
    text = message.text[:LONGEST]
    spoken = clean(text)
    pieces: list[str] = []
    at = 0
    for index, url in _targets(message, text):
        pieces += [text[at:index], " ", url, " "]
        at = index
    pieces.append(text[at:])
    for row in message.buttons[:20]:
        for button in row[:20]:
            target = button.copy or button.url
            if target:
                label = button.text[:100]
                separator = " " if button.url else ":" if _short(target) else "\n"
                pieces.append(f"\n{label}{separator}{target[:_LONGEST_PART]}")
    if message.preview_url:
        pieces.append(f"\n{message.preview_url[:_LONGEST_PART]}")
    return Words(_decode(clean("".join(pieces))), spoken)


@lru_cache(maxsize=8)
def clean(text: str) -> str:
    """Without invisible characters, HTML escapes and backslashes; every kind of space is a plain one."""
    text = text.translate(_CLEAN)
    if "&" in text:
        text = _ENTITY.sub(
            lambda found: unescape(found[0]), _ENTITY.sub(lambda found: unescape(found[0]), text)
        )
    return _ESCAPED.sub("", text) if "\\" in text else text


@lru_cache(maxsize=8)
def narrow(text: str) -> str:
    """Full-width letters, digits and punctuation as ASCII; positions stay the same."""
    return text if text.isascii() else text.translate(_NARROW)


def _short(target: str) -> bool:
    return len(target) <= 12 and "\n" not in target


def _targets(message: Message, text: str) -> list[tuple[int, str]]:
    """Where a link's words end, and where it leads."""
    found = [entity for entity in message.entities if entity.url and entity.length > 0][:500]
    if not found:
        return []
    units = [match.start() + count for count, match in enumerate(_ASTRAL.finditer(text))]
    ends = []
    for entity in found:
        end = entity.offset + entity.length
        index = min(max(end - bisect_left(units, end), 0), len(text))
        ends.append((index, (entity.url or "")[:_LONGEST_PART]))
    return sorted(ends, key=lambda pair: pair[0])


def _decode(text: str) -> str:
    """Open up links that are packed into other links: percent-encoded ones and thunder://."""
    if "%2" in text:
        text = _PERCENT.sub(_unquoted, text)
    if "thunder://" in text.casefold():
        text = _THUNDER.sub(_thunder, text)
    return text


def _unquoted(found: re.Match[str]) -> str:
    token = found[0]
    if "ed2k:" in token.casefold() or not ("115" in token or "anxia" in token):
        return token
    return unquote(unquote(token) if "%25" in token else token)


def _thunder(found: re.Match[str]) -> str:
    coded = found[1] + "=" * (-len(found[1]) % 4)
    try:
        link = base64.b64decode(coded).decode("utf-8")
    except binascii.Error, UnicodeDecodeError:
        return found[0]
    inner = link.removeprefix("AA").removesuffix("ZZ")
    return inner if inner.casefold().startswith(("ed2k://", "http")) else found[0]
