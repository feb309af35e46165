"""Identification: the message, a look into the share, and how sure both make it."""

from typing import Any

import pytest

from custom_components.reelay.core.model.context import Correction, ShareFacts
from custom_components.reelay.core.model.decision import Code
from custom_components.reelay.core.model.errors import Busy, Permanent
from custom_components.reelay.core.model.offer import Kind, ShareRef
from custom_components.reelay.core.model.share import Entry, Listing
from custom_components.reelay.core.policy.schema import Policy
from custom_components.reelay.core.understand.identify import Identified, identify
from custom_components.reelay.core.understand.links import offers
from custom_components.reelay.core.understand.match import facts

from .messages import post

LINK = "\nhttps://115cdn.com/s/swabc123def?password=ab12"
THRESHOLD = Policy().confidence


def listing(*names: str) -> Listing:
    entries = tuple(Entry(str(n), name, 1_000_000_000, "A" * 40) for n, name in enumerate(names))
    return Listing(code="swabc123def", title="某剧", entries=entries, taken=0)


async def run(text: str, *names: str, earlier: frozenset[str] = frozenset(), **more: Any) -> Identified:
    message = post(text)

    async def look(ref: ShareRef) -> Listing:
        assert ref == ShareRef(code="swabc123def", receive_code="ab12")
        return listing(*names)

    async def before(ref: ShareRef) -> frozenset[str]:
        return earlier

    looks = {"look": look, "earlier": before} if names else {}
    return await identify(message, offers(message)[0], Policy(), **looks, **more)


async def test_a_full_card_is_sure_without_a_look() -> None:
    found = await run("📺 安多 (2022) S02E09 4K" + LINK)
    assert found.work is not None
    assert (found.work.kind, found.work.title, found.work.year) == (Kind.SERIES, "安多", 2022)
    assert found.share is None
    assert found.signals.total >= THRESHOLD
    assert sum(found.signals.parts.values()) == pytest.approx(found.signals.total, abs=1e-3)


async def test_a_title_without_year_or_id_is_not_sure_enough() -> None:
    assert (await run("📺 安多 S02E09 4K" + LINK)).signals.total < THRESHOLD
    assert (await run("📺 安多 S02E09 4K {tmdb-83867}" + LINK)).signals.total >= THRESHOLD


async def test_a_listing_that_agrees_adds_and_one_that_contradicts_takes_away() -> None:
    text = "📺 安多 (2022) S02E01-E03 4K" + LINK
    alone = (await run(text)).signals.total
    agrees = await run(text, "S02E01.mkv", "S02E02.mkv", "S02E03.mkv")
    contradicts = await run(text, "readme.txt")
    assert agrees.signals.total > alone > contradicts.signals.total
    assert contradicts.signals.total < THRESHOLD
    assert agrees.share is not None
    assert (agrees.share.files, agrees.share.videos) == (3, 3)


async def test_the_year_of_a_later_season_is_not_the_works() -> None:
    found = await run("📺 鱿鱼游戏 第三季 (2025) 更新至EP02 4K" + LINK)
    assert found.work is not None
    assert found.work.year is None


async def test_files_of_earlier_manifests_are_not_new() -> None:
    text = "📺 安多 (2022) S02E01-E03 4K" + LINK
    grown = await run(text, "S02E01.mkv", "S02E02.mkv", "S02E03.mkv", earlier=frozenset({"0", "1"}))
    assert grown.share is not None
    assert grown.share.newer == 1
    first_time = await run(text, "S02E01.mkv")
    assert first_time.share is not None
    assert first_time.share.newer is None


async def test_a_share_that_cannot_be_read_is_a_named_signal() -> None:
    message = post("📺 安多 (2022) S02E09 4K" + LINK)

    async def refused(ref: ShareRef) -> Listing:
        raise Busy(Code.COOLDOWN)

    async def dead(ref: ShareRef) -> Listing:
        raise Permanent(Code.SHARE_DEAD)

    for look, why in ((refused, "cooldown"), (dead, "share_dead")):
        found = await identify(message, offers(message)[0], Policy(), look=look)
        assert found.share == ShareFacts(missing=why)


async def test_a_person_outranks_a_plugin_and_a_plugin_the_rules() -> None:
    text = "📺 安多 (2022) S02E09 4K" + LINK
    plugin = {"title": "安多尔", "kind": "series", "seasons": [1]}
    found = await run(text, fields=plugin)
    assert (found.parsed.title, found.parsed.seasons) == ("安多尔", (1,))
    person = Correction(title="Andor", year=2023, seasons=(2,), tmdb_id=83867)
    found = await run(text, fields=plugin, correction=person)
    assert found.work is not None
    assert (found.work.title, found.work.year, found.work.tmdb) == ("Andor", 2023, 83867)
    assert (found.parsed.seasons, found.parsed.parser) == ((2,), "person")


async def test_a_correction_makes_media_of_anything() -> None:
    found = await run(
        "随便 https://115cdn.com/s/swabc123def?password=ab12",
        correction=Correction(title="沙丘", kind="film"),
    )
    assert found.parsed.is_media
    assert found.work is not None


async def test_an_advert_is_not_looked_into() -> None:
    async def never(ref: ShareRef) -> Listing:
        raise AssertionError

    message = post("🔥【限时】年费VIP 99元" + LINK)
    found = await identify(message, offers(message)[0], Policy(), look=never)
    assert found.parsed.is_ad


def test_a_share_that_grew_has_another_hash() -> None:
    one, two = facts(listing("a.mkv")), facts(listing("a.mkv", "b.mkv"))
    assert one.files_hash == facts(listing("a.mkv")).files_hash
    assert one.files_hash != two.files_hash
    assert facts(listing("a.mkv", "sample.mkv", "a.srt")).videos == 1
