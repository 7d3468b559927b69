"""The one settings dict, `BENCHSUITE`, with its defaults; and the names it adds to."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.core.checks import Error
from django.core.signals import setting_changed
from django.http import HttpResponseBase
from django.utils.module_loading import import_string

from benchsuite import fronts as front_files
from benchsuite import servers as server_files
from benchsuite import services as service_files
from benchsuite import workloads as workload_files
from benchsuite.conf.keys import KEYS, UNKNOWN, fault_of, problems
from benchsuite.core.exceptions import UsageError, choices

if TYPE_CHECKING:
    from benchsuite.fronts.base import FrontAdapter
    from benchsuite.servers.base import ServerAdapter
    from benchsuite.services.base import DatabaseService, Service
    from benchsuite.telemetry.base import Device
    from benchsuite.workloads.base import Workload

BUILTIN = {
    "SERVERS": server_files.BUILTIN,
    "FRONTS": front_files.BUILTIN,
    "WORKLOADS": workload_files.BUILTIN,
    "SERVICES": service_files.BUILTIN,
}


@cache
def config() -> dict[str, Any]:
    """The settings in force; raises UsageError for what is of a wrong type."""
    given = getattr(settings, "BENCHSUITE", {})
    _refuse(one for one in problems(given, importing=False) if one.id != UNKNOWN)
    return {**{name: key.default for name, key in KEYS.items()}, **given}


def check() -> None:
    """Raises UsageError for whatever `manage.py check` would find in the setting."""
    _refuse(problems(getattr(settings, "BENCHSUITE", {})))


def _refuse(faults: Iterable[Error]) -> None:
    if sentences := [f"{fault.msg} {fault.hint}" for fault in faults]:
        raise UsageError("\n".join(sentences))


def _forget(*, setting: str, **_: object) -> None:
    if setting == "BENCHSUITE":
        config.cache_clear()


setting_changed.connect(_forget, dispatch_uid="benchsuite.conf")


def cache_folder() -> Path:
    """Where built environments are kept."""
    from benchsuite.system import folders

    return folders.cache_folder(config()["CACHE"])


def margins() -> dict[str, float]:
    """MARGINS_PERCENT, as ratios and shares."""
    return {name: percent / 100 for name, percent in config()["MARGINS_PERCENT"].items()}


def paths(key: str) -> dict[str, str]:
    """Dotted paths by name, built-in ones first: of SERVERS, FRONTS, WORKLOADS or SERVICES."""
    from benchsuite.servers import heritage, peers

    beside = {**peers.PEERS, **heritage.BUILTIN} if key == "SERVERS" else {}
    return {**BUILTIN[key], **beside, **config()[key]}


def servers() -> dict[str, type["ServerAdapter"]]:
    """All server adapters by name; raises UsageError for one that can't be used."""
    return {name: server_class(name) for name in paths("SERVERS")}


def fronts() -> dict[str, type["FrontAdapter"]]:
    return {name: front_class(name) for name in paths("FRONTS")}


def workloads() -> dict[str, type["Workload"]]:
    return {name: workload_class(name) for name in paths("WORKLOADS")}


def devices() -> tuple[type["Device"], ...]:
    return tuple(import_string(path) for path in config()["TELEMETRY"].values())


def study_files() -> Mapping[str, Path]:
    """All studies by name, built-in ones first; raises UsageError where two have one name."""
    from benchsuite.studies import reading

    return reading.studies([Path(path) for path in config()["STUDIES"]])


def access_rule() -> Callable[..., bool | HttpResponseBase]:
    """Who sees the pages; raises UsageError where ACCESS names no function."""
    path = config()["ACCESS"]
    _refuse(problems({"ACCESS": path}))
    rule: Callable[..., bool | HttpResponseBase] = import_string(path)
    return rule


def server_class(name: str) -> type["ServerAdapter"]:
    """The adapter of that name or address; raises UsageError with the names, as those below."""
    from benchsuite.servers import running

    if running.is_address(name):
        return running.at(name)
    return cast("type[ServerAdapter]", _class("SERVERS", name))


def front_class(name: str) -> type["FrontAdapter"]:
    return cast("type[FrontAdapter]", _class("FRONTS", name))


def workload_class(name: str) -> type["Workload"]:
    return cast("type[Workload]", _class("WORKLOADS", name))


def service_class(name: str) -> type["Service"]:
    return cast("type[Service]", _class("SERVICES", name))


def database_class(name: str) -> type["DatabaseService"]:
    """The database of that name that a run can start; raises UsageError with what there is."""
    from benchsuite.core.printable import hidden
    from benchsuite.services.base import DatabaseService

    classes = {service: service_class(service) for service in paths("SERVICES")}
    kinds = {key: kind for key, kind in classes.items() if issubclass(kind, DatabaseService)}
    if name not in kinds:
        raise UsageError(
            f"--database={hidden(name)} is not known; "
            f"{choices(name, ['throwaway', 'keep', *kinds])[:-1]}, or a URL such as "
            "postgres://user@host/name."
        )
    return kinds[name]


def _class(key: str, name: str) -> Any:
    what, known = key.lower().removesuffix("s"), paths(key)
    if name not in known:
        raise UsageError(
            f"There is no {what} {name!r}; {choices(name, known, seen_by='listbench')}"
        )
    if fault := fault_of(known[name], KEYS[key].base):
        raise UsageError(f"The {what} {name!r} can't be used: {fault}.")
    return import_string(known[name])
