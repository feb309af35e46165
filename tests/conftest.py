"""For all tests. tests/face has tests of the Home Assistant side, tests/core those of all that works without it.

Home Assistant's test plugin comes with autouse fixtures for every test there is, and blocks sockets. Core tests do
without both: scripts/test runs them with the plugin switched off, and where it's on, this takes its effects off them.
"""

from collections.abc import Iterable
from pathlib import Path

import hypothesis
import pytest
import pytest_socket

# A busy machine is no reason to fail.
hypothesis.settings.register_profile("reelay", deadline=None)
hypothesis.settings.load_profile("reelay")

CORE = Path(__file__).parent / "core"
PLUGIN = "pytest_homeassistant_custom_component"


def is_core(item: pytest.Item) -> bool:
    return item.path.is_relative_to(CORE)


def unwanted(item: pytest.Function) -> Iterable[str]:
    """Names of the fixtures that the plugin put on this test, and those which only they need."""
    asked = set(item._fixtureinfo.argnames)
    for name in item.fixturenames:
        definition = item._fixtureinfo.name2fixturedefs.get(name)
        if definition and definition[-1].func.__module__.startswith(PLUGIN) and name not in asked:
            yield name


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_core(item) and isinstance(item, pytest.Function):
            names = set(unwanted(item))
            item.fixturenames[:] = [name for name in item.fixturenames if name not in names]


@pytest.fixture(autouse=True)
def _sockets(request: pytest.FixtureRequest) -> None:
    if is_core(request.node):
        pytest_socket._remove_restrictions()
