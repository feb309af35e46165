"""ed2k file links. Names may hold bars, plus signs and broken escapes, so each link is read from its right end."""

import re
from itertools import pairwise
from urllib.parse import unquote_to_bytes

from ..model.offer import Ed2kLink
from .text import narrow

_START = re.compile(r"ed2k://\s?(?:\||%7c)\s?file\s?(?:\||%7c)", re.IGNORECASE)
_END = re.compile(
    r"\|(\d{1,15})\|([0-9a-f]{32})(?=\||/|\s|$|[^\x00-\x7f])(?:\|(?:[a-z]=[^|\s]{1,4096}\|){0,4})?/?",
    re.IGNORECASE,
)
_BAR = re.compile("%7c", re.IGNORECASE)
_LONGEST = 8_192
_LINES = 4


def spans(text: str) -> tuple[tuple[int, int, Ed2kLink], ...]:
    """All file links of a text with where they stand; `server` and `serverlist` are no files."""
    plain = narrow(text)
    starts: list[re.Match[str] | None] = [*_START.finditer(plain), None]
    found = []
    for this, after in pairwise(starts):
        if this is None:
            continue
        limit = min(after.start() if after else len(plain), this.end() + _LONGEST)
        link = _one(text, plain, this.end(), limit)
        if link:
            end, parsed = link
            found.append((this.start(), end, parsed))
    return tuple(found)


def _one(text: str, plain: str, start: int, limit: int) -> tuple[int, Ed2kLink] | None:
    """Read to the end of the line; a link that was wrapped goes on for a few lines. The name stays as written."""
    end = start
    for _ in range(_LINES):
        line = plain.find("\n", end, limit)
        end = limit if line < 0 else line
        segment = _BAR.sub("|", plain[start:end].replace("\n", ""))
        written = _BAR.sub("|", text[start:end].replace("\n", ""))
        ends = list(_END.finditer(segment))
        if ends:
            last = ends[-1]
            name, size = _decoded(written[: last.start()].strip()), int(last[1])
            tail = len(segment) - last.end()
            return (
                (end - tail, Ed2kLink(name=name, size=size, hash=last[2].lower())) if name and size else None
            )
        if end == limit:
            break
        end += 1
    return None


def _decoded(name: str) -> str:
    """Undo percent-encoding where it gives text; a plus sign stays one."""
    if "%" not in name:
        return name
    raw = unquote_to_bytes(name)
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return name
