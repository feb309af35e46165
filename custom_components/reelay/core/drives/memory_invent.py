"""Invents the content of a share the in-memory drive doesn't know: the way uploaders really pack things.

Everything follows from the share's code and what a message said, so that the same share always lists the same
files. A file's identity (id, hash, size) follows from the code and the episode alone: a share that grows keeps
the files it had.
"""

import hashlib
from collections.abc import Iterator
from random import Random

from ..model.offer import Kind, Parsed, Release, expand
from .memory_shares import Hint, Share, ShareFile, invent_sha1

GIB = 1024**3
MIB = 1024**2
#: Most episodes of one invented season: what a message may claim beyond that isn't listed.
MOST_EPISODES = 1200
FILMS = (("Silver Harbor", 2021), ("The Paper Comet", 2019), ("北岸来信", 2022), ("Long Way to Amber", 2023))
GROUPS = ("RIVER", "NORTHBANK", "CMCT2", "PaperWeb")
#: Bytes of one film and one episode by resolution, lowest and highest.
SIZES = {
    "2160p": ((14 * GIB, 58 * GIB), (2 * GIB, 7 * GIB)),
    "1080p": ((4 * GIB, 15 * GIB), (700 * MIB, 2600 * MIB)),
    "720p": ((2 * GIB, 5 * GIB), (350 * MIB, 900 * MIB)),
}
DISCS = frozenset({"Disc", "REMUX"})


def invent(code: str, hint: Hint | None) -> Share:
    """The share behind `code`, as it would be if the message were true."""
    maker = _Maker(code, hint.parsed if hint else None, gaps=hint is None or not hint.grown)
    if hint and not hint.is_media:
        files = tuple(maker.software())
    elif hint and hint.parsed and maker.is_series:
        files = tuple(maker.series())
    else:
        files = tuple(maker.films())
    return Share(
        code=code,
        title=files[0].path.split("/")[0],
        files=files,
        receive_codes=hint.codes if hint else frozenset(),
    )


class _Maker:
    """Makes the files of one share; `_dice` decides what kind of uploader made it."""

    def __init__(self, code: str, parsed: Parsed | None, *, gaps: bool) -> None:
        self._code = code
        self._gaps = gaps
        self._parsed = parsed or Parsed(is_media=True)
        self._dice = Random(hashlib.sha256(code.encode()).digest())
        self._release = self._parsed.release
        self._title, self._year = self._name_work()
        self._words = _release_words(self._release, self._dice)
        self._group = self._release.group or self._dice.choice(GROUPS)
        self._style = self._dice.choices(("dotted", "dotted", "dotted", "spaced", "chinese", "fansub"))[0]
        self._extension = self._dice.choice(("mkv", "mkv", "mkv", "mp4"))

    @property
    def is_series(self) -> bool:
        """Whether the message speaks of a series."""
        parsed = self._parsed
        return parsed.kind is Kind.SERIES or (
            parsed.kind is None and bool(parsed.episodes or parsed.seasons or parsed.complete)
        )

    def software(self) -> Iterator[ShareFile]:
        """Something that is no film or series."""
        name = _file_name(self._title)
        yield self._file(f"{name}/{name} v3.2.1 Setup.exe", "setup", 80 * MIB, 900 * MIB)
        yield self._file(f"{name}/使用说明.pdf", "manual", MIB, 9 * MIB)

    def films(self) -> Iterator[ShareFile]:
        """A film with what comes along, or several for a collection."""
        count = 3 if self._parsed.collection else 1
        folder = _file_name(f"{self._title} ({self._year})" if self._year else self._title)
        for number in range(1, count + 1):
            title, year, below = self._title, self._year, folder
            if count > 1:
                title, year = f"{title} {number}", (year or 2008) + 2 * number
                below = f"{folder}/{_file_name(title)} ({year})"
            yield from self._film(below, title, year, number, count)

    def _film(
        self, folder: str, title: str, year: int | None, number: int, count: int
    ) -> Iterator[ShareFile]:
        stem = _dots(f"{title} {year or ''} {self._words}") + f"-{self._group}"
        low, high = self._bounds(0, count)
        dice = Random(f"{self._code}|film")
        yield self._file(f"{folder}/{stem}.{self._extension}", f"film{number}", low, high)
        if dice.random() < 0.25:
            yield self._file(f"{folder}/Sample/{stem}-sample.mkv", f"sample{number}", 20 * MIB, 90 * MIB)
        if dice.random() < 0.4:
            yield self._file(f"{folder}/{stem}.chs.srt", f"chs{number}", 60_000, 160_000)
        if dice.random() < 0.2:
            yield self._file(f"{folder}/{stem}.eng.srt", f"eng{number}", 60_000, 160_000)
        if dice.random() < 0.15:
            yield self._file(f"{folder}/花絮/幕后制作.mkv", f"extra{number}", 200 * MIB, 900 * MIB)
        if dice.random() < 0.4:
            yield self._file(f"{folder}/{stem}.nfo", f"nfo{number}", 2_000, 9_000)
            yield self._file(f"{folder}/poster.jpg", f"poster{number}", 90_000, 900_000)

    def series(self) -> Iterator[ShareFile]:
        """Season folders with episodes; one episode lies alone."""
        plan = {season: self._episodes(season) for season in self._seasons()}
        total = sum(map(len, plan.values()))
        if total == 1:
            season, episodes = next(iter(plan.items()))
            yield from self._episode("", season, episodes[0], total)
            return
        folder = _file_name(f"{self._title} ({self._year})" if self._year else self._title)
        dice = Random(f"{self._code}|pack")
        samples, extras, cards = dice.random() < 0.12, dice.random() < 0.12, dice.random() < 0.35
        for season, episodes in plan.items():
            below = f"{folder}/{_season_folder(season, self._style)}"
            for episode in episodes:
                if not self._missing(season, episode, episodes):
                    yield from self._episode(below + "/", season, episode, total)
            if samples:
                yield self._file(f"{below}/Sample/sample.mkv", f"sample{season}", 15 * MIB, 60 * MIB)
        if extras:
            yield self._file(f"{folder}/花絮/NCOP.mkv", "ncop", 40 * MIB, 120 * MIB)
            yield self._file(f"{folder}/花絮/预告片.mp4", "trailer", 20 * MIB, 90 * MIB)
        if cards:
            yield self._file(f"{folder}/tvshow.nfo", "nfo", 2_000, 9_000)
            yield self._file(f"{folder}/poster.jpg", "poster", 90_000, 900_000)

    def _episode(self, below: str, season: int, episode: int, total: int) -> Iterator[ShareFile]:
        stem = self._episode_name(season, episode)
        low, high = self._bounds(1, total)
        key = f"s{season}e{episode}"
        yield self._file(f"{below}{stem}.{self._extension}", key, low, high)
        if Random(f"{self._code}|subtitles").random() < 0.25:
            yield self._file(f"{below}{stem}.chs.ass", f"{key}.chs", 30_000, 90_000)

    def _episode_name(self, season: int, episode: int) -> str:
        number = f"S{season:02d}E{episode:02d}"
        match self._style:
            case "spaced":
                return f"{_file_name(self._title)} - {number} - 第 {episode} 集"
            case "chinese":
                return f"{_file_name(self._title)} 第{episode:02d}集" if season != 0 else number
            case "fansub" if season != 0:
                return f"[{self._group}] {_file_name(self._title)} [{episode:02d}][{self._words.split()[0]}]"
            case _:
                return _dots(f"{self._title} {number} {self._words}") + f"-{self._group}"

    def _seasons(self) -> tuple[int, ...]:
        return tuple(sorted(self._parsed.seasons)) or (1,)

    def _episodes(self, season: int) -> list[int]:
        stated = sorted(expand(self._parsed.episodes))[:MOST_EPISODES]
        if stated and len(self._parsed.seasons) <= 1:
            return stated
        if self._parsed.declared_total and len(self._parsed.seasons) <= 1:
            return list(range(1, min(self._parsed.declared_total, MOST_EPISODES) + 1))
        count = Random(f"{self._code}|{season}").choice((6, 8, 10, 12, 12, 16, 24))
        return list(range(1, (3 if season == 0 else count) + 1))

    def _missing(self, season: int, episode: int, episodes: list[int]) -> bool:
        """Now and then an uploader forgets one in the middle of a pack; who adds to it looks it through."""
        if not self._gaps or len(episodes) < 4 or episode in (episodes[0], episodes[-1]):
            return False
        return Random(f"{self._code}|missing|{season}|{episode}").random() < 0.015

    def _bounds(self, column: int, videos: int) -> tuple[int, int]:
        # A series' stated size is that of its episodes so far: dividing it would change old files as it grows.
        if (size := self._release.size) and column == 0:
            each = size / max(1, videos)
            return round(each * 0.97), round(each * 1.03)
        low, high = SIZES.get(self._release.resolution or "", SIZES["1080p"])[column]
        return (low, high * 2) if self._release.source in DISCS else (low, high)

    def _file(self, path: str, key: str, low: int, high: int) -> ShareFile:
        size = Random(f"{self._code}|size|{key}").randint(low, max(low, high))
        return ShareFile(path, size, invent_sha1(self._code, key), key=key)

    def _name_work(self) -> tuple[str, int | None]:
        parsed = self._parsed
        title, year = parsed.original_title or parsed.title, parsed.year
        if self._dice.random() < 0.5:
            title = parsed.title or title
        return (title, year) if title else self._dice.choice(FILMS)


def _release_words(release: Release, dice: Random) -> str:
    words = (
        release.resolution or dice.choice(("1080p", "2160p")),
        release.source or "WEB-DL",
        *release.hdr[:2],
        release.codec or dice.choice(("H264", "H265")),
        *(release.audio[:1] or ("AAC",)),
    )
    return " ".join(words)


def _season_folder(season: int, style: str) -> str:
    if season == 0:
        return "Specials"
    return f"第{season}季" if style == "chinese" else f"Season {season:02d}"


def _file_name(text: str) -> str:
    """`text` without what the drive refuses in names."""
    return (
        "".join(" " if letter in '"<>/\\:|?*' else letter for letter in text).strip(" .")[:80] or "Untitled"
    )


def _dots(text: str) -> str:
    return ".".join(_file_name(text).split())
