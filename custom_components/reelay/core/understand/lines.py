"""A message's lines and what each of them is about, by its label: a card is read field by field.

What tells a story (synopsis), names people or lists files says nothing about season or year, however many numbers are
in it; such lines are kept apart.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from ..media.titles import simplify


class Field(StrEnum):
    """What a line is about; TEXT is a line without a known label."""

    TEXT = "text"
    TITLE = "title"
    KIND = "kind"
    ALIAS = "alias"
    NUMBERING = "numbering"
    YEAR = "year"
    TYPE = "type"
    QUALITY = "quality"
    SIZE = "size"
    TAGS = "tags"
    STORY = "story"
    FILES = "files"
    LINK = "link"
    TMDB = "tmdb"
    OTHER = "other"


_LABELS: dict[Field, str] = {
    Field.TITLE: """
        名称 资源名称 资源标题 标题 片名 剧名 影片名 影片名称 电视剧名 电视剧名称 电影名 电影名称
        剧集名 剧集名称 影视 影视名称 名字 资源名 番名 番剧名 动漫名 动漫名称 节目 节目名 节目名称
        中文名 中文片名 作品 作品名 作品名称 资源 title name
    """,
    Field.KIND: """
        电影 影片 电视剧 剧集 连续剧 国漫 番剧 日番 日漫 美漫 动漫 动画 纪录片 记录片 综艺 综艺节目
        真人秀 美剧 英剧 韩剧 日剧 泰剧 港剧 台剧 国产剧 国剧 欧美剧 日韩剧 短剧 微短剧 华语电影
        外语电影 欧美电影 国产电影 日韩电影 动画电影 电视节目 movie film tv series
    """,
    Field.ALIAS: "又名 别名 译名 又译 原名 原标题 英文名 外文名 英文片名 外文片名 其他名称 其它名称 aka",
    Field.NUMBERING: """
        季集 集数 季数 状态 进度 更新 更新状态 更新进度 更新至 更新情况 季 季度 期数 总集数 连载状态
        播出状态 完结状态 剧集状态 集
    """,
    Field.YEAR: """
        年份 年代 上映 首播 上映日期 首播日期 上映时间 首播时间 上映年份 发行 发行日期 发行年份 播出
        播出时间 开播 开播日期 年 year
    """,
    Field.TYPE: "类型 类别 分类 题材 形式 影片类型 种类 genre",
    Field.QUALITY: """
        质量 画质 版本 规格 视频 音频 格式 清晰度 分辨率 字幕 编码 片源 来源 音轨 视频编码 视频格式
        quality
    """,
    Field.SIZE: "大小 体积 文件大小 文件 容量 总大小 资源大小 size",
    Field.TAGS: "标签 tag tags 关键词",
    Field.STORY: """
        简介 描述 介绍 剧情 剧情简介 内容简介 影片简介 资源简介 资源描述 资源介绍 故事 故事简介
        内容介绍 剧情介绍 概述 plot overview
    """,
    Field.FILES: "分享内容 资源文件 文件列表 内含 包含 目录 资源列表 文件清单 包含内容",
    Field.LINK: """
        链接 连结 鏈接 下载 下载地址 下载链接 下载连结 地址 分享链接 资源链接 资源地址 网盘链接
        网盘地址 网盘 云盘 115 115网盘 115云盘 115盘 115盘地址 115链接 主链 主链接 备链 备用
        备用链接 网址 link url ed2k 磁力 磁力链接 访问码 提取码 密码 解压密码 夸克 夸克网盘 百度
        百度网盘 百度云 天翼 天翼云盘 阿里 阿里云盘 迅雷 迅雷云盘 123 123云盘 123网盘 uc uc网盘
        移动云盘 中转
    """,
    Field.TMDB: "tmdb tmdbid themoviedb",
    Field.OTHER: """
        评分 豆瓣 豆瓣评分 tmdb评分 imdb imdb评分 地区 产地 国家 国家地区 语言 平台 分享 分享者 投稿
        投稿人 投稿者 频道 群组 搜索 机场 公费服 片长 时长 集长 单集片长 主演 演员 导演 编剧 声优
        卡司 制片 票房 所属合集 合集 发布 发布者 上传 上传者 更新时间 发布时间 备注 说明 提示 注意
        文件数 文件数量 来自 出品 奖项 热度 上线平台 播放平台 豆瓣链接 网友 贡献者 感谢 赞助 广告
        推荐
    """,
}
_FIELDS = {label: field for field, labels in _LABELS.items() for label in labels.split()}
_DECOR = r"[^\w《「『\[【(（<#@'\"~～«]{0,12}"
_LABEL = re.compile(
    rf"^(?P<decor>{_DECOR})\s?"
    r"(?:[\[【(（<]\s?(?P<boxed>[^\[\]【】()（）<>:：\n]{1,12}?)\s?[\]】)）>]\s?(?P<colon>[:：])?"
    r"|(?P<plain>[^\s:：\[\]【】()（）/|#@][^:：\n\[\]【】()（）|#@]{0,13}?)\s?[:：])\s?(?P<value>.*)$"
)
#: Fields whose label may stand in brackets without a colon (【片名】…); others in brackets are categories.
_BOXED = frozenset({Field.TITLE, Field.ALIAS, Field.YEAR, Field.STORY, Field.SIZE, Field.TYPE})
_PT = re.compile(r"^\s?[◎●◆]\s?(?P<label>\S{1,4}(?:\s{1,8}\S{1,2}){0,2})\s+(?P<value>\S.*)$")
_BARE_LABEL = re.compile(
    r"^(?P<decor>[^\w\s《「『\[【(（]{1,6})\s?(?P<label>分享内容|资源文件|简介|剧情简介"
    r"|115\s?网盘|ed2k\s?资源|上映|体积|大小|文件数)(?P<value>(?:[\s(（:：].*)?)$",
    re.IGNORECASE,
)
_INLINE = re.compile(
    r"\s(?:主演|导演|演员|简介|类型|评分|地区|语言|大小|体积|标签|链接|访问码|提取码)\s?[:：]"
)
_LINK = re.compile(r"https?://|ed2k://|magnet:|(?:115cdn|115|anxia)\.com\s?/", re.IGNORECASE)
_MARKDOWN = re.compile(r"\*\*|__|~~|\|\||`{1,3}")
_MARKDOWN_LINK = re.compile(r"\[([^\[\]\n]{0,300})\]\(((?:https?://)?[^\s()]{1,800})\)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its label as written (empty for TEXT), and what follows it."""

    field: Field
    label: str
    value: str
    decor: str = ""


def lines(spoken: str) -> tuple[Line, ...]:
    """All lines that aren't blank, in order; lines below a synopsis or list heading belong to it."""
    found: list[Line] = []
    open_field: Field | None = None
    wrote = False
    for raw in unmarked(spoken).split("\n")[:1_000]:
        text = raw.strip()[:2_000]
        if not text:
            if wrote:
                open_field = None
            continue
        line = _line(text)
        if line.field is Field.TEXT and open_field is not None and not _LINK.search(text) and text[0] != "#":
            found.append(Line(open_field, "", text))
            wrote = True
            continue
        open_field = line.field if line.field in (Field.STORY, Field.FILES) else None
        wrote = bool(line.value.strip()) and line.field is Field.STORY
        found.append(line)
    return tuple(found)


def unmarked(text: str) -> str:
    """Without Markdown that was never rendered; a link's words stay, its target follows in the full text anyway."""
    if "](" in text:
        text = _MARKDOWN_LINK.sub(lambda found: found[1] if not _LINK.match(found[1]) else "", text)
    return _MARKDOWN.sub("", text)


def _line(text: str) -> Line:
    found = _LABEL.match(text)
    if found:
        label = found["boxed"] or found["plain"]
        field = field_of(label)
        boxed = found["boxed"] is not None and not found["colon"]
        if field is not None and not (boxed and field not in _BOXED):
            inline = _INLINE.search(found["value"])
            value = (
                found["value"][: inline.start()] if inline and field is not Field.STORY else found["value"]
            )
            return Line(field, label, value.strip(), found["decor"])
    if (found := _PT.match(text)) and (field := field_of(found["label"])) is not None:
        return Line(field, found["label"], found["value"], "◎")
    if found := _BARE_LABEL.match(text):
        field = field_of(re.split(r"\s", found["label"])[0]) or Field.OTHER
        return Line(field, found["label"], found["value"].strip(" :："), found["decor"])
    inline = _INLINE.search(text)
    return Line(Field.TEXT, "", text[: inline.start()] if inline else text)


def field_of(label: str) -> Field | None:
    """The field a label names, however it is spaced and in which script."""
    plain = re.sub(r"[\s①-⑳0-9一二三]+$|[\s·•]", "", simplify(label)).casefold()
    return _FIELDS.get(plain) or _FIELDS.get(simplify(label).replace(" ", "").casefold())
