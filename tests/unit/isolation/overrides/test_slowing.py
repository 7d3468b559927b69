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


FILES = "django.template.loaders.filesystem.Loader"
CACHED = "django.template.loaders.cached.Loader"


@pytest.mark.parametrize(
    ("loaders", "slow"),
    [
        (None, False),
        ([], False),
        ([FILES], True),
        ([(FILES, ["/srv/templates"])], True),
        ([(CACHED, [FILES])], False),
        ([[CACHED, [FILES]]], False),
    ],
)
def test_templates_that_are_compiled_for_each_page(loaders: object, *, slow: bool) -> None:
    options = {} if loaders is None else {"loaders": loaders}
    engine = {"BACKEND": "django.template.backends.django.DjangoTemplates", "OPTIONS": options}
    words = {"TEMPLATES": f"loaders without {CACHED} compile templates for each page"}
    assert slowing({"TEMPLATES": [engine]}) == (words if slow else {})
    jinja = {**engine, "BACKEND": "django.template.backends.jinja2.Jinja2"}
    assert slowing({"TEMPLATES": [jinja]}) == {}


def test_what_ends_with_debug() -> None:
    sql = {"loggers": {"django.db.backends": {"level": "DEBUG"}}}
    assert set(undone({"DEBUG": True, "LOGGING": sql})) == {"DEBUG", "LOGGING"}
    assert set(undone({"DEBUG": True, "LOGGING": {"loggers": {"django": {}}}})) == {"DEBUG"}
    assert undone({"DEBUG": False, "LOGGING": sql}) == {}
    assert undone({}) == {}
