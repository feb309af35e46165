"""The documentation says what is there: its tables against the code's own lists, its links, pictures and snippets."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "custom_components" / "reelay"
README = ROOT / "README.md"
CHINESE = ROOT / "docs" / "README.zh.md"
ACTIONS = ROOT / "docs" / "actions.md"
PLUGINS = ROOT / "docs" / "plugins.md"
PAGES = (README, CHINESE, ACTIONS, PLUGINS)
BLUEPRINTS = sorted((ROOT / "blueprints").rglob("*.yaml"))
LARGEST_PICTURE = 200_000
PLATFORMS = {"Sensor": "sensor", "Binary sensor": "binary_sensor", "Event": "event", "Switch": "switch"}


class Loader(yaml.SafeLoader):
    """YAML with Home Assistant's tags."""


Loader.add_multi_constructor("!", lambda loader, tag, node: f"!{tag} {node.value}")


def texts(language: str = "en") -> dict[str, Any]:
    return json.loads((PACKAGE / "translations" / f"{language}.json").read_text("utf-8"))


def section(page: Path, title: str) -> str:
    """What stands below a heading, up to the next of its rank or above."""
    text = page.read_text("utf-8")
    match = re.search(rf"^(#+) {re.escape(title)}$", text, re.MULTILINE)
    assert match, f"{page.name} has no section {title}"
    rest = text[match.end() :]
    end = re.search(rf"^#{{1,{len(match[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def rows(text: str) -> list[list[str]]:
    """The cells of all tables in a text, without their heads."""
    found: list[list[str]] = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if not line.startswith("|"):
            continue
        head = number + 1 < len(lines) and lines[number + 1].startswith("|---")
        if not head and not line.startswith("|---"):
            found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def snippets(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def services() -> dict[str, dict[str, Any]]:
    found = yaml.safe_load((PACKAGE / "services.yaml").read_text("utf-8"))
    return {name: value for name, value in found.items() if not name.startswith(".")}


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def calls(value: Any) -> list[dict[str, Any]]:
    """All calls of Reelay's actions, however deep."""
    if isinstance(value, list):
        return [call for item in value for call in calls(item)]
    if not isinstance(value, dict):
        return []
    here = [value] if str(value.get("action", "")).startswith("reelay.") else []
    return here + [call for item in value.values() for call in calls(item)]


def test_the_table_of_actions_is_that_of_the_code() -> None:
    told = {
        name.strip("`").removeprefix("reelay."): title for name, title, _ in rows(section(README, "Actions"))
    }
    assert told == {name: texts()["services"][name]["name"] for name in services()}


@pytest.mark.parametrize("name", sorted(services()))
def test_each_action_is_described_with_its_fields_and_an_example(name: str) -> None:
    text = section(ACTIONS, name)
    fields = set(services()[name].get("fields", {})) - {"config_entry_id"}
    told = {row[0].strip("`") for row in rows(text) if len(row) == 3}
    if name == "ignore":
        assert "Fields as for `approve`" in text
    elif fields == {"task_id"}:
        assert not told
    else:
        assert told == fields
    assert f"action: reelay.{name}\n" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_can_be_read_and_call_what_is_there(page: Path) -> None:
    known = services()
    for snippet in snippets(page, "yaml"):
        for call in calls(yaml.load(snippet, Loader)):
            name = call["action"].removeprefix("reelay.")
            fields = known[name]["fields"]
            given = set(call.get("data", {}))
            assert given <= set(fields), snippet
            assert {field for field, value in fields.items() if value and value.get("required")} <= given, (
                snippet
            )
    for snippet in snippets(page, "json"):
        json.loads(snippet)
    for snippet in snippets(page, "python"):
        ast.parse(snippet)


@pytest.mark.parametrize("path", BLUEPRINTS, ids=lambda path: path.name)
def test_blueprints_call_what_is_there_and_are_offered(path: Path) -> None:
    blueprint = yaml.load(path.read_text("utf-8"), Loader)
    for call in calls(blueprint):
        assert set(call["data"]) <= set(services()[call["action"].removeprefix("reelay.")]["fields"])
    address = path.relative_to(ROOT).as_posix()
    assert blueprint["blueprint"]["source_url"].endswith(f"/{address}")
    assert blueprint["blueprint"]["source_url"] in README.read_text("utf-8")


def test_the_table_of_entities_is_that_of_the_translations() -> None:
    told = [(PLATFORMS[row[0]], row[1]) for row in rows(section(README, "Entities"))]
    names = [
        (platform, entity["name"])
        for platform, entities in texts()["entity"].items()
        for entity in entities.values()
    ]
    assert sorted(told) == sorted(names)


def test_entities_that_are_off_at_first_are_those_of_the_code() -> None:
    module = (PACKAGE / "sensor.py").read_text("utf-8")
    match = re.search(r"^SHOWN_STATES = frozenset\(\{(.+?)\}\)", module, re.MULTILINE | re.DOTALL)
    assert match
    shown = {f"state_{state.lower()}" for state in re.findall(r"State\.(\w+)", match[1])}
    sensors = texts()["entity"]["sensor"]
    off = {
        entity["name"] for name, entity in sensors.items() if name.startswith("state_") and name not in shown
    }
    assert {row[1] for row in rows(section(README, "Entities")) if row[2] == "off"} == off


@pytest.mark.parametrize(("page", "language"), [(README, "en"), (CHINESE, "zh-Hans")])
def test_every_option_is_explained(page: Path, language: str) -> None:
    steps = texts(language)["options"]["step"]
    names = {name for step in steps.values() for name in step.get("data", {}).values()}
    title = "Options" if language == "en" else "选项（条目上的齿轮）"
    told = {row[0] if language == "en" else row[1] for row in rows(section(page, title))}
    assert told == names


def test_every_state_is_explained_by_its_name() -> None:
    states = texts()["selector"]["task_state"]["options"]
    table = rows(section(README, "Tasks and their states"))
    assert {row[0].strip("`"): row[1] for row in table} == states


def test_every_repair_issue_is_explained() -> None:
    told = {row[0] for row in rows(section(README, "Troubleshooting"))}
    titles = {re.sub(r"\{\w+\}", "…", issue["title"]) for issue in texts()["issues"].values()}
    assert told == titles


def test_the_fields_of_the_bus_event_are_those_of_the_code() -> None:
    tree = ast.parse((PACKAGE / "bus.py").read_text("utf-8"))
    function = next(
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "event_data"
    )
    data = next(node.value for node in function.body if isinstance(node, ast.Return))
    assert isinstance(data, ast.Dict)
    fields = {key.value for key in data.keys if isinstance(key, ast.Constant)}
    told = {row[0].strip("`") for row in rows(section(README, "The event"))}
    assert told == fields | {"entry_id"}


def test_every_point_of_a_plugin_is_named() -> None:
    tree = ast.parse((PACKAGE / "core" / "plugin_api.py").read_text("utf-8"))
    points = next(
        node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == "ExtensionPoint"
    )
    names = [node.value.value for node in points.body if isinstance(node, ast.Assign)]  # type: ignore[attr-defined]
    assert len(names) == 9
    for name in names:
        assert f"`{name}`" in section(PLUGINS, "The points")


async def test_the_plugin_of_the_documentation_works() -> None:
    from custom_components.reelay.plugin import ListingView, MessageView, OfferView, Plugin, TaskView

    names: dict[str, Any] = {}
    exec(next(code for code in snippets(PLUGINS, "python") if "async_get_plugin" in code), names)
    plugin = await names["async_get_plugin"](None)
    assert isinstance(plugin, Plugin)

    def task(listing: ListingView | None) -> TaskView:
        message = MessageView(source="inbox", message_id="1", text="", posted=0)
        return TaskView(
            id=1, state_name="received", message=message, offer=OfferView(key="share"), listing=listing
        )

    decide = plugin.contributions[0].provider
    large = await decide(task(ListingView(title="", files=(("a.mkv", 11 * 1024**3),))))
    assert large.verdict == "ask"
    assert await decide(task(ListingView(title="", files=(("a.mkv", 1024**3),)))) is None
    assert await decide(task(None)) is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r'\bsrc="([^"]+)"', text)
    for link in links:
        if re.match(r"https?:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_pictures_are_small_and_used() -> None:
    everything = "".join(page.read_text("utf-8") for page in PAGES)
    for picture in (ROOT / "docs" / "images").iterdir():
        assert picture.stat().st_size < LARGEST_PICTURE, picture.name
        assert picture.name in everything, f"{picture.name} isn't shown anywhere"


def test_the_scripts_it_names_are_there() -> None:
    for name in set(re.findall(r"`scripts/(\w+)", README.read_text("utf-8"))):
        assert (ROOT / "scripts" / name).is_file(), name
