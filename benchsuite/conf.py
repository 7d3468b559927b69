"""The one settings dict, `BENCHSUITE`, with its defaults; and the names it adds to."""

from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.signals import setting_changed
from django.utils.module_loading import import_string

from benchsuite.exceptions import UsageError
from benchsuite.fronts import BUILTIN as BUILTIN_FRONTS
from benchsuite.fronts.base import FrontAdapter
from benchsuite.pythons.cache import folder
from benchsuite.servers import BUILTIN as BUILTIN_SERVERS
from benchsuite.servers.base import ServerAdapter
from benchsuite.servers.heritage import BUILTIN as HERITAGE_SERVERS
from benchsuite.servers.peers import PEERS
from benchsuite.workloads import BUILTIN as BUILTIN_WORKLOADS
from benchsuite.workloads.base import Workload

DEFAULTS: dict[str, Any] = {
    "SERVERS": {},
    "FRONTS": {},
    "WORKLOADS": {},
    "TARGET_SETTINGS": None,
    "ACCESS": "benchsuite.views.access.staff",
    "CONSOLE_URL": "http://127.0.0.1:8000/results/",
    "CACHE": None,
    "OVERRIDES": {},
}
"""SERVERS, FRONTS, WORKLOADS: name → dotted path of a class, added to the built-in ones.
TARGET_SETTINGS: settings module the measured server starts from; None for the console's own.
ACCESS: dotted path of `f(request) -> bool` that opens the pages.
CONSOLE_URL: where `runbench` says its results are to be seen.
CACHE: folder in which built environments are kept; None for the user's folder of caches.
OVERRIDES: setting of the project, dotted where it is nested → its value in the measured server;
"{folder}" in it stands for a folder of the run's own.
"""


@cache
def config() -> dict[str, Any]:
    """The settings in force; wrong ones are reported by the system checks."""
    given = getattr(settings, "BENCHSUITE", {})
    return {**DEFAULTS, **given}


def _forget(*, setting: str, **_: object) -> None:
    if setting == "BENCHSUITE":
        config.cache_clear()


setting_changed.connect(_forget, dispatch_uid="benchsuite.conf")


def cache_folder() -> Path:
    """Where built environments are kept."""
    return folder(config()["CACHE"])


def server_paths() -> dict[str, str]:
    """Dotted paths of all server adapters by name, built-in ones first."""
    return {**BUILTIN_SERVERS, **PEERS, **HERITAGE_SERVERS, **config()["SERVERS"]}


def front_paths() -> dict[str, str]:
    """Dotted paths of all fronts by name, built-in ones first."""
    return {**BUILTIN_FRONTS, **config()["FRONTS"]}


def workload_paths() -> dict[str, str]:
    """Dotted paths of all workloads by name, built-in ones first."""
    return {**BUILTIN_WORKLOADS, **config()["WORKLOADS"]}


def server_class(name: str) -> type[ServerAdapter]:
    """The adapter of that name; raises UsageError with the valid names."""
    found: type[ServerAdapter] = import_string(_path("server", name, server_paths()))
    return found


def front_class(name: str) -> type[FrontAdapter]:
    """The front of that name; raises UsageError with the valid names."""
    found: type[FrontAdapter] = import_string(_path("front", name, front_paths()))
    return found


def workload_class(name: str) -> type[Workload]:
    """The workload of that name; raises UsageError with the valid names."""
    found: type[Workload] = import_string(_path("workload", name, workload_paths()))
    return found


def _path(what: str, name: str, paths: dict[str, str]) -> str:
    if name not in paths:
        raise UsageError(f"There is no {what} {name!r}; there are: {', '.join(sorted(paths))}.")
    return paths[name]
