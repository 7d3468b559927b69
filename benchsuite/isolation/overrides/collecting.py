"""Collects static files for the runs of a command where pages would fail without them: with DEBUG
off, a storage with a manifest answers 500 for names that only `collectstatic` makes known.
"""

from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.utils.module_loading import import_string

from benchsuite.core.exceptions import DatabaseError
from benchsuite.core.specs.run import COLLECT, SKIP
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.changes import like
from benchsuite.isolation.overrides.files import STATIC
from benchsuite.system.account import hand_over, unprivileged

SKIPPING = "--static=skip leaves them as they are"


def collected(instructions: Instructions) -> str:
    """The folder with the runs' static files, and now this process's; empty: the project's."""
    if instructions.static == SKIP or not apps.is_installed("django.contrib.staticfiles"):
        return ""
    entry = settings.STORAGES.get(STATIC) or {}
    if not (path := entry.get("BACKEND")):
        return ""
    storage = import_string(path)
    if instructions.static != COLLECT and not _lacks_manifest(storage):
        return ""
    folder = Path(instructions.folder) / "static"
    folder.mkdir()
    _collect(storage, str(folder))
    hand_over(folder, unprivileged())  # a front that serves them is not root
    return str(folder)


def _lacks_manifest(storage: Any) -> bool:
    """Whether it needs a manifest on a local disk, and there is none that it can read."""
    from django.contrib.staticfiles.storage import staticfiles_storage
    from django.core.files.storage import FileSystemStorage

    is_local = isinstance(storage, type) and issubclass(storage, FileSystemStorage)
    if not (is_local and hasattr(storage, "read_manifest")):
        return False
    try:
        return not getattr(staticfiles_storage, "hashed_files", None)
    except (ImproperlyConfigured, ValueError):  # no STATIC_ROOT, or a manifest of another kind
        return True


def _collect(storage: Any, folder: str) -> None:
    # not by its name: a project may have another of that name, which writes to a bucket
    from django.contrib.staticfiles.management.commands.collectstatic import Command
    from django.test import override_settings

    override_settings(STATIC_ROOT=like(settings.STATIC_ROOT, folder)).enable()
    _check_place(storage, folder)
    try:
        call_command(Command(), interactive=False, verbosity=0)
    except (CommandError, ImproperlyConfigured, OSError, ValueError) as error:
        # Django's storages raise ValueError for a missing file that a stylesheet names
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = lines[0].rstrip(".") if lines else type(error).__name__
        raise DatabaseError(
            f"The static files could not be collected: {reason}; fix that, or "
            f"{SKIPPING} (pages that use one will then fail)."
        ) from error


def _check_place(storage: Any, folder: str) -> None:
    """Raises DatabaseError for a storage that would overwrite the project's own files."""
    from django.contrib.staticfiles.storage import staticfiles_storage

    place = getattr(staticfiles_storage, "location", None)
    if place is None or not Path(place).resolve().is_relative_to(Path(folder).resolve()):
        raise DatabaseError(
            f"The project's {storage.__name__} writes static files to "
            f"{place or 'no local folder'}, whatever STATIC_ROOT says, so a run can't collect them "
            f"into its own folder; {SKIPPING}."
        )
