"""Points the measured server at the static files collected for it: a change of settings."""

from collections.abc import Mapping
from typing import Any

from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.changes import Changes, like

ALIAS = "staticfiles"


def change_static(changes: Changes, instructions: Instructions) -> None:
    if not instructions.static_root:
        return
    words = "static files collected into the run's folder"
    root = like(changes.settings.get("STATIC_ROOT"), instructions.static_root)
    changes.put("STATIC_ROOT", root, words)
    storages = changes.values.get("STORAGES") or changes.settings.get("STORAGES") or {}
    if "location" in (storages.get(ALIAS, {}).get("OPTIONS") or {}):
        changes.put("STORAGES", without_place(storages), f"{ALIAS}: {words}")


def without_place(storages: Mapping[str, Any]) -> dict[str, Any]:
    """The same storages, without a location for static files."""
    entry = dict(storages.get(ALIAS, {}))
    options = {key: one for key, one in (entry.get("OPTIONS") or {}).items() if key != "location"}
    if "OPTIONS" in entry:
        entry["OPTIONS"] = options
    return {**storages, ALIAS: entry}
