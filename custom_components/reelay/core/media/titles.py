"""Titles in a form that can be compared: width, case, punctuation and script don't matter.

`traditional.txt` holds pairs of one traditional and one simplified character, from the dictionary TSCharacters of
opencc-python-reimplemented 0.1.7 (Apache License 2.0, based on OpenCC by BYVoid); phrases are left out, since a key
only has to be equal on both sides.
"""

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

from rapidfuzz import fuzz

_ACCENTS = re.compile("[\u0300-\u036f]")
_DROPPED = re.compile(r"[\W_]+")
_DIGITS = re.compile(r"\d+")
_OTHER_NUMBER = 0.6


def _read_table() -> dict[int, str]:
    pairs = (Path(__file__).parent / "traditional.txt").read_text("utf-8").replace("\n", "")
    return {ord(pairs[at]): pairs[at + 1] for at in range(0, len(pairs), 2)}


# Read with the module, which is imported off the event loop: a file must not be opened on it.
_SIMPLIFIED = _read_table()


def simplify(text: str) -> str:
    """`text` with each traditional character replaced by its simplified one; the length stays the same."""
    return text if text.isascii() else text.translate(_SIMPLIFIED)


def _fold(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", folded))
    return simplify(unicodedata.normalize("NFKC", bare)).replace("&", " and ")


@lru_cache(maxsize=4096)
def key(title: str) -> str:
    """What two spellings of one title have in common; never empty for a title that isn't blank."""
    folded = _fold(title)
    return _DROPPED.sub("", folded) or "".join(folded.split())


def words(title: str) -> str:
    """The title's folded words with single spaces, for comparing and for searching."""
    return _DROPPED.sub(" ", _fold(title)).strip()


def similarity(a: str, b: str) -> float:
    """How alike two titles are, 0 to 1; titles with different numbers are different parts of something."""
    one, two = key(a), key(b)
    if not one or not two:
        return 0.0
    if one == two:
        return 1.0
    alike = max(fuzz.ratio(one, two), fuzz.token_sort_ratio(words(a), words(b))) / 100
    same_numbers = sorted(_DIGITS.findall(one)) == sorted(_DIGITS.findall(two))
    return alike if same_numbers else alike * _OTHER_NUMBER
