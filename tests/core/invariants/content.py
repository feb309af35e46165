"""What the pretended channels post and what lies behind their links: a pure function of codes, for any process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from custom_components.reelay.core.drives.base import Limits
from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_faults import Fault, FaultKind
from custom_components.reelay.core.drives.memory_shares import Condition, Share, ShareFile, make_share
from custom_components.reelay.core.model.message import Message
from custom_components.reelay.core.policy.schema import Approval, Conflict, PluginSwitch, Policy
from custom_components.reelay.core.ports import Clock, SourceRules

ROOT = "/Reelay"
MIB = 1024**2
ACCESS = "ab12"
#: So few files per request that ordinary series need several batches.
LIMITS = Limits(receive=4, batch=3)
FIRST = ("Amber", "Copper", "Silver", "Hidden", "Quiet", "Winter", "Paper", "Distant", "Hollow", "Scarlet")
SECOND = (
    "Harbor",
    "Orchard",
    "Signal",
    "Meridian",
    "Lantern",
    "Garden",
    "Comet",
    "Library",
    "Ferry",
    "Valley",
)
#: From worst to best, by variant.
RELEASES = ("720p.WEB-DL.H264", "1080p.BluRay.x264", "2160p.WEB-DL.H265", "2160p.BluRay.REMUX.HEVC")
#: Kinds of shares: film, series, two seasons, growing series, dead, audited for a while, several films, unsure film.
KINDS = "fstgdamu"

PLUGIN = "helper"
SOURCES: dict[str, Policy] = {
    "keep": Policy(conflict=Conflict.KEEP_BOTH, approval_days=2),
    "skip": Policy(conflict=Conflict.SKIP, approval_days=2),
    "better": Policy(conflict=Conflict.REPLACE_IF_BETTER, approval_days=2),
    "ask": Policy(conflict=Conflict.ASK, approval_days=2),
    "always": Policy(approval=Approval.ALWAYS, approval_days=0),
    "inbox": Policy(conflict=Conflict.REPLACE_IF_BETTER, approval_days=2),
    "plugged": Policy(plugins={PLUGIN: PluginSwitch()}, approval_days=2),
}


@dataclass(frozen=True, slots=True)
class Item:
    """A share by its code: `sw<kind><work><variant><episodes>xx`."""

    kind: str
    work: int
    variant: int = 1
    episodes: int = 4

    @property
    def code(self) -> str:
        return f"sw{self.kind}{self.work:03d}{self.variant}{self.episodes:02d}xx"

    @property
    def title(self) -> str:
        return f"{FIRST[self.work % 10]} {SECOND[self.work // 10 % 10]}"

    @property
    def year(self) -> int:
        return 1980 + self.work % 40

    @property
    def link(self) -> str:
        return f"https://115cdn.com/s/{self.code}?password={ACCESS}"

    @property
    def film(self) -> bool:
        return self.kind in "fdamu"

    def text(self, episodes: int | None = None) -> str:
        """The post about it."""
        head = f"{self.title} ({self.year})"
        if self.kind == "u":
            return f"{self.title}\n链接：https://115.com/s/{self.code}\n访问码：{ACCESS}"
        if self.film:
            return f"🎬 电影：{head}\n🎞️ 质量: {RELEASES[self.variant]}\n\n🔗 链接: {self.link}"
        numbers = f"S01E01-E{episodes or self.episodes:02d}"
        if self.kind == "t":
            numbers = f"S01-S02 全{2 * self.episodes}集"
        return f"📺 电视剧：{head} {numbers}\n🎞️ 质量: {RELEASES[self.variant]}\n\n🔗 链接: {self.link}"

    def expired(self) -> str:
        return f"【已失效】{self.text()}"

    def share(self) -> Share:
        """What lies behind its code."""
        condition = Condition.DEAD if self.kind == "d" else Condition.OPEN
        return make_share(self.code, tuple(self._files()), receive_code=ACCESS, condition=condition)

    def _files(self) -> list[ShareFile]:
        folder = f"{self.title} ({self.year})"
        name = f"{self.title.replace(' ', '.')}"
        size = (700 + 100 * self.variant) * MIB + self.work
        if self.kind == "m":
            return [
                ShareFile(f"{folder}/The {word}.mkv", size + n)
                for n, word in enumerate(("Crossing", "Return"))
            ]
        if self.film:
            stem = f"{folder}/{name}.{self.year}.{RELEASES[self.variant]}-RIVER"
            return [
                ShareFile(f"{stem}.mkv", size),
                ShareFile(f"{stem}.chs.srt", 40_000 + self.work),
                ShareFile(f"{folder}/Sample/sample.mkv", 30 * MIB),
            ]
        found = []
        for season in (1, 2) if self.kind == "t" else (1,):
            below = f"{folder}/Season {season:02d}"
            more = 2 if self.kind == "g" else 0
            for number in range(1, self.episodes + more + 1):
                stem = f"{below}/{name}.S{season:02d}E{number:02d}.{RELEASES[self.variant]}-RIVER"
                after = 0.0 if number > self.episodes else None
                found.append(ShareFile(f"{stem}.mkv", size + season * 97 + number * 7_919, after=after))
                if number == 1:
                    found.append(ShareFile(f"{stem}.chs.ass", 41_000 + season * 10 + number, after=after))
        return found


def read(code: str) -> Share | None:
    """The share behind any code of ours: a `ShareMaker`."""
    if len(code) != 11 or not code.startswith("sw") or code[2] not in KINDS:
        return None
    return Item(code[2], int(code[3:6]), int(code[6]), int(code[7:9])).share()


def ed2k(work: int, count: int) -> str:
    """A post with ed2k links only."""
    item = Item("s", work)
    name = item.title.replace(" ", ".")
    lines = [
        f"ed2k://|file|{name}.S01E{n:02d}.1080p.WEB-DL.mkv|{800 * MIB + n * 1_009 + work}|{work * 100 + n:032x}|/"
        for n in range(1, count + 1)
    ]
    return "\n".join([f"📺 电视剧：{item.title} ({item.year}) S01E01-E{count:02d}", *lines])


def message(source: str, number: int, text: str, posted: int, edited: int | None = None) -> Message:
    return Message(source=source, message_id=str(number), text=text, posted=posted, edited=edited)


def drive(clock: Clock, path: object = None, **more: object) -> MemoryDrive:
    """The drive behind all of it."""
    made = MemoryDrive(clock, path, limits=LIMITS, **more)  # type: ignore[arg-type]
    made.shares.makers.append(read)
    return made


def guest_path(item: Item) -> str:
    """The place where a film would be filed: somebody else's file with just that name."""
    head = f"{item.title} ({item.year})"
    return f"Reelay/Films/{head}/{head}.mkv"


#: What may go wrong at random: verb, kind, seconds, keep.
FAULTS: tuple[tuple[str, FaultKind, float, float], ...] = (
    ("receive", FaultKind.LOST_BEFORE, 0, 1),
    ("receive", FaultKind.LOST_AFTER, 0, 1),
    ("receive", FaultKind.HTML, 0, 1),
    ("receive", FaultKind.HTML, 300, 1),
    ("receive", FaultKind.LIE_ACCEPTED, 0, 1),
    ("receive", FaultKind.REFUSE_TRANSIENT, 0, 1),
    ("receive", FaultKind.REFUSE_PERMANENT, 0, 1),
    ("receive", FaultKind.BUSY_TASK, 120, 1),
    ("receive", FaultKind.BUSY_ACCOUNT, 600, 1),
    ("receive", FaultKind.LOGIN_DEAD, 0, 1),
    ("receive", FaultKind.SLOW, 20, 1),
    ("receive", FaultKind.PARTIAL, 0, 0.5),
    ("receive", FaultKind.LATE, 400, 1),
    ("receive", FaultKind.LATE, 30, 1),
    ("receive", FaultKind.LATE, 40_000, 1),
    ("list_share", FaultKind.LOST_BEFORE, 0, 1),
    ("list_share", FaultKind.SLOW, 10, 1),
    ("list_share", FaultKind.BUSY_ACCOUNT, 300, 1),
    ("list_share", FaultKind.REFUSE_PERMANENT, 0, 1),
    ("list_folder", FaultKind.WRONG_FOLDER, 0, 1),
    ("list_folder", FaultKind.LOST_BEFORE, 0, 1),
    ("list_tree", FaultKind.WRONG_FOLDER, 0, 1),
    ("list_tree", FaultKind.LOST_BEFORE, 0, 1),
    ("list_tree", FaultKind.SLOW, 15, 1),
    ("find_folder", FaultKind.LOST_BEFORE, 0, 1),
    ("make_folder", FaultKind.LOST_AFTER, 0, 1),
    ("make_folder", FaultKind.LOST_BEFORE, 0, 1),
    ("make_folder", FaultKind.REFUSE_PERMANENT, 0, 1),
    ("rename", FaultKind.LOST_AFTER, 0, 1),
    ("rename", FaultKind.LOST_BEFORE, 0, 1),
    ("rename", FaultKind.LIE_ACCEPTED, 0, 1),
    ("move", FaultKind.LOST_AFTER, 0, 1),
    ("move", FaultKind.LOST_BEFORE, 0, 1),
    ("move", FaultKind.BUSY_TASK, 60, 1),
    ("move", FaultKind.SLOW, 10, 1),
    ("trash", FaultKind.LOST_AFTER, 0, 1),
    ("trash", FaultKind.LOST_BEFORE, 0, 1),
    ("trash", FaultKind.BUSY_ACCOUNT, 60, 1),
    ("trash", FaultKind.REFUSE_TRANSIENT, 0, 1),
    ("space", FaultKind.LOST_BEFORE, 0, 1),
    ("add_downloads", FaultKind.LOST_AFTER, 0, 1),
    ("add_downloads", FaultKind.LOST_BEFORE, 0, 1),
    ("add_downloads", FaultKind.PARTIAL, 0, 0.5),
    ("add_downloads", FaultKind.REFUSE_TRANSIENT, 0, 1),
    ("downloads", FaultKind.LOST_BEFORE, 0, 1),
    ("*", FaultKind.BUSY_ACCOUNT, 200, 1),
    ("*", FaultKind.LOGIN_DEAD, 0, 1),
    ("*", FaultKind.SLOW, 5, 1),
)


def fault(random: Random) -> Fault:
    """One of them."""
    verb, kind, seconds, keep = random.choice(FAULTS)
    return Fault(verb=verb, kind=kind, seconds=seconds, keep=keep, times=random.choice((1, 1, 1, 2, 4)))


@dataclass(kw_only=True)
class LiveSettings:
    """The owner's configuration; what is live can be changed."""

    sources: Mapping[str, Policy] = field(default_factory=lambda: dict(SOURCES))
    pausing: bool = False
    addressees: tuple[str, ...] = ("phone:a", "phone:b")

    def source(self, key: str) -> SourceRules:
        return SourceRules(key=key, name=key, policy=self.sources.get(key, SOURCES["keep"]))

    def targets(self) -> tuple[str, ...]:
        return self.addressees

    def paused(self) -> bool:
        return self.pausing
