"""The house: imports go one way, SQL stays in the store, and nothing in the core knows Home Assistant."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "custom_components" / "reelay"
CORE = PACKAGE / "core"

#: Lowest first; a room may import rooms of lower levels and rooms to its left in its own.
LEVELS = (
    ("model", "priority", "media", "policy", "ports", "plugin_api", "clock"),
    ("store",),
    ("remote",),
    ("catalog", "ai"),
    ("drives", "sources", "understand"),
    ("select",),
    ("decide",),
    ("transfer",),
    ("pipeline", "notify"),
    ("health", "jobs", "tally", "plugged", "commands", "queries", "drafts", "eval"),
    ("app",),
    ("builtin", "dryrun", "__main__"),
)
RANK = {room: (level, place) for level, rooms in enumerate(LEVELS) for place, room in enumerate(rooms)}

LIGHT = ("__init__", "const", "verbs", "services", "approvals", "websocket", "views", "trigger", "condition")
STANDARD_OR_HOST = {"homeassistant", "voluptuous"}


def _modules(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*.py") if "__pycache__" not in path.parts)


def _name(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def imports(path: Path, *, at_import_only: bool = False) -> list[str]:
    """Absolute names of everything a module imports, relative imports resolved."""
    tree = ast.parse(path.read_text())
    skipped: set[ast.AST] = set()
    if at_import_only:
        for node in ast.walk(tree):
            typing_only = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
            if typing_only or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                skipped.update(ast.walk(node))
    found: list[str] = []
    here = _name(path)
    package = here if path.name == "__init__.py" else here[:-1]
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = ".".join((*base, *(node.module or "").split("."))).strip(".")
            found += [f"{stem}.{alias.name}" for alias in node.names]
    return found


def _room(name: str) -> str | None:
    match = re.match(r"reelay\.core\.(\w+)", name)
    return match[1] if match else None


@pytest.mark.parametrize("path", _modules(CORE), ids=lambda path: str(path.relative_to(CORE)))
def test_imports_in_the_core_go_one_way(path: Path) -> None:
    mine = _room(".".join(_name(path)))
    for name in imports(path):
        assert not name.startswith(("homeassistant", "custom_components")), f"{path}: {name}"
        room = _room(name)
        if name.startswith("reelay.") and room is None:
            pytest.fail(f"{path}: the core imports the face: {name}")
        if mine is None or room is None or room == mine:
            continue
        assert room in RANK, f"{path}: {room} has no place in the house"
        above, below = RANK[mine], RANK[room]
        allowed = below[0] < above[0] or (below[0] == above[0] and below[1] < above[1])
        assert allowed, f"{path}: {mine} imports {room}"


def test_every_room_has_a_place_in_the_house() -> None:
    rooms = {
        path.stem if path.is_file() else path.name
        for path in CORE.iterdir()
        if path.name not in ("__pycache__", "__init__.py") and (path.is_dir() or path.suffix == ".py")
    }
    assert rooms <= set(RANK)


def test_the_packages_at_the_bottom_import_nothing() -> None:
    for path in (CORE / "__init__.py", CORE / "model" / "__init__.py"):
        assert imports(path) == []


SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|PRAGMA\s)\b", re.DOTALL
)


@pytest.mark.parametrize("path", _modules(PACKAGE), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_sql_stands_in_the_store_only(path: Path) -> None:
    if path.is_relative_to(CORE / "store"):
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not SQL.search(node.value), f"{path}:{node.lineno}"
    assert not any(name.startswith("sqlite3") for name in imports(path)), path


def test_share_hosts_are_known_to_links_only() -> None:
    hosts = re.compile(r"(115cdn\.com|anxia\.com|share\.115\.com)")
    for path in _modules(CORE):
        room = _room(".".join(_name(path)))
        if room in ("understand", "sources") or hosts.search(path.read_text()) is None:
            continue
        pytest.fail(f"{path} knows a share's host")


def test_time_and_randomness_come_through_the_clock() -> None:
    banned = {"time", "random", "secrets", "datetime"}
    for path in _modules(CORE):
        if path.name in ("clock.py", "dryrun.py"):
            continue
        for name in imports(path):
            head, _, rest = name.partition(".")
            # A seeded `Random` is a pure function of its seed.
            pure = head == "datetime" or rest == "Random"
            assert head not in banned or pure, f"{path}: {name}"
        text = path.read_text()
        assert "datetime.now" not in text, path
        assert "asyncio.sleep" not in text.replace("asyncio.sleep(0)", ""), path


@pytest.mark.parametrize("name", [name for name in LIGHT if (PACKAGE / f"{name}.py").exists()])
def test_light_modules_need_nothing_but_home_assistant(name: str) -> None:
    """Nor does anything that they import in turn: they are imported before requirements are installed."""
    seen, waiting = set(), [PACKAGE / f"{name}.py"]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for imported in imports(path, at_import_only=True):
            head, *rest = imported.split(".")
            if head != "reelay":
                known = head in STANDARD_OR_HOST or head in sys.stdlib_module_names
                assert known, f"{path.name} imports {imported}"
                continue
            assert rest[0] not in ("core", "runtime"), f"{path.name} imports {imported}"
            for end in range(len(rest), 0, -1):
                stem = PACKAGE.joinpath(*rest[:end])
                found = stem.with_suffix(".py") if stem.with_suffix(".py").exists() else stem / "__init__.py"
                if found.exists():
                    waiting.append(found)
                    break


def test_light_modules_can_be_imported_with_everything_else_blocked() -> None:
    names = [name for name in LIGHT if name != "__init__" and (PACKAGE / f"{name}.py").exists()]
    blocked = ("pydantic", "rapidfuzz", "telethon", "openai", "segno", "python_socks", "httpx")
    program = (
        "import sys, importlib\n"
        f"for name in {blocked!r}: sys.modules[name] = None\n"
        f"for name in {['', *('.' + name for name in names)]!r}:\n"
        "    importlib.import_module('custom_components.reelay' + name)\n"
        "assert not any('reelay.core' in name for name in sys.modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=PACKAGE.parents[1], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


def test_files_can_be_held_in_the_head() -> None:
    long = {
        str(path.relative_to(PACKAGE)): count
        for path in _modules(PACKAGE)
        if (count := len(path.read_text().splitlines())) > 430
    }
    assert not long
