"""Bug reports of neighbouring projects, reduced to input and expectation: what of them is about understanding.

A case is scored by the fields that have a counterpart here. One that asks for something that pure reading can't
answer (a catalogue's numbers, a decision, a fetched page) is counted as `other`, not as right.
"""

from collections.abc import Mapping
from typing import Any

from .core import core
from .names import Reading, judge, reelay

AREAS = ("parse", "extract", "select")
GIB = 1024**3


def score(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts by area, and the cases that aren't right."""
    counts: dict[str, dict[str, int]] = {}
    misses = []
    for row in rows:
        count = counts.setdefault(row["area"], {"right": 0, "wrong": 0, "other": 0})
        found = _CHECKS[row["area"]](row) if row["area"] in _CHECKS else None
        count["other" if found is None else "wrong" if found else "right"] += 1
        if found:
            misses.append({"id": row["id"], "area": row["area"], "differs": found, "why": row["why"]})
    return {"areas": counts, "wrong": misses}


def _parse(row: Mapping[str, Any]) -> list[str] | None:
    """What differs; None where nothing can be compared."""
    given, expected = row["input"], row["expected"]
    name = "/".join([*given.get("path_parents", []), given["title"]])
    kind = "path" if given.get("path_parents") or "/Season" in name else "title"
    asked = {key: value for key, value in expected.items() if key not in ("season", "title_alt")}
    if expected.get("season") is not None:
        asked["season"] = expected["season"]
    if "full_season" in asked and not asked.get("episodes"):
        asked.pop("episodes", None)
    found = reelay({"input": name, "kind": kind})
    verdicts = judge({"suite": "cases", "expected": asked, "id": row["id"]}, found)
    differs = [f"{what}: {verdict}, {found}" for what, verdict in verdicts.items() if verdict != "right"]
    differs += _details(given["title"], expected, found)
    return differs


def _details(name: str, expected: Mapping[str, Any], found: Reading) -> list[str]:
    facts = core("media.episodes").from_name(name)
    release = core("media.release").parse(name)
    compared = {
        "issue": facts.issue,
        "issue_part": facts.part,
        "declared_total": facts.total,
        "group": release.group or facts.group,
    }
    differs = [
        f"{key}: {value!r}, not {expected[key]!r}"
        for key, value in compared.items()
        if key in expected and value != expected[key]
    ]
    if expected.get("extra") and facts.extra is None:
        differs.append("no extra")
    whole = facts.complete or (bool(found.seasons) and not found.numbers)
    if "full_season" in expected and whole != expected["full_season"]:
        differs.append(f"full_season: {whole}")
    if "not_title" in expected and expected["not_title"] in found.titles:
        differs.append("the banner is a title")
    return differs


def _extract(row: Mapping[str, Any]) -> list[str] | None:
    given, wanted = row["input"], row["expected"].get("links")
    if wanted is None or "page_links" in given:
        return None
    model = core("model.message")
    entities = tuple(
        model.Entity(type=one["type"].replace("text_link", "text_url"), offset=one.get("offset", 0),
                     length=one.get("length", 4), url=one.get("url"))
        for one in given.get("entities", ())
    )  # fmt: skip
    post = model.Message(source="eval", message_id="1", text=given["text"], posted=0, entities=entities)
    links = core("understand.links").links(post)
    if isinstance(wanted, int):
        count = len(links.shares) + len(links.ed2k)
        return [] if count == wanted else [f"{count} links"]
    got: list[Any] = [(share.code, share.receive_code) for share in links.shares]
    got += [(link.name, link.size) for link in links.ed2k]
    right = [(one.get("share_code") or one["name"], one.get("receive_code") if "share_code" in one else one["size"])
             for one in wanted]  # fmt: skip
    return [] if got == right else [f"{got}, not {right}"]


def _select(row: Mapping[str, Any]) -> list[str] | None:
    given, expected = row["input"], row["expected"]
    if "folder_names" in given:
        seasons = [core("media.episodes").season_of_folder(name) for name in given["folder_names"]]
        return [] if seasons == expected["seasons"] else [f"{seasons}"]
    listing = given.get("listing") or given.get("files")
    if listing is None or not {"works", "take", "seasons", "skip_reason"} & expected.keys():
        return None
    if not isinstance(expected.get("take", []), list) or (expected.get("take") == [] and "files" in given):
        return None  # what is wanted of a share is the decision's, not the selection's
    return _chosen(given, expected, listing)


def _chosen(given: Mapping[str, Any], expected: Mapping[str, Any], listing: list[Any]) -> list[str]:
    share, offer = core("model.share"), core("model.offer")
    prefix = f"{given['folder']}/" if given.get("folder") else ""
    pairs = [
        (f"{prefix}{one}", GIB) if isinstance(one, str) else (f"{prefix}{one[0]}", one[1]) for one in listing
    ]
    files = [share.Entry(f"i{n}", path, size + n, f"{n:040X}") for n, (path, size) in enumerate(pairs)]
    wanted = given.get("wanted", {})
    film = wanted.get("type") == "movie" or "works" in expected
    kind = offer.Kind.FILM if film else offer.Kind.SERIES
    titles = tuple(filter(None, [wanted.get("original_title")]))
    work = offer.Work(kind=kind, title=wanted.get("title", "Title"), titles=titles, year=wanted.get("year"))
    parsed = offer.Parsed(is_media=True, kind=kind, title=work.title, collection=expected.get("works", 0) > 1)
    found = core("select.select").select(files, parsed, work)
    problems = getattr(found, "problems", None)
    if problems:
        empty = expected.get("take") == []
        return [] if empty else [", ".join(problem.code.value for problem in problems)]
    differs = []
    if "works" in expected and len(found.works) != expected["works"]:
        differs.append(f"works: {[work.title for work in found.works]}")
    taken = [file.path.removeprefix(prefix) for file in found.files]
    if "take" in expected and sorted(taken) != sorted(expected["take"]):
        differs.append(f"took {taken}")
    seasons = sorted({file.season for file in found.files})
    if "seasons" in expected and seasons != expected["seasons"]:
        differs.append(f"seasons {seasons}")
    return differs


_CHECKS = {"parse": _parse, "extract": _extract, "select": _select}
