"""Lists and ranges of numbers behind a first one: E02E03, E02-E05, -97-98, 1x02-1x04, 2&3."""

import re

_LONGEST = 2_500
#: E1E3 names the ends of what a file holds.
_GLUED, _GLUED_GAP = re.compile(r"ep?\d{1,3}"), 6
_DASH = re.compile(r"[-~–—_至到]|\bto\b|\bal?\b|à")
_ITEM = re.compile(
    r"(?P<sep>[^\da-z]{0,4}(?:(?:to|and|al?|à)[\s.])?[^\da-z]{0,2})"
    r"(?:(?:s|t)?(?P<season>\d{1,4})[\s._-]{0,2}(?=e|x))?(?P<mark>[a-zа-я]{0,8}\.?\s?)(?P<number>\d{1,5})(?:v\d)?"
)
#: Behind a number that a letter marks: more marked ones in any form, bare ones only close behind.
MARKED = (
    r"(?:(?:[\s._]{0,2}[-~–+&,]{1,2}[\s._]{0,2}|[\s._]{0,2}|\s(?:to|and|al?|à)\s)"
    r"(?:s\d{1,4}[\s._-]{0,2}|(?<![\d.])\d{1,2}(?=x\d\d))?(?:ep\.?\s?|e|(?<=\d)x)\d{1,5}(?![\d])"
    r"|[-~–+&,_](?:\d{1,5})(?:v\d)?(?![\d]|[pk]\b)"
    r"|[\s._]0\d(?=[\s._]0\d(?!\d)|$)|(?<=[\s._]0\d)[\s._]0\d(?!\d))*"
)
#: Behind a bare number: only bare ones.
BARE = r"(?:\s?[-~–+&]\s?\d{1,4}(?:v\d)?(?![\d]))*"
#: A range that a bracket closes may have spaces around its dash.
CLOSED = r"(?:\s?[-~–]\s?\d{1,4}(?=\s?[\])】]))?"


def follow(first: int, more: str) -> tuple[frozenset[int], int | None]:
    """All numbers of a list that begins with `first`, and the other season where it crosses into one."""
    numbers, last, other = {first}, first, None
    for item in _ITEM.finditer(more):
        value = int(item["number"])
        if item["season"]:
            other = int(item["season"])
        if _DASH.search(item["sep"]) and last < value <= last + _LONGEST:
            numbers.update(range(last, value + 1))
        elif value >= last or item["mark"]:
            numbers.add(value)
        else:
            break
        last = value
    if len(numbers) == 2 and _GLUED.fullmatch(more) and last - first < _GLUED_GAP:
        numbers.update(range(first, last))
    return frozenset(numbers), other
