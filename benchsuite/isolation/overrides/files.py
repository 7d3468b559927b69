"""Folders, static files and storages of a run in place of the project's own."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.utils.module_loading import import_string

from benchsuite.core.exceptions import DatabaseError
from benchsuite.core.refusals import first_line
from benchsuite.core.specs.run import COLLECT, SKIP
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.changes import FILES, MISSING, Changes, Found, like
from benchsuite.system.folders import FULL

MOST_BYTES = 256 * 2**20  #: Of one folder of the project; more would take too long to copy.
STATIC = "staticfiles"  #: The alias of static files, which keeps its class.


def make_folders(folders: Mapping[str, str]) -> dict[str, str]:
    """Creates each folder as a copy of the project's own; returns why others were not copied."""
    left = {}
    for folder, original in folders.items():
        Path(folder).mkdir(parents=True, exist_ok=True)
        if original:
            try:
                if Path(original).is_dir():  # raises where a folder above it is closed to us
                    _copy(Path(original), Path(folder))
            except (OSError, OverflowError) as error:
                if isinstance(error, OSError) and error.errno in FULL:
                    raise  # not this folder's fault
                left[original] = f"{original} is not copied: {error}"
                shutil.rmtree(folder)
                Path(folder).mkdir()
    return left


def stored(run: Path) -> int:
    """How many files the storages of a run hold, those that it started with included."""
    storages = [*(run / FILES).glob("media*"), *(run / FILES).glob("storage*")]
    return sum(len(names) for storage in storages for _, _, names in os.walk(storage))


def handed_on(template: Path, run: Path) -> None:
    """Copies the template's folders for one run."""
    if (template / FILES).is_dir():
        shutil.copytree(template / FILES, run / FILES, symlinks=True, dirs_exist_ok=True)


def _copy(original: Path, folder: Path) -> None:
    """Raises OverflowError, before copying anything, when it is too large."""
    files: list[Path] = []
    total = 0
    for place, folders, names in os.walk(original):
        folders[:] = [name for name in folders if Path(place, name) != folder]  # it may lie below
        for path in (Path(place, name) for name in sorted(names)):
            if path.is_file():
                total += path.stat().st_size
                if total > MOST_BYTES:
                    raise OverflowError(f"it holds more than {MOST_BYTES // 2**20} MB")
                files.append(path)
    for path in files:
        copied = folder / path.relative_to(original)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copied)


def change_static(changes: Changes, instructions: Instructions) -> None:
    if instructions.static_root:
        root = like(changes.settings.get("STATIC_ROOT"), instructions.static_root)
        changes.put("STATIC_ROOT", root, "static files collected into the run's folder")


SKIPPING = "--static=skip leaves them as they are"


def collected(instructions: Instructions) -> str:
    """The folder with the runs' static files, and now this process's; empty: the project's.

    They are collected where pages would fail without them: with DEBUG off, a storage with a
    manifest answers 500 for names that only `collectstatic` makes known.
    """
    from benchsuite.system.account import hand_over, unprivileged  # not in measured servers

    if instructions.static == SKIP or not apps.is_installed("django.contrib.staticfiles"):
        return ""
    if not (path := (settings.STORAGES.get(STATIC) or {}).get("BACKEND")):
        return ""
    backend = import_string(path)
    if instructions.static != COLLECT and not _lacks_manifest(backend):
        return ""
    folder = Path(instructions.folder) / "static"
    folder.mkdir()
    _collect(backend, str(folder))
    hand_over(folder, unprivileged())  # a front that serves them is not root
    return str(folder)


def _lacks_manifest(backend: Any) -> bool:
    """Whether it needs a manifest on a local disk, and there is none that it can read."""
    from django.contrib.staticfiles.storage import staticfiles_storage
    from django.core.files.storage import FileSystemStorage

    is_local = isinstance(backend, type) and issubclass(backend, FileSystemStorage)
    if not (is_local and hasattr(backend, "read_manifest")):
        return False
    try:
        return not getattr(staticfiles_storage, "hashed_files", None)
    except (ImproperlyConfigured, ValueError):  # no STATIC_ROOT, or a manifest of another kind
        return True


def _collect(backend: Any, folder: str) -> None:
    # not by its name: a project may have another of that name, which writes to a bucket
    from django.contrib.staticfiles.management.commands.collectstatic import Command
    from django.test import override_settings

    override_settings(STATIC_ROOT=like(settings.STATIC_ROOT, folder)).enable()
    _check_place(backend, folder)
    try:
        call_command(Command(), interactive=False, verbosity=0)
    except (CommandError, ImproperlyConfigured, OSError, ValueError) as error:
        # Django's storages raise ValueError for a missing file that a stylesheet names
        raise DatabaseError(
            f"The static files could not be collected: {first_line(error)}; fix that, or "
            f"{SKIPPING} (pages that use one will then fail)."
        ) from error


def _check_place(backend: Any, folder: str) -> None:
    """Raises DatabaseError for a storage that would overwrite the project's own files."""
    from django.contrib.staticfiles.storage import staticfiles_storage

    place = getattr(staticfiles_storage, "location", None)
    if place is None or not Path(place).resolve().is_relative_to(Path(folder).resolve()):
        raise DatabaseError(
            f"The project's {backend.__name__} writes static files to "
            f"{place or 'no local folder'}, whatever STATIC_ROOT says, so a run can't collect them "
            f"into its own folder; {SKIPPING}."
        )


FILE_STORAGE = "django.core.files.storage.FileSystemStorage"
FILE_STORAGES = (FILE_STORAGE, "django.core.files.storage.filesystem.FileSystemStorage")
IN_MEMORY = "InMemoryStorage"
OTHER = "benchsuite.isolation.overrides.backends.storage_of_the_run"


def media(setting: Found) -> Any:
    """If unset, Django writes to the current directory."""
    original = "" if setting.value is MISSING else setting.value
    return like(original, setting.folder(FILES, "media", original))


def static(setting: Found) -> Any:
    """Pages may write there, too, such as styles that they compile."""
    if setting.value in (MISSING, None, "") or setting.instructions.static_root:
        return setting.value
    return like(setting.value, setting.folder(FILES, "static", setting.value))


def storage(setting: Found) -> Any:
    """A file storage of Django's, or one of static files on a disk, with a new location. Any other
    one's behaviour stays, too; none writes to a bucket.
    """
    backend, options = str(setting.value.get("BACKEND", "")), setting.value.get("OPTIONS") or {}
    place = str(options.get("location") or "")
    original = place if os.path.isabs(place) else ""  # a bucket's location is no local path
    if setting.alias == STATIC or backend in FILE_STORAGES:
        if not (original if setting.alias == STATIC else place):
            return setting.value
        folder = setting.folder(FILES, "storage", options["location"])
        return {**setting.value, "OPTIONS": {**options, "location": folder}}
    if backend.endswith(IN_MEMORY):
        return setting.value
    folder = setting.folder(FILES, "storage", original)
    return {"BACKEND": OTHER, "OPTIONS": {"original": backend, "options": options, "place": folder}}


def sessions(setting: Found) -> Any:
    """If unset, Django writes to the system's temp folder."""
    if not str(setting.settings.get("SESSION_ENGINE", "")).endswith("backends.file"):
        return setting.value
    return like(setting.value, setting.folder(FILES, "sessions"))
