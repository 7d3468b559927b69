"""Where the measured server finds collected static files."""

from pathlib import Path
from typing import Any

from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.changes import Changes
from benchsuite.isolation.overrides.files import change_static

STORAGES: dict[str, Any] = {
    "default": {"BACKEND": "a.Storage"},
    "staticfiles": {"BACKEND": "b.Storage", "OPTIONS": {"location": "/srv", "base_url": "/s/"}},
}


def changed(static_root: str, **settings: Any) -> Changes:
    made = Changes(settings)
    instructions = Instructions(
        settings_module="shop", token="t", folder="/run", static_root=static_root
    )
    change_static(made, instructions)
    return made


def test_nothing_is_changed_where_nothing_was_collected() -> None:
    assert changed("", STATIC_ROOT="/srv", STORAGES=STORAGES).values == {}


def test_the_folder_replaces_the_projects() -> None:
    made = changed("/run/static", STATIC_ROOT="/srv")
    assert made.values == {"STATIC_ROOT": "/run/static"}
    assert list(made.words) == ["STATIC_ROOT"]
    made = changed("/run/static", STATIC_ROOT=Path("/srv"))
    assert made.values == {"STATIC_ROOT": Path("/run/static")}


def test_a_place_of_the_storage_itself_gives_way() -> None:
    made = changed("/run/static", STORAGES=STORAGES)
    assert made.values["STORAGES"] == {
        "default": {"BACKEND": "a.Storage"},
        "staticfiles": {"BACKEND": "b.Storage", "OPTIONS": {"base_url": "/s/"}},
    }
    assert STORAGES["staticfiles"]["OPTIONS"]["location"] == "/srv"
