"""Invented films: their posts and the drive that has their shares. No two have the same title."""

from custom_components.reelay.core.drives.memory import MemoryDrive
from custom_components.reelay.core.drives.memory_shares import Share, make_share
from custom_components.reelay.core.model.message import Message
from custom_components.reelay.core.ports import Clock

FIRST = [
    "Silver",
    "Paper",
    "Hidden",
    "Winter",
    "Amber",
    "Copper",
    "Silent",
    "Broken",
    "Golden",
    "Distant",
    "Hollow",
    "Crimson",
    "Gentle",
    "Northern",
    "Velvet",
    "Wooden",
    "Frozen",
    "Burning",
    "Patient",
    "Scarlet",
    "Little",
    "Lonely",
    "Marble",
    "Midnight",
    "Painted",
    "Quiet",
    "Restless",
    "Secret",
    "Shallow",
    "Stolen",
    "Summer",
    "Tender",
    "Thunder",
    "Timid",
    "Twisted",
    "Vanished",
    "Western",
    "Wandering",
]
SECOND = [
    "Harbor",
    "Lantern",
    "Orchard",
    "River",
    "Meadow",
    "Station",
    "Garden",
    "Mountain",
    "Letter",
    "Bridge",
    "Window",
    "Island",
    "Village",
    "Mirror",
    "Ladder",
    "Comet",
    "Forest",
    "Valley",
    "Castle",
    "Shadow",
    "Season",
    "Morning",
    "Journey",
    "Captain",
    "Painter",
    "Sailor",
    "Widow",
    "Cousin",
    "Teacher",
    "Baker",
    "Falcon",
    "Sparrow",
    "Stranger",
    "Promise",
    "Reunion",
    "Waltz",
    "Canvas",
    "Harvest",
]
PLOT = (
    "一个住在海边小镇的年轻人意外得到一封多年前寄出的信，信里提到一座没有人记得的灯塔。为了找到写信的人，他沿着旧铁路一路向北，"
    "途中遇到形形色色的旅人，也慢慢拼出了父辈从未说起的往事。"
)


def title(number: int) -> str:
    """The title of a film."""
    rest, first = divmod(number, len(FIRST))
    rest, second = divmod(rest, len(SECOND))
    words = [FIRST[first], SECOND[second]]
    for link, names in (("of", SECOND), ("and", FIRST)):
        if rest:
            rest, word = divmod(rest, len(names))
            words += [link, names[word]]
    return " ".join(words)


def year(number: int) -> int:
    """The year of a film."""
    return 1980 + number % 44


def code(number: int) -> str:
    """The code of the share that holds a film."""
    return f"swbench{number:07d}"


def post(number: int) -> Message:
    """A post about 1.1 KB long that offers a film."""
    return Message(
        source="telegram:-1001234567890",
        message_id=str(100_000 + number),
        posted=1_760_000_000_000 + number * 60_000,
        text=(
            f"🎬 电影：{title(number)} ({year(number)})\n⭐️ 评分: {6 + number % 30 / 10:.1f}\n🎭 类型: 剧情,冒险\n"
            f"🎞️ 质量: 1080p BluRay HEVC FLAC 2.0\n💾 大小: {4 + number % 90 / 10:.1f} GB\n"
            f"📝 简介: {PLOT * 3}\n\n"
            f"🔗 链接: https://115cdn.com/s/{code(number)}?password=ab12\n#电影 #剧情"
        ),
    )


def drive(clock: Clock, films: range) -> MemoryDrive:
    """A drive without faults on which everything lands at once."""
    made = MemoryDrive(clock, landing=(0.0, 0.0))
    made.shares.add(*(_share(number) for number in films))
    return made


def _share(number: int) -> Share:
    folder = f"{title(number)} ({year(number)})"
    name = f"{title(number).replace(' ', '.')}.{year(number)}.1080p.BluRay.x265.FLAC.2.0-RIVER.mkv"
    size = 4 * 1024**3 + number % 90 * 107_374_182 + number
    return make_share(code(number), {f"{folder}/{name}": size}, receive_code="ab12")
