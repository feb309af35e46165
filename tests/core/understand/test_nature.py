"""What a message is at all, and what the prefilter refuses."""

import pytest

from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.policy.schema import Policy
from custom_components.reelay.core.understand.links import offers
from custom_components.reelay.core.understand.nature import Nature, of
from custom_components.reelay.core.understand.prefilter import prefilter
from custom_components.reelay.core.understand.text import words

from .messages import corpus, from_row, post

LINK = "\nhttps://115cdn.com/s/swabc123def?password=ab12"


def nature(text: str) -> Nature:
    message = post(text)
    return of(words(message), bool(offers(message)))


@pytest.mark.parametrize(
    "text",
    [
        "#频道互推 #群组推荐\n某频道\n某群",
        "🔥 稳定机场推荐：月付 9.9 元 流量 200G https://example.com/?aff=x",
        "出115年费号，容量1PB，带8T影视，有意私聊 @seller",
        "🔥【限时】年费VIP 99元，全站4K原盘随便存！\n👉 试看：" + LINK,
        "🎁 频道三周年抽奖\n奖品：115年费会员",
        "我的115主页 https://115.com/u/1 欢迎关注",
    ],
)
def test_adverts_are_adverts_also_with_a_share(text: str) -> None:
    assert nature(text) is Nature.ADVERT


@pytest.mark.parametrize(
    "text",
    [
        "❌ 链接失效\n🎬 碟中谍7 (2023) 4K" + LINK,
        "❌已失效❌\n🎬 沙丘2 (2024) 4K" + LINK,
        "⚠️ 本条资源因版权原因已删除\n原内容：《流浪地球2》4K",
    ],
)
def test_what_was_taken_back_is_no_offer(text: str) -> None:
    assert nature(text) is Nature.RETRACTED


@pytest.mark.parametrize(
    "text",
    [
        "#求片 求《罗马假日》(1953) 4K，有的大佬分享一下",
        "求 银魂 蓝光版，这个缺了好几集 https://115cdn.com/s/swabc123def 求全的",
        "🔍 搜索结果：\n·黑镜 (2011) [S01-S07]" + LINK,
        "系统之家 Win11 精简版 ISO 等3个文件(夹)" + LINK,
        "📚 电子书合集 2025年更新至9月 EPUB+MOBI 6.6T" + LINK,
        "周杰伦 无损音乐 FLAC 合集" + LINK,
        "今日共更新【128】条资源\n本频道实时更新",
        "投票：下周想看哪部？A 沙丘2 B 奥本海默",
        "😂😂😂 今天更新好慢",
        "《沙丘3》首支预告发布",
        "",
    ],
)
def test_other_posts_are_no_media(text: str) -> None:
    assert nature(text) is Nature.OTHER


@pytest.mark.parametrize(
    "text",
    [
        "🎬 沙丘2 (2024) 4K" + LINK + "\n✈️ 机场：示例云 | 样品云\n📺 公费服：Emby 开放注册",
        "🎬 沙丘2 (2024) 4K" + LINK + "\n\n如链接失效请联系管理员补档",
        "📺 影片更新通知~\n电视剧名：白莲花度假村 (2021)\n状态：更新至第2集" + LINK,
        "📺 权力的游戏 (2011) S01" + LINK,
        "🎬 求婚大作战 (2008) 4K" + LINK,
        "经典台剧合集" + LINK,
        "E05 已补" + LINK,
        "🎬 星际穿越 (2014)\n⭐️ 评分：8.4\n📎 查看资源 https://telegra.ph/x",
        "🎬 沙丘2 (2024) 4K\n💡 资源在评论区",
    ],
)
def test_releases_stay_releases_whatever_hangs_on_them(text: str) -> None:
    assert nature(text) is Nature.MEDIA


def refusal(text: str, **policy: object) -> Code | None:
    message = post(text)
    reason = prefilter(message, offers(message), Policy.model_validate(policy))
    return reason.code if reason else None


def test_the_prefilter_names_the_reason() -> None:
    assert refusal("🎬 沙丘2 (2024) 4K" + LINK) is None
    assert refusal("🎬 沙丘2 (2024) 4K") is Code.NO_LINK
    assert refusal("#互推\n某频道") is Code.ADVERT
    assert refusal("❌ 链接失效\n🎬 沙丘2" + LINK) is Code.RETRACTED
    assert refusal("📚 电子书合集" + LINK) is Code.NOT_MEDIA


def test_an_owners_words_are_found_whole_and_in_both_scripts() -> None:
    film = "🎬 沙丘2 (2024) DTS-HD 國語" + LINK
    assert refusal(film, block_words=["国语"]) is Code.BLOCKED_WORD
    assert refusal(film, block_words=["TS"]) is None
    assert refusal(film, must_have=["4K", "国语"]) is None
    assert refusal(film, must_have=["4K"]) is Code.MISSING_WORD


def test_a_person_is_only_told_that_there_is_no_link() -> None:
    message = post("#互推" + LINK, person="user:1")
    assert prefilter(message, offers(message), Policy(block_words=("互推",))) is None
    empty = post("你好", person="user:1")
    reason = prefilter(empty, (), Policy())
    assert reason is not None
    assert reason.code is Code.NO_LINK


@pytest.mark.parametrize("row", corpus(), ids=lambda row: row["id"])
def test_the_corpus_is_sorted_as_expected(row: dict) -> None:
    message, expect = from_row(row), row["expect"]
    found = of(words(message), bool(offers(message)))
    assert (found is Nature.MEDIA) == expect["is_media"]
    assert (found is Nature.ADVERT) == expect["is_ad"]
    assert (found is Nature.RETRACTED) == expect.get("retract", False)
