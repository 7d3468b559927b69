"""Replaces the places where a project keeps files."""

import os
from typing import Any

from benchsuite.isolation.overrides.changes import FILES, like
from benchsuite.isolation.overrides.found import MISSING, Found

FILE_STORAGE = "django.core.files.storage.FileSystemStorage"
FILE_STORAGES = (FILE_STORAGE, "django.core.files.storage.filesystem.FileSystemStorage")
IN_MEMORY = "InMemoryStorage"
OTHER = "benchsuite.isolation.overrides.storages.storage_of_the_run"
STATIC = "staticfiles"  #: The alias of static files, which keeps its class.


def media(found: Found) -> Any:
    """If unset, Django writes to the current directory."""
    original = "" if found.value is MISSING else found.value
    return like(original, found.changes.folder(FILES, "media", original))


def static(found: Found) -> Any:
    """Pages may write there, too, such as styles that they compile."""
    if found.value in (MISSING, None, "") or found.instructions.static_root:
        return found.value
    return like(found.value, found.changes.folder(FILES, "static", found.value))


def location(found: Found) -> Any:
    """Django's own file storage, or one of static files on a disk, with a new location."""
    options = found.value.get("OPTIONS") or {}
    place = str(options.get("location") or "")
    moves = os.path.isabs(place) if found.alias == STATIC else place
    if not moves or (found.alias != STATIC and found.value.get("BACKEND") not in FILE_STORAGES):
        return found.value
    place = found.changes.folder(FILES, found.named("storage"), options["location"])
    return {**found.value, "OPTIONS": {**options, "location": place}}


def other(found: Found) -> Any:
    """Any other storage: its behaviour stays, its location changes."""
    backend = str(found.value.get("BACKEND", ""))
    if found.alias == STATIC or backend in (*FILE_STORAGES, OTHER) or backend.endswith(IN_MEMORY):
        return found.value
    given = found.value.get("OPTIONS") or {}
    own = str(given.get("location") or "")  # a bucket's location is no local path
    original = own if os.path.isabs(own) else ""
    place = found.changes.folder(FILES, found.named("storage"), original)
    options = {"original": backend, "options": given, "place": place}
    return {"BACKEND": OTHER, "OPTIONS": options}


def sessions(found: Found) -> Any:
    """If unset, Django writes to the system's temp folder."""
    if not str(found.settings.get("SESSION_ENGINE", "")).endswith("backends.file"):
        return found.value
    return like(found.value, found.changes.folder(FILES, "sessions"))
