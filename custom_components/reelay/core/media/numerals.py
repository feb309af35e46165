"""Numbers as people write them in titles and numbering: digits, Chinese numerals, Roman numerals."""

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}

#: One number, in a regular expression: digits of either width, or Chinese numerals.
NUMBER = "(?:[0-9０-９]{1,4}|[零〇一二两兩三四五六七八九十百千]{1,7})"


def number(text: str) -> int | None:
    """The value of digits or a Chinese numeral (`十二`, `二〇二四`, `第` not included); None if it isn't one."""
    text = text.strip()
    if text.isdecimal():
        return int(text)
    if not text or any(char not in _DIGITS and char not in _UNITS for char in text):
        return None
    if not any(char in _UNITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    total = pending = 0
    for char in text:
        if char in _UNITS:
            total += (pending or 1) * _UNITS[char]
            pending = 0
        else:
            pending = _DIGITS[char]
    return total + pending


def roman(text: str) -> int | None:
    """The value of a Roman numeral below 90, in letters or in the single characters of Unicode."""
    if len(text) == 1 and 0x2160 <= ord(text) <= 0x216B:
        return ord(text) - 0x215F
    values = [_ROMAN.get(char, 0) for char in text.casefold()]
    if not values or 0 in values:
        return None
    later = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, later, strict=True))
