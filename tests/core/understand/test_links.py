"""Links and access codes: one row per way of writing."""

import time

import pytest
from hypothesis import given, strategies as st

from custom_components.reelay.core.model.message import Button, Message
from custom_components.reelay.core.understand.links import facts_hash, links, offers, redact

from .messages import corpus, from_row, linked, post

A, B = "swabc123def", "swzyx987wvu"


def found(message: Message) -> list[tuple[str, str | None]]:
    return [(share.code, share.receive_code) for share in links(message).shares]


ONE = {
    "parameter": (f"https://115cdn.com/s/{A}?password=ab12", "ab12"),
    "short parameter": (f"https://115.com/s/{A}?pwd=ab12#", "ab12"),
    "receive_code": (f"https://115.com/s/{A}?receive_code=ab12", "ab12"),
    "second parameter": (f"https://115.com/s/{A}?from=x&password=ab12&ct=1#", "ab12"),
    "fragment": (f"https://115.com/s/{A}#ab12", "ab12"),
    "labelled fragment": (f"https://115.com/s/{A}#访问码：ab12", "ab12"),
    "http": (f"http://115.com/s/{A}?password=ab12", "ab12"),
    "anxia": (f"https://anxia.com/s/{A}?password=ab12", "ab12"),
    "www": (f"https://www.115.com/s/{A}?password=ab12", "ab12"),
    "upper-case host": (f"HTTPS://115CDN.COM/s/{A}?password=ab12", "ab12"),
    "port": (f"https://115.com:443/s/{A}?password=ab12", "ab12"),
    "share host": (f"https://share.115.com/{A}?password=ab12#", "ab12"),
    "share host with s": (f"https://share.115.com/s/{A}?password=ab12#", "ab12"),
    "clipped share host": (f"/share.115.com/{A}\n片名\n访问码：ab12", "ab12"),
    "no scheme": (f"阿凡达 115.com/s/{A} 密码 ab12", "ab12"),
    "glued to Chinese, no scheme": (f"链接115cdn.com/s/{A}?password=ab12访问码见链接", "ab12"),
    "glued to letters": (f"REMUXhttps://115cdn.com/s/{A}?password=ab12下载", "ab12"),
    "case kept": (f"https://115.com/s/{A}?password=KmKM", "KmKM"),
    "digits": (f"https://115.com/s/{A}?password=0000", "0000"),
    "Chinese brackets": (f"（https://115.com/s/{A}?password=ab12），有效", "ab12"),
    "Chinese full stop": (f"链接：https://115.com/s/{A}?password=ab12。", "ab12"),
    "Markdown link": (f"[点击跳转](https://115.com/s/{A}?password=ab12#)", "ab12"),
    "escaped ampersand": (f"https://115.com/s/{A}?password=ab12\\&#", "ab12"),
    "HTML ampersand": (f"https://115.com/s/{A}?from=tg&amp;password=ab12", "ab12"),
    "bold": (f"**https://115.com/s/{A}?password=ab12**", "ab12"),
    "zero-width characters": (f"https://115.com/s/{A}\u200b?password=ab12\ufeff", "ab12"),
    "full-width punctuation": (f"https：／／115.com／s／{A}？password＝ab12", "ab12"),
    "split after s": (f"链接: https://115.com/s\n/{A}?password=ab12", "ab12"),
    "split before the code": (f"https://115.com/s/\n{A}?password=ab12", "ab12"),
    "split before the parameter": (f"https://115.com/s/{A}\n?password=ab12", "ab12"),
    "split in the parameter": (f"https://115.com/s/{A}?password=\nab12", "ab12"),
    "split in the code": (f"https://115.com/s/{A[:6]}\n{A[6:]}?password=ab12", "ab12"),
    "percent-encoded in a redirect": (
        f"https://weibo.cn/sinaurl?u=https%3A%2F%2F115cdn.com%2Fs%2F{A}%3Fpassword%3Dab12",
        "ab12",
    ),
    "glued label": (f"https://115.com/s/{A}（访问码：ab12）", "ab12"),
    "label on the same line": (f"https://115.com/s/{A} 提取码: ab12", "ab12"),
    "label on the next line": (f"https://115.com/s/{A}\n访问码：ab12", "ab12"),
    "traditional label": (f"https://115.com/s/{A}\n訪問碼：ab12", "ab12"),
    "label after a blank line": (f"https://115.com/s/{A}\n\n密码：ab12", "ab12"),
    "label lines below": (f"https://115.com/s/{A}\n一\n二\n三\n四\n提取码：ab12", "ab12"),
    "label above": (f"提取码：ab5t\n链接：https://115.com/s/{A}", "ab5t"),
    "code in backticks": (f"https://115.com/s/{A}\n`访问码：ab12`", "ab12"),
    "code with a key": (f"https://115.com/s/{A}\n🔑 ab12", "ab12"),
    "English label": (f"https://115.com/s/{A}\npassword: ab12", "ab12"),
    "bare behind a hash": (f"合集 https://115.com/s/{A}# mjq1 4T 有效", "mjq1"),
    "both, the address wins": (f"https://115.com/s/{A}?password=7b25\n访问码：zz99", "7b25"),
    "none": (f"https://115.com/s/{A}", None),
    "none, a number elsewhere": (f"https://115.com/s/{A}\n文件大小 1234", None),
    "none, a size behind": (f"https://115.com/s/{A} 108T", None),
    "none, a year behind": (f"https://115.com/s/{A} 2024 国语", None),
    "none, packing behind": (f"https://115.com/s/{A} x265 HDR", None),
    "password of the archive": (f"https://115.com/s/{A}\n解压密码：ab12", None),
    "another drive's code": (
        f"天翼：https://cloud.189.cn/t/xyz（访问码：7x9q）\n115：https://115.com/s/{A}",
        None,
    ),
    "another drive below": (
        f"115：https://115.com/s/{A}\n百度：https://pan.baidu.com/s/1x\n提取码：7x9q",
        None,
    ),
    "another drive's parameter": (f"https://pan.baidu.com/s/1x?pwd=7x9q\n115：https://115.com/s/{A}", None),
}


@pytest.mark.parametrize("way", ONE)
def test_a_share_is_found_with_its_own_code(way: str) -> None:
    text, code = ONE[way]
    assert found(post(text)) == [(A, code)]


@pytest.mark.parametrize(
    "text",
    [
        f"https://evil115.com/s/{A}",
        f"https://115evil.example/s/{A}",
        f"https://115.com.evil.test/s/{A}",
        f"https://115.com@evil.test/s/{A}",
        f"https://evil-115.com/s/{A}",
        f"https://my.115.com/s/{A}",
        f"https://example.org/115.com/s/{A}",
        f"https://example.org/x/https://115.com/s/{A}",
        "https://115.com/u/100000001",
        "https://115.com/?ct=file",
        "https://115.com/web/lixian/",
        "https://share.115.com/login",
        "统一使用 115cdn.com 域名",
        f"x115.com/s/{A}",
    ],
)
def test_what_only_looks_like_a_share_is_refused(text: str) -> None:
    assert found(post(text)) == []


SEVERAL = {
    "below each": (
        f"一\nhttps://115.com/s/{A}\n访问码：aa11\n二\nhttps://115.com/s/{B}\n访问码：bb22",
        "aa11",
        "bb22",
    ),
    "above each": (
        f"访问码：aa11\nhttps://115.com/s/{A}\n访问码：bb22\nhttps://115.com/s/{B}",
        "aa11",
        "bb22",
    ),
    "glued to each": (
        f"https://115.com/s/{A}（访问码：aa11）https://115.com/s/{B}（访问码：bb22）",
        "aa11",
        "bb22",
    ),
    "only the second": (
        f"https://115.com/s/{A}?password=aa11\nhttps://115.com/s/{B}\n提取码：bb22",
        "aa11",
        "bb22",
    ),
    "repeated for the first": (
        f"https://115.com/s/{A}?password=aa11\n访问码：aa11\n\nhttps://115.com/s/{B}",
        "aa11",
        None,
    ),
    "one for all": (f"https://115.com/s/{A}\nhttps://115.com/s/{B}\n统一访问码：cc33", "cc33", "cc33"),
    "between two drives": (
        f"115：https://115.com/s/{A} 访问码：aa11\n夸克：https://pan.quark.cn/s/x\n115：https://115.com/s/{B}",
        "aa11",
        None,
    ),
}


@pytest.mark.parametrize("way", SEVERAL)
def test_each_code_goes_to_its_own_link(way: str) -> None:
    text, first, second = SEVERAL[way]
    assert found(post(text)) == [(A, first), (B, second)]


def test_the_same_share_on_two_hosts_is_one() -> None:
    assert found(post(f"https://115cdn.com/s/{A}\nhttps://115.com/s/{A}?password=ab12#")) == [(A, "ab12")]


def test_links_behind_words_are_found_where_emoji_shift_the_offsets() -> None:
    message = linked("🎬🎬 电影 😀 115 点击", "😀 115", f"https://115cdn.com/s/{A}?password=ab12")
    assert found(message) == [(A, "ab12")]


def test_a_code_in_the_text_belongs_to_the_link_behind_the_words() -> None:
    message = linked("🎬 电影\n链接：点击跳转\n访问码：ab12", "点击跳转", f"https://115cdn.com/s/{A}")
    assert found(message) == [(A, "ab12")]


def test_buttons_that_open_or_copy_a_share_count() -> None:
    opens = Button(text="115网盘", url=f"https://115cdn.com/s/{A}?password=ab12#")
    copies = Button(text="复制", copy=f"https://115.com/s/{B}#\n片名\n访问码：cd34\n复制这段内容")
    assert found(post("电影", buttons=((opens,), (copies,)))) == [(A, "ab12"), (B, "cd34")]


def test_a_code_on_a_copy_button_belongs_to_the_link_in_the_text() -> None:
    button = Button(text="🔑 复制访问码", copy="k400")
    text = f"🎬 狮子王\n链接：https://115cdn.com/s/{A}\n" + "\n".join("简介很长" for _ in range(20))
    assert found(post(text, buttons=((button,),))) == [(A, "k400")]


def test_the_preview_of_a_page_counts() -> None:
    assert found(post("电影", preview_url=f"https://115cdn.com/s/{A}?password=ab12")) == [(A, "ab12")]


ED2K_HASH = "A4C29284968AB10A15C58FE7638CC309"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"ed2k://|file|A.mkv|123|{ED2K_HASH}|/", "A.mkv"),
        (f"ed2k://|file|A.mkv|123|{ED2K_HASH}|h=3q7gvgeearzb5ivucxfnnjjwmu5uklm7|/", "A.mkv"),
        (f"ed2k://|file|A.mkv|123|{ED2K_HASH}|", "A.mkv"),
        (f"ed2k://|file|A|B C++ (2020).mkv|123|{ED2K_HASH}|/", "A|B C++ (2020).mkv"),
        (f"ed2k://｜file｜电影.mkv｜123｜{ED2K_HASH}｜/", "电影.mkv"),
        (f"ed2k://%7Cfile%7CA.mkv%7C123%7C{ED2K_HASH}%7C/", "A.mkv"),
        (f"ed2k://|file|%e5%8d%83%20A.mkv|123|{ED2K_HASH}|/", "千 A.mkv"),
        (f"ed2k://|file|100%_A.mkv|123|{ED2K_HASH}|/", "100%_A.mkv"),
        (f"下载：ed2k://|file|黑镜：A.mkv|123|{ED2K_HASH}|/，提取码 1234，速存", "黑镜：A.mkv"),
        (f"ed2k://|file|A &amp; B.mkv|123|{ED2K_HASH}|/", "A & B.mkv"),
        (f"ed2k://|file|long\nname.mkv|123|{ED2K_HASH}|/", "longname.mkv"),
    ],
)
def test_ed2k_links_are_read_from_their_right_end(text: str, name: str) -> None:
    (link,) = links(post(text)).ed2k
    assert (link.name, link.size, link.hash) == (name, 123, ED2K_HASH.lower())


def test_thunder_links_are_opened() -> None:
    coded = "QUFlZDJrOi8vfGZpbGV8QS5GaWxtLjIwMjAubWt2fDEyMzQ1Njc4OTB8MDEyMzQ1Njc4OUFCQ0RFRjAxMjM0NTY3ODlBQkNERUZ8L1pa"
    (link,) = links(post(f"thunder://{coded}")).ed2k
    assert (link.name, link.size) == ("A.Film.2020.mkv", 1234567890)


def test_servers_are_no_files() -> None:
    assert (
        links(post("ed2k://|server|203.0.113.7|5666|/\ned2k://|serverlist|http://x/server.met|/")).ed2k == ()
    )


def test_offers_are_one_per_share_or_one_for_all_ed2k_links() -> None:
    files = f"ed2k://|file|A.mkv|1|{'0' * 32}|/\ned2k://|file|B.mkv|2|{'1' * 32}|/"
    (both,) = offers(post(f"{files}\nhttps://115.com/s/{A}"))
    assert (both.key, both.ed2k_count) == (f"share:{A}", 2)
    (alone,) = offers(post(files))
    (other_order,) = offers(post("\n".join(reversed(files.split("\n")))))
    assert alone.key == other_order.key
    assert alone.key.startswith("ed2k:")
    assert offers(post("闲聊")) == ()


def test_every_share_has_its_own_words() -> None:
    text = (
        f"合集分享\n教父 (1972)\nhttps://115.com/s/{A}\n罗马假日 (1953)\nhttps://115.com/s/{B}\n\n"
        "https://115.com/s/swthird1234\n十二怒汉 (1957)\n访问码：44la\n复制这段内容，可在115App中直接打开！"
    )
    assert [(offer.hint or "").split("\n")[-1] for offer in offers(post(text))] == [
        "教父 (1972)",
        "罗马假日 (1953)",
        "十二怒汉 (1957)",
    ]


def test_two_ways_to_one_thing_have_no_words_of_their_own() -> None:
    text = f"电影 (2020)\n简介：很长\n链接①：https://115.com/s/{A}\n链接②（备用）：https://115.com/s/{B}"
    assert [offer.hint for offer in offers(post(text))] == [None, None]


def test_facts_change_with_links_codes_episodes_and_title_only() -> None:
    base = f"📺 鱿鱼游戏 第三季 (2025) 更新至EP02 4K\n链接：https://115cdn.com/s/{A}?password=ab12"
    same = base.replace("4K", "4K DV&HDR 内封简中") + "\n👥 频道"
    assert facts_hash(post(base)) == facts_hash(post(same))
    for other in (
        base.replace("EP02", "EP03"),
        base.replace("ab12", "ab13"),
        base.replace("鱿鱼游戏", "黑镜"),
    ):
        assert facts_hash(post(base)) != facts_hash(post(other))


def test_redacted_text_holds_neither_addresses_nor_codes() -> None:
    text = f"🎬 电影 (2020)\nhttps://115.com/s/{A}\n访问码：kx9z\nhttps://t.me/x\n简介：好看"
    shown = redact(post(text))
    assert not any(secret in shown for secret in (A, "kx9z", "t.me"))
    assert "电影 (2020)" in shown
    assert "简介：好看" in shown


HOSTS = st.sampled_from(["115.com/s/", "115cdn.com/s/", "anxia.com/s/", "www.115.com/s/", "share.115.com/"])
CODES = st.from_regex(r"sw[a-z0-9]{9}", fullmatch=True)
RECEIVES = st.from_regex(r"[A-Za-z0-9]{4}", fullmatch=True)
TAILS = st.sampled_from(["", "#", "&#", "&from=tg", "**", "）", "，速存", "。", " ", "\n", "\u200b", "`"])
FRONTS = st.sampled_from(["", "链接：", "🔗 **链接：** ", "（", "下载", "115：\n", "> "])


@given(HOSTS, CODES, RECEIVES, TAILS, FRONTS, st.sampled_from(["https://", "http://"]))
def test_any_decoration_leaves_code_and_access_code_alone(
    host: str, code: str, receive: str, tail: str, front: str, scheme: str
) -> None:
    assert found(post(f"电影\n{front}{scheme}{host}{code}?password={receive}{tail}")) == [(code, receive)]


@given(
    st.lists(st.tuples(CODES, RECEIVES), min_size=1, max_size=6, unique_by=lambda pair: pair[0]),
    st.booleans(),
)
def test_any_number_of_links_each_keep_their_own_label(pairs: list[tuple[str, str]], below: bool) -> None:
    lines = []
    for code, receive in pairs:
        block = [f"https://115.com/s/{code}", f"访问码：{receive}"]
        lines += ["片名", *(block if below else reversed(block)), ""]
    assert found(post("\n".join(lines))) == pairs


@given(st.text(max_size=400))
def test_no_text_breaks_the_reader(text: str) -> None:
    message = post(text)
    links(message)
    offers(message)
    redact(message)


PATHOLOGICAL = {
    "slashes": "https:/" * 9_000,
    "hosts": "https://115.com/s/" * 3_600,
    "links": f"https://115.com/s/{A}?password=ab12\n" * 1_300,
    "many links": "".join(f"https://115.com/s/sw{n:09}\n访问码：a{n % 1000:03}\n" for n in range(1_500)),
    "labels": "访问码：ab12\n" * 7_000,
    "spaces": "访问码" + " " * 65_000,
    "newlines": "\n" * 65_000,
    "percent": "%2F" * 21_000,
    "percent 115": "115%2f" * 10_000,
    "ed2k starts": "ed2k://|file|" * 5_000,
    "ed2k bars": "ed2k://|file|" + "|1" * 32_000,
    "ed2k hashes": "ed2k://|file|a" + f"|1|{'a' * 32}" * 1_800,
    "letters": "a" * 65_000,
    "Chinese": "链接" * 32_000,
    "brackets": "[" * 65_000,
    "markdown": "[a](" * 16_000,
    "entities": "&amp;" * 13_000,
    "passwords": "password=" * 7_000,
    "thunder": "thunder://" * 6_500,
    "digits": "1" * 65_000,
}


@pytest.mark.parametrize("kind", PATHOLOGICAL)
def test_long_texts_take_milliseconds_whatever_is_in_them(kind: str) -> None:
    message = post(PATHOLOGICAL[kind])
    spent = []
    for _ in range(3):
        started = time.process_time()
        links(message)
        spent.append(time.process_time() - started)
    assert min(spent) < 0.1


@pytest.mark.parametrize("row", corpus(), ids=lambda row: row["id"])
def test_the_corpus_is_read_as_expected(row: dict) -> None:
    read = links(from_row(row))
    expect = row["expect"]
    assert [(share.code, share.receive_code) for share in read.shares] == [
        (each["code"], each["receive"]) for each in expect["share_links"]
    ]
    assert [(link.name, link.size, link.hash) for link in read.ed2k] == [
        (each["name"], each["size"], each["hash"].lower()) for each in expect["ed2k"]
    ]
