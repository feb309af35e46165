"""What a message is at all: a release, an advert, something taken back, or something else with a link in it.

Adverts often carry real shares, and releases often end with a line of advertising: a message is an advert only by
what it is about, never by one word in its tail.
"""

import re
from enum import StrEnum
from functools import lru_cache

from ..media import release, wordings
from ..media.titles import simplify
from .text import Words


class Nature(StrEnum):
    """`OTHER` are requests, search results, notices, polls, and shares of software, books or music."""

    MEDIA = "media"
    ADVERT = "advert"
    RETRACTED = "retracted"
    OTHER = "other"


_ADVERT = re.compile(
    r"#\S{0,4}互推|#\S{0,4}群组推荐|^\W{0,4}(?:频道)?互推|抽奖|开奖|中奖名单"
    r"|(?:^|\n)\W{0,4}(?:广告|推广|赞助商?)\s?[:：\n]"
    r"|(?:出售?|卖|售|收)\S{0,6}(?:年费|会员|帐号|账号|号|VIP)\b|(?:出|卖|售)\S{0,6}年费号|代充|代开|低价出"
    r"|(?:购买|下单|咨询|订购|有意)\S{0,4}(?:联系|私聊|私信|客服)|永久售后"
    r"|(?:博彩|菠菜|棋牌|彩票|开户|体育投注|真人荷官|借贷|贷款|刷单|兼职日结)"
    r"|(?:机场|节点|专线|VPN|梯子|翻墙|加速器)[^\n:：]{0,20}(?:套餐|流量|月付|年付|优惠|折扣"
    r"|注册|稳定|高速|低至|特价)"
    r"|(?:套餐|流量|优惠码|折扣码|注册)[^\n]{0,20}(?:机场|节点|专线|VPN|梯子)"
    r"|(?:优惠码|折扣码|邀请码)\s?[:：]"
    r"|[?&](?:aff|ref|invite(?:_code)?)=|欢迎关注|求关注|招募代理|诚招代理",
    re.IGNORECASE,
)
_BLANK_LINES = re.compile(r"\n\s{0,200}\n\s{0,200}")
#: More evidence than this changes nothing.
_ENOUGH = 4
#: A Telegram post has 4,096 characters; what it is about shows in them.
_LONGEST = 4_096
_PRICE = re.compile(
    r"(?:\d\s?(?:元|块|USDT|刀)(?:/|每|一)?|[¥￥$]\s?\d|半价|\d折)(?!\S{0,3}片)", re.IGNORECASE
)
_SALE = re.compile(r"限时|会员|VIP|年费|开通|购买|售后|客服|私聊|秒杀|特惠", re.IGNORECASE)
_REQUEST = re.compile(
    r"#求片|#求资源|(?:^|\n)\W{0,6}(?:求(?!生|婚|学|职|爱|魔|救|索|是|同|剑|真|败|偶|子)|跪求"
    r"|蹲一?个|有没有(?:人|大佬)?)\s?\S"
    r"|求(?:片|资源|链接|全的|分享)|有的大佬|哪位大佬|谁有\S{0,20}(?:资源|链接)"
)
_SEARCH = re.compile(r"搜索结果|(?:共|为您)?找到\s?\d+\s?(?:条|个)|查询结果|搜索到\s?\d+")
_NOTICE = re.compile(
    r"(?:^|\n)\W{0,6}(?:公告|通知[:：]|置顶|声明|投票|频道规则|群规|使用说明|教程[:：]|统计)"
    r"|今日共?更新\S{0,3}\d+\S{0,3}(?:条|部|个)|本频道(?:实时|每日|已)"
)
_NO_FILM = re.compile(
    r"电子书|有声书|有声小说|有声读物|\bepub\b|\bmobi\b|\bazw3\b|小说合集"
    r"|漫画(?:合集|全集|全\d|单行本|\s?\d+卷)|考研|考公|网课|公开课程|课程合集|教程|教材|题库"
    r"|Win(?:dows)?\s?(?:7|8|10|11|XP)|\bmacOS\b|\bapk\b|\bexe\b|\bdmg\b|精简版\s?ISO|软件"
    r"|安装包|破解版|绿色版|激活|源码|模板|字体包|系统之家|\bPSD\b|插件合集"
    r"|无损音乐|歌曲合集|音乐合集|专辑\s?(?:合集|FLAC|无损)|\bMP3\b合集|游戏合集|单机游戏"
    r"|\bSwitch\b\s?游戏|\b(?:XCI|NSP|NSZ)\b|\bPS[345]\b\s?游戏|壁纸|写真集",
    re.IGNORECASE,
)
_VIDEO = re.compile(r"电影|电视剧|剧集|动漫|番剧|纪录片|综艺|动画|剧场版")
_RETRACTED = re.compile(
    r"(?:^|\n)\W{0,6}(?:(?:本|该|此|原)?(?:条|个)?(?:资源|链接|分享|内容|帖子?"
    r"|消息)?\s?(?:因\S{0,12})?\s?(?:已经?|均已|全部|被)?\s?"
    r"(?:失效|删除|取消分享|取消|下架|和谐|过期)(?:了)?)\W{0,6}(?=$|\n)"
    r"|(?:资源|链接|分享|内容)\s?(?:因\S{0,12})?(?:已经?|均已|已被|被)\s?(?:失效|删除|取消|下架"
    r"|和谐)(?!\S{0,4}(?:请|可|的|反馈|联系))"
    r"|\[(?:已)?(?:失效|删除|过期)\]|(?:^|\n)\W{0,4}(?:已失效|expired)\b",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"(?:^|\n)\W{0,6}(?:评分|主演|演员|导演|简介|类型|题材|地区|大小|体积|质量|画质|TMDB|豆瓣"
    r"|季集|集数|名称|片名|剧名)\W{0,2}[^\n]{0,12}?[:：\n]",
    re.IGNORECASE,
)
_YEAR = re.compile(r"[(（\[]\s?(?:18[89]|19\d|20\d)\d(?:\s?[-~]\s?\d{4})?\s?[)）\]]")
_LINK = re.compile(r"https?://|ed2k://|magnet:", re.IGNORECASE)
_ELSEWHERE = re.compile(r"评论区|置顶评论|首条评论|留言区|回复可见|点击下方")


@lru_cache(maxsize=8)
def of(words: Words, offers: bool) -> Nature:
    """What the message is. `offers` says whether it carries a share or ed2k links."""
    spoken = simplify(_BLANK_LINES.sub("\n", words.spoken[:_LONGEST]))
    evidence = evidence_of(spoken)
    if _REQUEST.search(spoken) and evidence < 4:
        return Nature.OTHER
    if evidence < 3 and _is_advert(spoken, simplify(words.full[: 2 * _LONGEST])):
        return Nature.ADVERT
    if _RETRACTED.search(spoken):
        return Nature.RETRACTED
    head = "\n".join(line for line in spoken.splitlines() if line.strip())[:300]
    if _SEARCH.search(head) or (_NOTICE.search(head) and evidence < 3):
        return Nature.OTHER
    first = next((line for line in head.splitlines() if not _LINK.match(line.strip())), "")
    if _NO_FILM.search(first) and not _VIDEO.search(first) and evidence < 3:
        return Nature.OTHER
    if offers:
        return Nature.MEDIA
    leads_on = _LINK.search(words.full) or _ELSEWHERE.search(spoken)
    return Nature.MEDIA if evidence >= 2 and leads_on else Nature.OTHER


def evidence_of(spoken: str) -> int:
    """How many independent things speak for a release: fields, a year, packing, numbering, until it's enough."""
    head = _LINK.sub(" ", spoken)[:3_000]
    evidence = min(len(_FIELD.findall(head)), 3) + bool(_YEAR.search(head))
    if evidence < _ENOUGH:
        evidence += release.packing(head)
    if evidence < _ENOUGH:
        evidence += any(not wordings.read(line[:300]).empty for line in head.splitlines()[:12])
    return evidence


def _is_advert(spoken: str, full: str) -> bool:
    if _ADVERT.search(spoken) or _ADVERT.search(full):
        return True
    return bool(_PRICE.search(spoken)) and bool(_SALE.search(spoken))
