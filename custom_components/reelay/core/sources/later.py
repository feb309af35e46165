"""The demo's messages after the samples: one per slot of time, forever, each with a share of its own."""

from ..drives.memory_shares import Share, ShareFile
from .sample import Sample, link, share

GIB = 1024**3
MIB = 1024**2
_ADJECTIVES = ("Quiet", "Silver", "Northern", "Paper", "Amber", "Hidden", "Distant", "Winter")
_NOUNS = ("Harbor", "Orchard", "Signal", "Comet", "Library", "Tide", "Garden", "Meridian")
_LATER = "swlater"
_SEASON_LENGTH = 8


def later_sample(slot: int) -> Sample:
    """The message of a slot of time after the samples: now a film, now the next episode of a running series."""
    code = f"{_LATER}{slot}"
    title, year, episode = _later_work(slot)
    if episode is None:
        head = f"🎬 电影：{title} ({year})\n🎞️ 质量: 1080p WEB-DL H.265"
    else:
        head = f"📺 电视剧：{title} ({year}) - S01E{episode:02d}\n🎞️ 质量: 1080p WEB-DL H.265"
    return Sample(name=f"later-{slot}", shows="saved at once", text=f"{head}\n\n🔗 链接: {link(code)}")


def _later_work(slot: int) -> tuple[str, int, int | None]:
    """Every third slot a film; the others go through a series, one episode each, before the next begins."""
    block, place = divmod(slot, 3)
    if place == 0:
        return _title(block), 1990 + block % 35, None
    run, episode = divmod(block * 2 + place - 1, _SEASON_LENGTH)
    return f"The {_title(run)} Files", 1990 + run % 35, episode + 1


def _title(number: int) -> str:
    first, second = divmod(number * 37, len(_NOUNS))
    return f"{_ADJECTIVES[first % len(_ADJECTIVES)]} {_NOUNS[second]}"


def later_share(code: str) -> Share | None:
    """The share behind a later message's code; None for other codes."""
    slot = code.removeprefix(_LATER)
    if slot == code or not slot.isdecimal():
        return None
    title, year, episode = _later_work(int(slot))
    dotted = title.replace(" ", ".")
    size = 900 * MIB + int(slot) * 104_729 % GIB
    if episode is None:
        return share(code, ShareFile(f"{title} ({year})/{dotted}.{year}.1080p.WEB-DL.H265.mkv", 4 * size))
    return share(code, ShareFile(f"{dotted}.S01E{episode:02d}.1080p.WEB-DL.H265.mkv", size))
