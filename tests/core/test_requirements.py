"""What the manifest asks for is enough: Home Assistant with Reelay's requirements and nothing else."""

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "custom_components" / "reelay"
MANIFEST = json.loads((PACKAGE / "manifest.json").read_text())

#: Imports everything with the named top-level modules hidden, then runs the samples through the core.
PROGRAM = """
import importlib, json, sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"{name} is not among the requirements", name=name)
hidden = set(json.load(sys.stdin))
sys.meta_path.insert(0, Hidden())
import homeassistant
for name in sys.argv[1].split():
    importlib.import_module(name)
from custom_components.reelay.core.__main__ import main
sys.argv = ["reelay", "--dry-run"]
sys.exit(main())
"""


def _requirements() -> set[str]:
    """The names of the distributions that an installation has: Home Assistant, ours, and what they need."""
    from homeassistant import components

    base = Path(components.__file__).parent
    wanted = ["homeassistant", *MANIFEST["requirements"]]
    domains = [*MANIFEST.get("dependencies", []), *MANIFEST["after_dependencies"]]
    seen: set[str] = set()
    while domains:
        domain = domains.pop()
        if domain in seen:
            continue
        seen.add(domain)
        manifest = json.loads((base / domain / "manifest.json").read_text())
        wanted += manifest.get("requirements", [])
        domains += manifest.get("dependencies", [])
    found: set[str] = set()
    while wanted:
        requirement = Requirement(wanted.pop())
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        try:
            wanted += metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
    return found


def _hidden() -> list[str]:
    """Top-level modules that only the test tools brought."""
    allowed = _requirements()
    return sorted(
        module
        for module, distributions in metadata.packages_distributions().items()
        if not {canonicalize_name(name) for name in distributions} & allowed
    )


def test_the_manifest_names_what_is_imported() -> None:
    allowed = _requirements()
    for name in ("pydantic", "rapidfuzz"):
        assert name in allowed


@pytest.mark.timeout(120)
def test_everything_imports_and_runs_with_the_requirements_alone() -> None:
    hidden = _hidden()
    assert "pytest" in hidden
    assert "hypothesis" in hidden
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.name != "__main__.py"
    ]
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, " ".join(modules)],
        input=json.dumps(hidden),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
