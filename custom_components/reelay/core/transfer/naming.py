"""Names and folders in the library: templates of the policy filled in, and nothing that could leave its place."""

import re
import string
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from ..model.offer import Work
from ..model.share import FILM_SEASON, ManifestFile, Role
from ..policy.schema import Policy
from ..select import roles

LONGEST = 255
#: Where batches land, below the library root.
STAGING = "_staging"

# 115 refuses quotes and angle brackets; the rest breaks players, shares and other systems.
_FORBIDDEN = re.compile(r'["<>\\/:|?*\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_EMPTY = re.compile(r"\s*(?:\(\s*\)|\[\s*\]|\{\s*\})")
_LANGUAGE = re.compile(
    r"(?:^|[._\-\s\[(])(zh(?:[-_](?:cn|tw|hk|hans|hant))?|chs?(?:[&+]?(?:eng?|jpn?))?|cht(?:[&+]?(?:eng?|jpn?))?|"
    r"eng?|jpn?|jp|kor?|sc|tc|gb|big5|简体?|繁体?|繁體?|简英|繁英|双语|雙語|中英|中字|forced|sdh|default)(?=$|[._\-\s\])])",
    re.IGNORECASE,
)


class _Strict(string.Formatter):
    """Fills in plain fields only: no attributes, no items, nothing positional."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return kwargs[field_name], field_name


def clean(name: str, longest: int = LONGEST) -> str:
    """`name` as one safe part of a path; never empty, never `.` or `..`."""
    text = unicodedata.normalize("NFC", _FORBIDDEN.sub(" ", name))
    text = _SPACES.sub(" ", text).strip(" .")[:longest].strip(" .")
    if not text:
        return "_"
    return f"_{text}"[:longest] if _RESERVED.fullmatch(text) else text


def clean_file(base: str, tail: str = "", longest: int = LONGEST) -> str:
    """`base` and `tail` as one file name; what is too long is taken off the base, so that the ending stays."""
    end = _SPACES.sub(" ", _FORBIDDEN.sub(" ", tail)).rstrip(" .")[-80:]
    return clean(base, longest - len(end)) + end


def folder_of(policy: Policy, work: Work, season: int) -> str:
    """Where files of a work's season go, below the library root."""
    template = policy.film_folder if season == FILM_SEASON else policy.series_folder
    default = type(policy).model_fields["film_folder" if season == FILM_SEASON else "series_folder"].default
    values = {"title": clean(work.title), "year": work.year or "", "season": max(season, 0)}
    text = _fill(template, default, values)
    parts = [clean(_EMPTY.sub("", part)) for part in text.replace("\\", "/").split("/") if part.strip(" .")]
    return "/".join(part for part in parts if part != "_") or clean(work.title)


def base_of(policy: Policy, work: Work, file: ManifestFile) -> str:
    """The name of a video without its ending."""
    film = file.season == FILM_SEASON
    template = policy.film_name if film else policy.series_name
    default = type(policy).model_fields["film_name" if film else "series_name"].default
    values = {
        "title": clean(work.title),
        "year": work.year or "",
        "season": max(file.season, 0),
        "episode": max(file.episode, 0),
        "last": f"-E{file.episode_last:02d}" if file.episode_last != file.episode else "",
        "part": f" - part{file.part}" if file.part else "",
    }
    return clean(_EMPTY.sub("", _fill(template, default, values).replace("/", " ")))


def _fill(template: str, default: str, values: Mapping[str, Any]) -> str:
    try:
        return _Strict().vformat(template, (), values)
    except KeyError, ValueError, IndexError, TypeError:
        return _Strict().vformat(default, (), values)


def tail_of(file: ManifestFile, video: ManifestFile | None) -> str:
    """What comes after the base name: the ending, for companions with what tells languages apart."""
    # The drive keeps the ending as it was, capitals included.
    end = file.path[-len(ending) - 1 :] if (ending := roles.extension(file.path)) else ""
    if file.role in (Role.VIDEO, Role.DISC):
        return end
    own = roles.stem(file.path)
    if video is not None:
        stem = roles.stem(video.path)
        if own.casefold().startswith(stem.casefold()):
            rest = own[len(stem) :].strip(" ._-[]()")
            return f".{rest}{end}" if rest else end
    words = list(dict.fromkeys(found.lower() for found in _LANGUAGE.findall(own)))
    return f".{'.'.join(words)}{end}" if words else end


def numbered(name: str, count: int) -> str:
    """`name` with ` (count)` before its ending."""
    stem, dot, end = name.rpartition(".")
    if not dot or len(end) > 5:
        stem, dot, end = name, "", ""
    return clean_file(stem, f" ({count}){dot}{end}")


def is_numbered(name: str, of: str) -> bool:
    """Whether `name` is `of` with a number that was put there to keep both."""
    stem, _, end = of.rpartition(".")
    head, _, tail = name.rpartition(".")
    return end.casefold() == tail.casefold() and bool(
        re.fullmatch(re.escape(stem.casefold()) + r" \(\d+\)", head.casefold())
    )


def root_parts(root: str) -> tuple[str, ...]:
    """The library root's folders from the drive's root on."""
    return tuple(clean(part) for part in root.replace("\\", "/").split("/") if part.strip(" ."))
