"""What in a project's settings is told to slow it down."""

import pytest

from benchsuite.isolation.overrides.slowing import slowing, undone


def test_plain_settings() -> None:
    plain = {
        "MIDDLEWARE": ["django.middleware.common.CommonMiddleware", "shop.silken.Middleware"],
        "INSTALLED_APPS": ["django.contrib.auth", "silkroad"],
    }
    assert slowing(plain) == {}
    assert slowing({}) == {}


@pytest.mark.parametrize(
    ("path", "tool"),
    [
        ("debug_toolbar.middleware.DebugToolbarMiddleware", "Django Debug Toolbar"),
        ("silk.middleware.SilkyMiddleware", "Silk"),
        ("pyinstrument.middleware.ProfilerMiddleware", "pyinstrument"),
    ],
)
def test_tools(path: str, tool: str) -> None:
    assert slowing({"MIDDLEWARE": (path,)}) == {"MIDDLEWARE": f"{tool} is installed"}


def test_two_tools_in_both_places() -> None:
    found = slowing(
        {
            "INSTALLED_APPS": ["silk", "debug_toolbar"],
            "MIDDLEWARE": ["silk.middleware.SilkyMiddleware"],
        }
    )
    assert found == {
        "INSTALLED_APPS": "Silk and Django Debug Toolbar are installed",
        "MIDDLEWARE": "Silk is installed",
    }


def test_what_ends_with_debug() -> None:
    sql = {"loggers": {"django.db.backends": {"level": "DEBUG"}}}
    assert set(undone({"DEBUG": True, "LOGGING": sql})) == {"DEBUG", "LOGGING"}
    assert set(undone({"DEBUG": True, "LOGGING": {"loggers": {"django": {}}}})) == {"DEBUG"}
    assert undone({"DEBUG": False, "LOGGING": sql}) == {}
    assert undone({}) == {}
