"""How a work is packed: resolution, source, dynamic range, codec, sound, subtitles, size, group, edition.

Words of messages and of release names, Chinese and English, are brought to one vocabulary.
"""

import re

from ..model.offer import Release
from .titles import simplify

_B = r"(?<![A-Za-z0-9])"
_E = r"(?![A-Za-z0-9])"


def _table(*rows: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), word) for pattern, word in rows)


_RESOLUTIONS = _table(
    (rf"4320[pi]?{_E}|{_B}8K{_E}", "4320p"),
    (
        (
            rf"(?<!\d)2160[pi]?(?:\d{{2,3}})?{_E}|{_B}(?<!等)(?<!待)4K(?!\s?修[复復](?:自|于))(?:{_E}"
            rf"|(?=\d{{2,3}}(?:fps|帧)))|3840\s?[x×]\s?\d{{4}}|{_B}UHD{_E}|超高清"
        ),
        "2160p",
    ),
    (rf"(?<!\d)1440[pi]?{_E}|{_B}2K{_E}", "1440p"),
    (rf"(?<!\d)1080[pi]?(?:\d{{2,3}})?{_E}|1920\s?[x×]\s?1080|{_B}FHD{_E}|全高清", "1080p"),
    (rf"(?<!\d)720[pi]?{_E}|1280\s?[x×]\s?720", "720p"),
    (rf"(?<!\d)576[pi]?{_E}", "576p"),
    (rf"(?<!\d)(?:480|540)[pi]?{_E}", "480p"),
)
_CAM = re.compile(
    rf"枪版|抢先版|槍版|{_B}(?:HD)?(?:CAM(?:Rip)?|TS|TC|telesync|telecine){_E}(?!\s?流)"
    rf"|(?:HD)?[-.\s](?:TS|TC){_E}",
    re.IGNORECASE,
)
_SOURCES = _table(
    (r"remux", "REMUX"),
    (
        rf"原盘(?!级)|原碟|{_B}(?:BDMV|BDISO|ISO|BD25|BD50|BD100|Full\s?Disc|Blu-?ray\s?Disc|UHD\s?BD){_E}",
        "Disc",
    ),
    (
        (
            rf"{_B}WEB[-. ]?(?:DL|Rip)?{_E}"
            rf"|{_B}(?:NF|AMZN|DSNP|ATVP|HMAX|CR|iQIYI|IQ|YOUKU|Baha|B-Global|iTunes|HULU)\s?WEB"
        ),
        "WEB-DL",
    ),
    (rf"blu-?ray|{_B}(?:BD|BDRip|BRRip|BDMux|UHDRip|MBD){_E}|蓝光", "BluRay"),
    (rf"{_B}(?:HDTV(?:Rip)?|UHDTV|TVRip|DVB|PDTV){_E}|{_B}4KTV{_E}", "HDTV"),
    (rf"{_B}(?:DVD(?:Rip|5|9|R|-?R?)?|NTSC|PAL){_E}", "DVD"),
)
_HDRS = _table(
    (rf"{_B}(?:DV|DoVi|Dolby[ .]?Vision)(?:[ .]?P[578])?{_E}|杜比视界", "DV"),
    (rf"{_B}HDR10(?:\+|plus|P{_E})", "HDR10+"),
    (rf"{_B}HDR10(?!\+|plus|P{_E}|\d)", "HDR10"),
    (rf"{_B}HDR[ .]?Vivid{_E}|菁彩HDR|{_B}CUVA{_E}", "HDR Vivid"),
    (rf"{_B}HDR(?!10|[ .]?Vivid){_E}|(?<=[\u4e00-\u9fff])HDR(?!10)", "HDR"),
    (rf"{_B}HLG{_E}", "HLG"),
)
_CODECS = _table(
    (rf"{_B}(?:H[ .]?265|x[ .]?265|HEVC){_E}|{_B}HEVC-?\d\dbit", "HEVC"),
    (rf"{_B}(?:H[ .]?264|x[ .]?264|AVC){_E}", "AVC"),
    (rf"{_B}AV1{_E}", "AV1"),
    (rf"{_B}VC-?1{_E}", "VC-1"),
    (rf"{_B}MPEG-?2{_E}", "MPEG-2"),
    (rf"{_B}(?:XviD|DivX){_E}", "XviD"),
)
_CHANNELS = r"(?:[ .\-_]?(?P<channels>[1257][ .][012](?:[ .]\d)?)(?!\d))?"
_SOUNDS = tuple(
    (
        re.compile(
            rf"{_B}(?:{pattern}){_CHANNELS}(?P<atmos>[ .\-_]?(?:Atmos|JOC))?(?![A-Za-z])", re.IGNORECASE
        ),
        word,
    )
    for pattern, word in (
        (r"DTS[-. ]?HD[-. ]?(?:MA|Master[ .]Audio)", "DTS-HD MA"),
        (r"DTS[-. ]?HD[-. ]?HRA?", "DTS-HD HRA"),
        (r"DTS[-: ]?X(?!\d|26)", "DTS:X"),
        (r"DTS[-. ]?HD", "DTS-HD"),
        (r"DTS(?![-: .]?(?:HD|X\b))", "DTS"),
        (r"True-?HD", "TrueHD"),
        (r"DDP|DD\+|E-?AC-?3|EAC3", "DDP"),
        (r"DD|AC-?3", "DD"),
        (r"HE-?AAC|AAC", "AAC"),
        (r"FLAC", "FLAC"),
        (r"L?PCM", "LPCM"),
        (r"OPUS", "Opus"),
        (r"MP3", "MP3"),
    )
)
_ATMOS = re.compile(rf"{_B}(?:Dolby[ .]?)?Atmos{_E}|杜比全景声", re.IGNORECASE)
_VIVID = re.compile(rf"菁彩声|{_B}Audio[ .]?Vivid{_E}", re.IGNORECASE)
_HAN = r"中日英韩粤简繁国双语字特效内封嵌外挂中文体"
_SUBTITLE_WORD = re.compile(
    rf"内[封嵌挂]|外挂|特效|字幕|双字|[简繁中]字|(?<![{_HAN}])[简繁][中英日繁体]"
    rf"|[简繁]{{1,2}}[英日]|{_B}(?:CHS|CHT|GB|BIG5|SUB){_E}",
    re.IGNORECASE,
)
_SUBTITLES = _table(
    (rf"简|{_B}(?:CHS|GB){_E}", "zh-Hans"),
    (rf"繁|{_B}(?:CHT|BIG5){_E}", "zh-Hant"),
)
_OTHER_SUBTITLES = _table(
    (rf"英|双语字|{_B}(?:ENG|EN){_E}", "en"), (rf"日|{_B}(?:JPN?|JA){_E}", "ja"), (r"韩", "ko")
)
_CHINESE = re.compile(r"中[文字英日韩]|双语字幕|内[封嵌]中|特效字幕|双字")
_SPOKEN = re.compile(
    r"(?<![简繁])(?:[国粤英日韩法]{1,3}|台)(?:双|三|多)?(?:语|配|音轨)(?!字幕)|[国粤英]{2}双语|\S{0,4}音轨"
)
_SIZE = re.compile(
    rf"(?<![A-Za-z0-9.])(\d{{1,5}}(?:\.\d{{1,3}})?)\s?(?:([MGT])(?:i?B)?|([KP])i?B){_E}(?!\s?/|bps)",
    re.IGNORECASE,
)
_EACH = re.compile(r"单集|單集|每集|/\s?集|单文件")
_UNITS = {"k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_GROUP = re.compile(
    r"(?<=[A-Za-z0-9])-(?!(?:S?\d{1,4}(?:E\d{1,4})?|[SE]P?\d{1,4})(?![A-Za-z0-9])|DL\b|HD\b|Rip\b|MA\b"
    r"|ray\b)([A-Za-z0-9][A-Za-z0-9@]{1,20})(?:\.[A-Za-z0-9]{2,4})?\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_EDITION = re.compile(
    r"导演剪辑版|最终剪辑版|终极剪辑版|加长版|未删减版|未分级版|完整版|修复版|重制版|特别版"
    r"|收藏版|标准收藏|IMAX(?:满屏)?版?|加更版|纯享版"
    rf"|{_B}(?:Director'?s[ .]Cut|(?:The[ .])?Final[ .]Cut|Extended(?:[ .](?:Cut|Edition))?|Unrated|Uncut"
    r"|Theatrical(?:[ .]Cut)?"
    rf"|Remastered|Criterion|Special[ .]Edition|Ultimate[ .](?:Cut|Edition)|Open[ .]Matte){_E}",
    re.IGNORECASE,
)

_RANK_RESOLUTION = {"4320p": 5, "2160p": 5, "1440p": 4, "1080p": 4, "720p": 3, "576p": 2, "480p": 2}
_RANK_SOURCE = {"Disc": 6, "REMUX": 7, "BluRay": 5, "WEB-DL": 4, "HDTV": 3, "DVD": 2, "CAM": 0}
_RANK_HDR = {"DV": 3, "HDR10+": 2, "HDR10": 2, "HDR Vivid": 2, "HDR": 2, "HLG": 1}


def parse(text: str) -> Release:
    """Read all words about packing in a text of any length; unknown words are passed over."""
    text = simplify(text)
    cam = _CAM.search(text)
    return Release(
        resolution=_first(_RESOLUTIONS, text),
        source="CAM" if cam else _first(_SOURCES, text),
        hdr=tuple(word for pattern, word in _HDRS if pattern.search(text)),
        codec=_first(_CODECS, text),
        audio=_audio(text),
        subtitles=_subtitles(text),
        size=size(text),
        group=found[1] if (found := _GROUP.search(text)) else None,
        edition=found[0] if (found := _EDITION.search(text)) else None,
    )


def resolution(text: str) -> str | None:
    """The resolution that a text states."""
    return _first(_RESOLUTIONS, simplify(text))


def packing(text: str) -> int:
    """How many kinds of words about packing a text has: where it was taken from, and how it is coded."""
    text = simplify(text)
    taken = _CAM.search(text) is not None or _first(_SOURCES, text) is not None
    coded = any(_first(table, text) for table in (_RESOLUTIONS, _CODECS, _HDRS))
    return taken + coded


def rank(release: Release) -> int:
    """A number to compare two releases of one thing by; the higher is the better one."""
    resolution = _RANK_RESOLUTION.get(release.resolution or "", 1)
    source = _RANK_SOURCE.get(release.source or "", 3)
    hdr = max((_RANK_HDR.get(word, 0) for word in release.hdr), default=0)
    cam = release.source == "CAM"
    return 0 if cam else resolution * 1_000 + source * 100 + hdr * 10 + (release.codec in ("HEVC", "AV1"))


def size(text: str) -> int | None:
    """The largest size in bytes that a text states for the whole; sizes per episode don't count."""
    sizes = []
    for found in _SIZE.finditer(text):
        around = text[max(0, found.start() - 5) : found.start()], text[found.end() : found.end() + 4]
        if not any(map(_EACH.search, around)):
            sizes.append(float(found[1]) * 1024 ** _UNITS[(found[2] or found[3]).lower()])
    return int(max(sizes)) if sizes else None


def starts(text: str) -> int | None:
    """Where the first word about packing begins, for cutting it off a title."""
    text = simplify(text)
    tables = (_RESOLUTIONS, _SOURCES, _HDRS, _CODECS, _SOUNDS)
    found = [match.start() for table in tables for pattern, _ in table if (match := pattern.search(text))]
    found += [
        match.start()
        for each in (_CAM, _ATMOS, _SIZE, _SUBTITLE_CUT, _SPOKEN_CUT, _OTHER_CUT)
        if (match := each.search(text))
    ]
    return min(found, default=None)


def without_edition(text: str) -> str:
    """The text without the names of editions; an English word that opens it is a title (Uncut Gems)."""
    return _EDITION.sub(lambda found: found[0] if found.start() == 0 and found[0].isascii() else " ", text)


_SUBTITLE_CUT = re.compile(
    rf"内[封嵌挂][简繁中英日双字]?|[简繁]{{1,2}}[日英]?(?:双语|内[封嵌])|外挂字幕|中英字幕"
    rf"|中文字幕|双语字幕|[中简繁双]字(?=$|[\s\])】])|{_B}(?:CHS|CHT)(?:[_&]CH[ST])?{_E}",
    re.IGNORECASE,
)
_SPOKEN_CUT = re.compile(r"(?:(?<=[\s\[【(（])|^)(?:[国粤英日韩法汉]{1,3}(?:双|三)?语|国配|双语|多音轨)")
_OTHER_CUT = re.compile(
    rf"{_B}(?:\d{{2,3}}\s?fps|\d{{2}}\s?帧|\d{{1,2}}bit|HQ|SDR|3D|HFR|Proper|Repack){_E}|高码率?|\d{{2,3}}帧",
    re.IGNORECASE,
)


def _first(table: tuple[tuple[re.Pattern[str], str], ...], text: str) -> str | None:
    return next((word for pattern, word in table if pattern.search(text)), None)


def _audio(text: str) -> tuple[str, ...]:
    found: list[str] = []
    taken: list[tuple[int, int]] = []
    atmos = False
    for pattern, word in _SOUNDS:
        match = pattern.search(text)
        if not match or any(start <= match.start() < end for start, end in taken):
            continue
        taken.append(match.span())
        channels = re.sub(r"[ ]", ".", match["channels"]) if match["channels"] else None
        near = match["atmos"] or re.match(
            r"[ .]{0,2}Atmos", text[match.end() : match.end() + 8], re.IGNORECASE
        )
        atmos = atmos or (near is not None and bool(near))
        found.append(" ".join(part for part in (word, channels, "Atmos" if near else None) if part))
    if _ATMOS.search(text) and not atmos:
        found.append("Atmos")
    if _VIVID.search(text):
        found.append("Audio Vivid")
    return tuple(found)


def _subtitles(text: str) -> tuple[str, ...]:
    """Languages named near a word about subtitles; spoken languages are taken out first."""
    found: dict[str, None] = {}
    bare = _SIZE.sub(" ", _SPOKEN.sub(lambda match: match[0] if "字" in match[0] else "", text))
    for piece in re.split(r"[\s\[\]【】|｜/,，。；;·]+", bare):
        if not _SUBTITLE_WORD.search(piece) or len(piece) > 24:
            continue
        hans = [word for pattern, word in _SUBTITLES if pattern.search(piece)]
        if not hans and (_CHINESE.search(piece) or re.search(r"中", piece)):
            hans = ["zh"]
        others = [word for pattern, word in _OTHER_SUBTITLES if pattern.search(piece)]
        found |= dict.fromkeys([*hans, *others])
    if "zh" in found and len(found) > 1 and ("zh-Hans" in found or "zh-Hant" in found):
        del found["zh"]
    return tuple(found)
