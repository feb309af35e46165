"""The demo's sample messages and the drive behind them: invented posts of an invented channel, one for each way a
message can go. Films are out of copyright or never existed; nothing here leads anywhere.
"""

from pathlib import Path

from ..drives.memory import MemoryDrive
from ..drives.memory_faults import Fault, FaultKind
from ..drives.memory_shares import Condition, ShareFile
from ..ports import Clock
from .later import later_share
from .sample import ACCESS, Sample, Setting, link, share

GIB = 1024**3
MIB = 1024**2
#: Seconds until the first received file shows and between one and the next.
LANDING = (1.0, 0.4)


def demo_drive(
    clock: Clock,
    path: Path | None = None,
    *,
    pace: float = 1.0,
    landing: tuple[float, float] = LANDING,
    root: str = "Reelay",
) -> MemoryDrive:
    """The drive of demo and dry run, with the samples' shares and what goes wrong with some of them.

    `pace` stretches or shortens all it takes its time for, `root` is the library's path.
    """
    drive = MemoryDrive(clock, path, landing=(landing[0] * pace, landing[1] * pace), download=12.0 * pace)
    setting = Setting(pace=pace, root=root.strip("/"))
    for sample in SAMPLES:
        drive.shares.add(*sample.shares)
        drive.faults.extend(sample.faults(setting))
    drive.shares.makers.append(later_share)
    return drive


def _film(folder: str, name: str, gib: float, *extra: ShareFile) -> tuple[ShareFile, ...]:
    return (ShareFile(f"{folder}/{name}", round(gib * GIB)), *extra)


def _episodes(
    folder: str, name: str, numbers: range, mib: int, *, after: float | None = None
) -> tuple[ShareFile, ...]:
    """Episode files; no two have the same size."""
    return tuple(
        ShareFile(f"{folder}/{name.format(number)}", mib * MIB + number * 7_654_321, after=after)
        for number in numbers
    )


LANTERNS = "River Lanterns (2024)"
LANTERN_NAME = "River.Lanterns.S01E{:02d}.2160p.WEB-DL.H265.DDP5.1-NORTHBANK"
CLOUDS = "云上旅人 (2025)"

SAMPLES: tuple[Sample, ...] = (
    Sample(
        name="film",
        shows="saved at once",
        text=(
            "🎬 电影：大都会 (1927)\n⭐️ 评分: 8.3\n🎭 类型: 剧情,科幻\n🎞️ 质量: 1080p BluRay HEVC FLAC 2.0\n"
            f"💾 大小: 11.6 GB\n📝 简介: 未来之城的两个世界。\n\n🔗 链接: {link('swmetropol1')}\n#电影 #默片"
        ),
        shares=(
            share(
                "swmetropol1",
                *_film(
                    "大都会 (1927)",
                    "Metropolis.1927.1080p.BluRay.x265.FLAC.2.0-RIVER.mkv",
                    11.6,
                    ShareFile(
                        "大都会 (1927)/Metropolis.1927.1080p.BluRay.x265.FLAC.2.0-RIVER.chs.srt", 84_112
                    ),
                    ShareFile("大都会 (1927)/Sample/sample.mkv", 48 * MIB),
                    ShareFile("大都会 (1927)/poster.jpg", 412_733),
                ),
            ),
        ),
    ),
    Sample(
        name="series",
        shows="saved at once",
        at=3,
        text=(
            "📺 River Lanterns (2024) S01E01-E06 ✨4K WEB-DL DDP 5 1\n\n🌟 评分：8.1\n📽 类型：剧情\n"
            "📖 简介：A ferry town, one summer of floating lights.\n\n💾 大小：21.4GB\n🔗 链接：点击跳转"
        ),
        words="点击跳转",
        url=link("swlantern01"),
        shares=(
            share(
                "swlantern01",
                *_episodes(
                    f"{LANTERNS}/Season 01",
                    LANTERN_NAME + ".mkv",
                    range(1, 7),
                    3600,
                ),
                *(
                    ShareFile(f"{LANTERNS}/Season 01/{LANTERN_NAME.format(number)}.chs.ass", 41_000 + number)
                    for number in range(1, 7)
                ),
                ShareFile(f"{LANTERNS}/tvshow.nfo", 3_921),
                ShareFile(f"{LANTERNS}/花絮/预告片.mp4", 61 * MIB),
            ),
        ),
    ),
    Sample(
        name="advert",
        shows="rejected",
        at=6,
        text=(
            "🔥【限时】年费VIP 99元，全站4K原盘随便存！\n✅ 10PB影视库 ✅ 每日更新 ✅ 永久售后\n"
            f"👉 试看样片：{link('swadvert001')}\n💰 购买联系 @example_seller\n#频道互推 #推广"
        ),
        shares=(share("swadvert001", ShareFile("样片.mp4", 240 * MIB)),),
    ),
    Sample(
        name="no-link",
        shows="skipped",
        at=9,
        text="📢 今日共更新【12】条资源\n\n本频道实时更新最新影视资源并自动清理失效链接",
    ),
    Sample(
        name="not-media",
        shows="skipped",
        at=13,
        text=(
            f"📚 古典音乐入门 电子书合集 EPUB+PDF 等2个文件(夹)\n{link('swebooks001')}#\n访问码：{ACCESS}\n#电子书"
        ),
        shares=(
            share(
                "swebooks001",
                ShareFile("古典音乐入门/古典音乐入门.epub", 9 * MIB),
                ShareFile("古典音乐入门/古典音乐入门.pdf", 31 * MIB),
            ),
        ),
    ),
    Sample(
        name="unsure",
        shows="asked",
        at=17,
        text=f"夜航\n链接：https://115.com/s/swnightfly1\n访问码：{ACCESS}",
        shares=(share("swnightfly1", ShareFile("夜航/夜航.mkv", round(2.3 * GIB))),),
    ),
    Sample(
        name="growing",
        shows="saved at once",
        at=24,
        text=(
            "📺 国漫：云上旅人 (2025) 更新至4集\n🎞️ 质量: 1080p WEB-DL H.264 AAC\n📂 分类: 国漫\n"
            f"💾 大小: 2.7 GB\n\n🔗 链接: {link('swclouds001')}\n#国漫"
        ),
        shares=(
            share(
                "swclouds001",
                *_episodes(
                    f"{CLOUDS}/Season 1", "云上旅人 - S01E{:02d} - 1080p WEB-DL.mp4", range(1, 5), 690
                ),
                *_episodes(
                    f"{CLOUDS}/Season 1",
                    "云上旅人 - S01E{:02d} - 1080p WEB-DL.mp4",
                    range(5, 7),
                    690,
                    after=0,
                ),
            ),
        ),
    ),
    Sample(
        name="duplicate",
        shows="skipped",
        at=31,
        text=(
            "名称：River Lanterns (2024) S01E01-E06\n描述：同一部剧的另一个分享，1080P 内封简中\n"
            f"链接：https://115.com/s/swlantern02\n访问码：{ACCESS}\n📁 大小：9.8G\n🏷 标签：#RiverLanterns #剧集"
        ),
        shares=(
            share(
                "swlantern02",
                *_episodes(
                    "River Lanterns S01",
                    "[PaperWeb] River Lanterns - S01E{:02d} [1080p].mkv",
                    range(1, 7),
                    1600,
                ),
            ),
        ),
    ),
    Sample(
        name="dead",
        shows="failed",
        at=38,
        text=(
            "🎬 电影：A Trip to the Moon (1902)\n🎞️ 质量: 1080p BluRay\n💾 大小: 1.4 GB\n\n"
            f"🔗 链接: {link('swtripmoon1')}"
        ),
        shares=(share("swtripmoon1", ShareFile("A Trip to the Moon.mkv", GIB), condition=Condition.DEAD),),
    ),
    Sample(
        name="slow",
        shows="saved after a while",
        at=46,
        text=("🗄 The General（1926）【1080P】【内封简中】【喜剧】\n📜介绍：一个人和他的火车头。\n\n115网盘"),
        words="115网盘",
        url=link("swgeneral01"),
        shares=(
            share(
                "swgeneral01",
                *_film("The General (1926)", "The.General.1926.1080p.BluRay.x264-RIVER.mkv", 8.2),
            ),
        ),
        faults=lambda setting: (
            Fault(verb="receive", kind=FaultKind.LATE, share="swgeneral01", seconds=40 * setting.pace),
        ),
    ),
    Sample(
        name="conflict",
        shows="asked about a name",
        at=54,
        text=(
            "🎬 电影：Nosferatu (1922)\n🎭 类型: 恐怖\n🎞️ 质量: 2160p WEB-DL HEVC AAC\n💾 大小: 14.9 GB\n\n"
            f"🔗 链接: {link('swnosferat1')}\n#电影"
        ),
        shares=(
            share(
                "swnosferat1", *_film("Nosferatu (1922)", "Nosferatu.1922.2160p.WEB-DL.x265-CMCT2.mkv", 14.9)
            ),
        ),
        # The owner saves the same film by hand while it is on its way.
        faults=lambda setting: (
            Fault(
                verb="receive",
                kind=FaultKind.GUEST,
                share="swnosferat1",
                path=f"{setting.root}/Films/Nosferatu (1922)/Nosferatu (1922).mkv",
            ),
        ),
    ),
    Sample(
        name="growing-more",
        shows="only what is new is saved",
        at=62,
        text=(
            "📺 国漫：云上旅人 (2025) 更新至6集\n🎞️ 质量: 1080p WEB-DL H.264 AAC\n📂 分类: 国漫\n"
            f"💾 大小: 4.1 GB\n\n🔗 链接: {link('swclouds001')}\n#国漫"
        ),
    ),
    Sample(
        name="several",
        shows="asked about its files",
        at=70,
        text=(
            "🎬 Twin Harbors (2020) 1080p｜WEB-DL｜简中\n💾 大小：9.1 GB\n"
            f"{link('swharbors01')}#\nTwin Harbors等2个文件(夹)\n访问码：{ACCESS}\n"
            "复制这段内容，可在115App中直接打开！"
        ),
        shares=(
            share(
                "swharbors01",
                ShareFile("Twin Harbors/The Crossing.mkv", round(4.4 * GIB)),
                ShareFile("Twin Harbors/The Return.mkv", round(4.7 * GIB)),
            ),
        ),
    ),
    Sample(
        name="partly",
        shows="needs attention",
        at=78,
        text=(
            "[剧集·115] 北岸来信 (2023)\nS01E01-E04 1080p WEB-DL AAC 内封简中[NORTHBANK]\n"
            "简介：一封迟到三十年的信。\n大小：6.9 GB\n直达链接\n标签：#剧集"
        ),
        words="直达链接",
        url=link("swletters01"),
        shares=(
            share(
                "swletters01",
                *_episodes(
                    "北岸来信 (2023)/Season 01", "北岸来信.S01E{:02d}.1080p.WEB-DL.mkv", range(1, 5), 1750
                ),
            ),
        ),
        faults=lambda setting: (
            Fault(verb="receive", kind=FaultKind.PARTIAL, share="swletters01", keep=0.75),
        ),
    ),
    Sample(
        name="unclear",
        shows="saved after a check",
        at=86,
        text=(
            "🎬 电影：Long Way to Amber (2022)\n🎞️ 质量: 2160p WEB-DL DV DDP5.1\n💾 大小: 16.3 GB\n\n"
            f"🔗 链接: {link('swamberway1')}\n#电影"
        ),
        shares=(
            share(
                "swamberway1",
                *_film("Long Way to Amber (2022)", "Long.Way.to.Amber.2022.2160p.WEB-DL.DV.H265.mkv", 16.3),
            ),
        ),
        faults=lambda setting: (Fault(verb="receive", kind=FaultKind.LOST_AFTER, share="swamberway1"),),
    ),
    Sample(
        name="button",
        shows="saved at once",
        at=94,
        text=(
            "📺 电视剧：The Salt Road (2021) - S02E03\n⭐️ 评分: 7.9\n🎞️ 质量: 1080p WEB-DL H.265\n"
            "💾 大小: 1.9 GB\n#剧集"
        ),
        button=link("swsaltroad1"),
        shares=(
            share(
                "swsaltroad1", ShareFile("The.Salt.Road.S02E03.1080p.WEB-DL.H265-RIVER.mkv", 1_987_654_321)
            ),
        ),
    ),
)
