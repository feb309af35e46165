"""What a file of a share is by its ending and place: video, subtitle, part of a disc, or something aside."""

import re
from functools import lru_cache

VIDEO = frozenset(
    [
        *("mkv", "mp4", "m4v", "avi", "mov", "wmv", "flv", "f4v", "ts", "m2ts", "mts", "tp", "mpg", "mpeg"),
        *("vob", "webm", "rmvb", "rm", "asf", "ogm", "divx", "3gp", "strm", "iso"),
    ]
)
SUBTITLE = frozenset(["srt", "ass", "ssa", "sub", "idx", "sup", "vtt", "smi"])
SOUND = frozenset(["mka", "ac3", "dts", "eac3"])

#: Folders whose whole name says that nothing in them is the work itself.
_ASIDE = re.compile(
    r"samples?|trailers?|extras?|featurettes?|behind the scenes|deleted scenes|interviews?|bonus(?: disc)?|"
    r"menus?|promos?|scans?|screens(?:hots?)?|covers?|posters?|fonts?|nc(?:op|ed)(?:\s?&\s?nc(?:op|ed))?|"
    r"creditless|cds?|music|ost|soundtracks?|proof|special features|pv|cm|"
    r"花絮|预告片?|預告片?|样片|樣片|特典(?:映像)?|映像特典|宣传片?|宣傳片?|幕[后後](?:花絮)?|广告|廣告|海报|海報|"
    r"截图|截圖|字体|字體|菜单|彩蛋",
    re.IGNORECASE,
)
_ADVERT = re.compile(
    r"(?:更多|最新|免费|资源|資源).{0,12}(?:访问|訪問|下载|下載|关注|關注|公众号|频道)|(?:^|/)[^/]*www\.[^/]*\.(?:com|net|cc|tv)[^/]*$",
    re.IGNORECASE,
)
_DISC = frozenset(["bdmv", "certificate", "video_ts", "audio_ts"])


def extension(path: str) -> str:
    """The ending in lower case, without the dot; empty where there is none."""
    head, dot, end = path.rpartition("/")[2].rpartition(".")
    return end.lower() if dot and head and len(end) <= 5 else ""


def stem(path: str) -> str:
    """The file's name without its ending."""
    name = path.rpartition("/")[2]
    end = extension(path)
    return name[: -len(end) - 1] if end else name


def folder(path: str) -> str:
    """The folder the file lies in; "" for the share's root."""
    return path.rpartition("/")[0]


def is_video(path: str) -> bool:
    """Whether the ending is that of a video or disc image."""
    return extension(path) in VIDEO


def disc_root(path: str) -> str | None:
    """The folder that holds a disc's structure, for a file inside of one; None for other files."""
    return _disc_above(folder(path))


@lru_cache(maxsize=4096)
def _disc_above(place: str) -> str | None:
    parts = place.split("/")
    for index, part in enumerate(parts):
        if part.lower() in _DISC:
            return "/".join(parts[:index])
    return None


def in_disc(path: str) -> str:
    """The path of a disc's file within the disc's structure."""
    root = disc_root(path)
    return path[len(root) + 1 :] if root else path


def is_aside(path: str) -> bool:
    """Whether a folder of the path is one for things aside."""
    return _aside_above(folder(path))


@lru_cache(maxsize=4096)
def _aside_above(place: str) -> bool:
    return any(_ASIDE.fullmatch(part.strip(" ._-[]()【】")) for part in place.split("/"))


def is_advert(path: str) -> bool:
    """Whether the name is an uploader's advert."""
    return bool(_ADVERT.search(path))
