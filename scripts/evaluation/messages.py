"""Messages: links, codes and facts that the rules read, compared with each line's `expect`.

A field that `expect` doesn't hold isn't compared.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from .core import core

KINDS = {"movie": "film", "tv": "series"}
#: The fields that make a message of media fully right.
FACTS = ("is_media", "title", "kind", "year", "season", "episodes")
QUALITY = ("resolution", "source", "hdr", "codec", "audio", "subtitles")


def message(row: Mapping[str, Any]) -> Any:
    """The message of one line."""
    model = core("model.message")
    return model.Message(
        source="eval",
        message_id=str(row["id"]),
        text=row["text"],
        posted=0,
        entities=tuple(
            model.Entity(type=each["type"], offset=each["offset"], length=each["length"], url=each.get("url"))
            for each in row.get("entities") or ()
        ),
        buttons=tuple(
            tuple(
                model.Button(text=each["text"], url=each.get("url"), copy=each.get("copy"))
                for each in buttons
            )
            for buttons in row.get("buttons") or ()
        ),
        preview_url=row.get("preview_url"),
    )


def compare(row: Mapping[str, Any]) -> Iterator[tuple[str, bool, Any, Any]]:
    """Every compared field: its name, whether it is right, what came out, what was expected."""
    expect, post = row["expect"], message(row)
    found = core("understand.links").links(post)
    shares = [(share.code, share.receive_code) for share in found.shares]
    wanted = [(each["code"], each["receive"]) for each in expect["share_links"]]
    alternatives = set(expect.get("receive_alternatives") or ())
    yield "links", [code for code, _ in shares] == [code for code, _ in wanted], shares, wanted
    right = shares == wanted or (bool(alternatives) and {code for _, code in shares} <= alternatives)
    yield "codes", right, shares, wanted
    files = [(link.name, link.size, link.hash) for link in found.ed2k]
    expected_files = [(each["name"], each["size"], each["hash"].lower()) for each in expect["ed2k"]]
    yield "ed2k", files == expected_files, files, expected_files
    yield from _facts(post, expect)


def _facts(post: Any, expect: Mapping[str, Any]) -> Iterator[tuple[str, bool, Any, Any]]:
    rules, offer = core("understand.rules"), core("model.offer").Offer
    offers = core("understand.links").offers(post)
    whole = rules.parse(post, offers[0] if offers else offer(key="none"))
    yield "is_media", whole.is_media == expect["is_media"], whole.is_media, expect["is_media"]
    yield "is_ad", whole.is_ad == expect["is_ad"], whole.is_ad, expect["is_ad"]
    yield (
        "retracted",
        whole.retracted == expect.get("retract", False),
        whole.retracted,
        expect.get("retract", False),
    )
    if not expect["is_media"]:
        return
    if items := expect.get("items"):
        for item in items:
            codes = {each["code"] for each in item["share_links"]}
            own = next((each for each in offers if each.share and each.share.code in codes), None)
            if own is not None:
                yield from _work(rules.parse(post, own), item)
        return
    yield from _work(whole, expect)
    quality = expect.get("quality") or {}
    for name in QUALITY:
        value = getattr(whole.release, name)
        value = list(value) if isinstance(value, tuple) else value
        yield name, value == quality.get(name), value, quality.get(name)


def _work(parsed: Any, expect: Mapping[str, Any]) -> Iterator[tuple[str, bool, Any, Any]]:
    key = core("media.titles").key
    expand = core("model.offer").expand
    for name in ("title", "original_title"):
        value, wanted = getattr(parsed, name), expect[name]
        right = value is None if wanted is None else value is not None and key(value) == key(wanted)
        yield name, right, value, wanted
    kind = KINDS.get(expect["kind"])
    yield "kind", parsed.kind == kind, parsed.kind, kind
    yield "year", parsed.year == expect["year"], parsed.year, expect["year"]
    season = expect["season"]
    seasons = () if season is None else tuple(season) if isinstance(season, list) else (season,)
    yield "season", parsed.seasons == seasons, parsed.seasons, seasons
    wanted = expect["episodes"]
    got = sorted(expand(parsed.episodes)) or ("all" if parsed.complete else None)
    yield "episodes", got == wanted, got, wanted
    if expect.get("tmdb_in_text"):
        yield "tmdb_id", parsed.tmdb_id == expect["tmdb_id"], parsed.tmdb_id, expect["tmdb_id"]
    if "collection" in expect:
        yield "collection", parsed.collection == expect["collection"], parsed.collection, expect["collection"]


def evaluate(rows: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Rates per field, of links and codes together, of media messages that are fully right, and what differs."""
    right, total = Counter[str](), Counter[str]()
    wrong: list[dict[str, Any]] = []
    linked = full = media = 0
    for row in rows:
        results = list(compare(row))
        for name, good, got, wanted in results:
            total[name] += 1
            right[name] += good
            if not good:
                wrong.append({"id": row["id"], "field": name, "got": got, "expected": wanted})
        linked += all(good for name, good, _, _ in results if name in ("links", "codes", "ed2k"))
        if row["expect"]["is_media"]:
            media += 1
            full += all(good for name, good, _, _ in results if name in FACTS)
    return {
        "messages": len(rows),
        "links_and_codes": round(linked / len(rows), 4) if rows else 1.0,
        "media_fully_right": round(full / media, 4) if media else 1.0,
        "fields": {name: {"right": right[name], "of": total[name]} for name in total},
        "wrong": wrong,
    }
