"""Words about packing, brought to one vocabulary."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from custom_components.reelay.core.media.release import parse, rank, size

WAYS: dict[str, dict[str, Any]] = {
    "4K WEB-DL DDP 5 1": {"resolution": "2160p", "source": "WEB-DL", "audio": ("DDP 5.1",)},
    "UHD BluRay REMUX 2160p HDR10 DTS-HD MA 5.1": {
        "resolution": "2160p",
        "source": "REMUX",
        "hdr": ("HDR10",),
        "audio": ("DTS-HD MA 5.1",),
    },
    "TrueHD 7 1 Atmos": {"audio": ("TrueHD 7.1 Atmos",)},
    "1080P蓝光原盘REMUX [简繁中字 中英双字]": {"source": "REMUX", "subtitles": ("zh-Hans", "zh-Hant", "en")},
    "原盘 ISO": {"source": "Disc"},
    "原盘级码率": {"source": None},
    "4K.HDR.60fps": {"resolution": "2160p", "hdr": ("HDR",)},
    "杜比视界 杜比全景声": {"hdr": ("DV",), "audio": ("Atmos",)},
    "DoVi P7 HDR10+": {"hdr": ("DV", "HDR10+")},
    "抢先版 TC 1080P【枪版勿存，等4K】": {"source": "CAM", "resolution": "1080p"},
    "x265.10bit": {"codec": "HEVC"},
    "H.264": {"codec": "AVC"},
    "国语中字": {"subtitles": ("zh",)},
    "国英双语": {"subtitles": ()},
    "双语字幕": {"subtitles": ("zh", "en")},
    "内封简繁英": {"subtitles": ("zh-Hans", "zh-Hant", "en")},
    "內封繁中": {"subtitles": ("zh-Hant",)},
    "简日双语": {"subtitles": ("zh-Hans", "ja")},
    "88.37 GB": {"size": int(88.37 * 1024**3), "subtitles": ()},
    "312.5GB｜31GB/集": {"size": int(312.5 * 1024**3)},
    "2160P": {"size": None},
    "Movie.2020.1080p.BluRay.x264-GRP": {"group": "GRP"},
    "S01E01-E30 WEB-DL": {"group": None},
    "最终剪辑版": {"edition": "最终剪辑版"},
}


@pytest.mark.parametrize("text", WAYS)
def test_each_word_is_read(text: str) -> None:
    found = parse(text)
    assert {name: getattr(found, name) for name in WAYS[text]} == WAYS[text]


def test_better_releases_rank_higher() -> None:
    names = [
        "枪版 1080p",
        "720p WEB-DL",
        "1080p WEB-DL",
        "1080p BluRay",
        "2160p WEB-DL",
        "2160p WEB-DL DV",
        "2160p BluRay",
        "2160p REMUX",
    ]
    ranks = [rank(parse(name)) for name in names]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)


@given(st.floats(0.1, 999, allow_nan=False), st.sampled_from("MGT"))
def test_sizes_come_back(number: float, unit: str) -> None:
    text = f"{number:.2f}"
    power = {"M": 2, "G": 3, "T": 4}[unit]
    assert size(f"大小：{text} {unit}B") == int(float(text) * 1024**power)


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    rank(parse(text))
