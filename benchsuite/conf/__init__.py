"""The one settings dict, `BENCHSUITE`, with its defaults; and the names it adds to."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.signals import setting_changed
from django.http import HttpResponseBase
from django.utils.module_loading import import_string

from benchsuite.conf.keys import KEYS, UNKNOWN, Problem, fault_of, problems
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.printable import hidden
from benchsuite.fronts import BUILTIN as BUILTIN_FRONTS
from benchsuite.fronts.base import FrontAdapter
from benchsuite.servers import BUILTIN as BUILTIN_SERVERS
from benchsuite.servers.base import ServerAdapter
from benchsuite.servers.heritage import BUILTIN as HERITAGE_SERVERS
from benchsuite.servers.peers import PEERS
from benchsuite.services import BUILTIN as BUILTIN_SERVICES
from benchsuite.services.base import DatabaseService, Service
from benchsuite.studies import reading
from benchsuite.system import folders
from benchsuite.telemetry.base import Device
from benchsuite.workloads import BUILTIN as BUILTIN_WORKLOADS
from benchsuite.workloads.base import Workload


@cache
def config() -> dict[str, Any]:
    """The settings in force; raises UsageError for what is of a wrong type."""
    given = _given()
    _refuse(one for one in problems(given, importing=False) if one.id != UNKNOWN)
    return {**{name: key.default for name, key in KEYS.items()}, **given}


def check() -> None:
    """Raises UsageError for whatever `manage.py check` would find in the setting."""
    _refuse(problems(_given()))


def _given() -> Any:
    return getattr(settings, "BENCHSUITE", {})


def _refuse(faults: Iterable[Problem]) -> None:
    if sentences := [f"{one.sentence} {one.hint}" for one in faults]:
        raise UsageError("\n".join(sentences))


def _forget(*, setting: str, **_: object) -> None:
    if setting == "BENCHSUITE":
        config.cache_clear()


setting_changed.connect(_forget, dispatch_uid="benchsuite.conf")


def cache_folder() -> Path:
    """Where built environments are kept."""
    return folders.cache_folder(config()["CACHE"])


def margins() -> dict[str, float]:
    """MARGINS_PERCENT, as ratios and shares."""
    return {name: percent / 100 for name, percent in config()["MARGINS_PERCENT"].items()}


def server_paths() -> dict[str, str]:
    """Dotted paths of all server adapters by name, built-in ones first."""
    return {**BUILTIN_SERVERS, **PEERS, **HERITAGE_SERVERS, **config()["SERVERS"]}


def front_paths() -> dict[str, str]:
    """Dotted paths of all fronts by name, built-in ones first."""
    return {**BUILTIN_FRONTS, **config()["FRONTS"]}


def workload_paths() -> dict[str, str]:
    """Dotted paths of all workloads by name, built-in ones first."""
    return {**BUILTIN_WORKLOADS, **config()["WORKLOADS"]}


def servers() -> dict[str, type[ServerAdapter]]:
    """All server adapters by name; raises UsageError for one that can't be used."""
    return {name: server_class(name) for name in server_paths()}


def fronts() -> dict[str, type[FrontAdapter]]:
    """All fronts by name."""
    return {name: front_class(name) for name in front_paths()}


def workloads() -> dict[str, type[Workload]]:
    """All workloads by name."""
    return {name: workload_class(name) for name in workload_paths()}


def service_paths() -> dict[str, str]:
    """Dotted paths of all services by name, built-in ones first."""
    return {**BUILTIN_SERVICES, **config()["SERVICES"]}


def devices() -> tuple[type[Device], ...]:
    """The telemetry devices that the project adds."""
    return tuple(import_string(path) for path in config()["TELEMETRY"].values())


def study_files() -> Mapping[str, Path]:
    """All studies by name, built-in ones first; raises UsageError where two have one name."""
    return reading.studies([Path(path) for path in config()["STUDIES"]])


def access_rule() -> Callable[..., bool | HttpResponseBase]:
    """Who sees the pages; raises UsageError where ACCESS names no function."""
    path = config()["ACCESS"]
    _refuse(problems({"ACCESS": path}))
    rule: Callable[..., bool | HttpResponseBase] = import_string(path)
    return rule


def server_class(name: str) -> type[ServerAdapter]:
    """The adapter of that name; raises UsageError with the valid names."""
    adapter: type[ServerAdapter] = _class("server", name, server_paths(), ServerAdapter)
    return adapter


def front_class(name: str) -> type[FrontAdapter]:
    """The front of that name; raises UsageError with the valid names."""
    adapter: type[FrontAdapter] = _class("front", name, front_paths(), FrontAdapter)
    return adapter


def workload_class(name: str) -> type[Workload]:
    """The workload of that name; raises UsageError with the valid names."""
    adapter: type[Workload] = _class("workload", name, workload_paths(), Workload)
    return adapter


def service_class(name: str) -> type[Service]:
    """The service of that name; raises UsageError with the valid names."""
    adapter: type[Service] = _class("service", name, service_paths(), Service)
    return adapter


def database_class(name: str) -> type[DatabaseService]:
    """The database of that name that a run can start; raises UsageError with what there is."""
    classes = {one: service_class(one) for one in service_paths()}
    kinds = {one: kind for one, kind in classes.items() if issubclass(kind, DatabaseService)}
    if name not in kinds:
        raise UsageError(
            f"--database={hidden(name)} is not known; "
            f"{choices(name, ['throwaway', 'keep', *kinds])[:-1]}, or a URL such as "
            "postgres://user@host/name."
        )
    return kinds[name]


def _class(what: str, name: str, paths: dict[str, str], base: type) -> Any:
    if name not in paths:
        raise UsageError(
            f"There is no {what} {name!r}; {choices(name, paths, seen_by='listbench')}"
        )
    if fault := fault_of(paths[name], base):
        raise UsageError(f"The {what} {name!r} can't be used: {fault}.")
    return import_string(paths[name])
