"""For the tests of the Home Assistant side."""

import pytest


@pytest.fixture
def hass_config_dir(hass_tmp_config_dir: str) -> str:
    """An empty folder of the test's own; the plugin's default is one inside of site-packages."""
    return hass_tmp_config_dir


@pytest.fixture(autouse=True)
def auto_enable_custom_integrations(request: pytest.FixtureRequest) -> None:
    """Home Assistant finds no custom integration in tests without this."""
    if "recorder_mock" in request.fixturenames:  # has to come before hass, which the other asks for
        request.getfixturevalue("recorder_mock")
    request.getfixturevalue("enable_custom_integrations")
