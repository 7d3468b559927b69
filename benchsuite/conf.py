"""The one settings dict, `BENCHSUITE`: its keys, what is wrong with what they are, what they add.

Every command of a project reads this module: what a key is about is imported where it has a value.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.core.checks import Error
from django.core.signals import setting_changed
from django.dispatch import receiver
from django.http import HttpResponseBase
from django.utils.module_loading import import_string
from django.utils.text import capfirst

from benchsuite.core.exceptions import UsageError, choices, last_line
from benchsuite.core.plain import Misfit, reader
from benchsuite.core.units import short

if TYPE_CHECKING:
    from benchsuite.fronts.base import FrontAdapter
    from benchsuite.servers.base import ServerAdapter
    from benchsuite.services.base import DatabaseService, Service
    from benchsuite.telemetry.base import Device
    from benchsuite.workloads.base import Workload

UNKNOWN = "benchsuite.E002"  #: The id of a key that nothing reads.

PLACES = ("agent", "bind", "key-file", "listen", "load-hosts")
LONGEST_NAME = 200  #: Of a project, as a label.
SHOWN = 80  #: Letters of a value that a sentence shows.


def _is_text(value: str | None) -> bool:
    return value is None or (bool(value.strip()) and "\0" not in value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key; by default a text that may be left out."""

    id: str
    default: Any = None
    wanted: str  #: What it must be: "BENCHSUITE['CACHE'] is 3, not …".
    hint: str
    kind: Any = str | None  #: Its type as JSON has it.
    path: bool = False  #: Whether paths may stand in place of texts.
    base: str = ""  #: What its classes are subclasses of.
    holds: Callable[[Any], bool] = _is_text  #: Of a value of that type; imports nothing.
    faults: Callable[[Any], Iterator[str]] = lambda value: iter(())
    """Of a value of that form: what it names and what is not there, as "…['shop']: …"."""

    def is_right(self, value: Any) -> bool:
        """Whether it has the right type and form."""
        try:
            data = json.loads(json.dumps(value, default=os.fspath if self.path else None))
            if isinstance(value, dict) and data.keys() != value.keys():
                return False
            return self.holds(reader(self.kind)(data))
        except (TypeError, ValueError, RecursionError, Misfit):
            return False


def problems(given: object, *, importing: bool = True) -> Iterator[Error]:
    """What is wrong in this value of BENCHSUITE; without importing what its paths name, if told."""
    if not isinstance(given, dict):
        hint = "Write BENCHSUITE = {...}; docs/settings.md lists its keys."
        sentence = f"BENCHSUITE is {short(repr(given), SHOWN)}, not a dict."
        yield Error(sentence, hint=hint, id="benchsuite.E001")
        return
    for name in sorted(given, key=str):
        if (key := KEYS.get(name)) is None:
            hint = capfirst(choices(str(name), sorted(KEYS)))
            yield Error(f"BENCHSUITE has no key {name!r}.", hint=hint, id=UNKNOWN)
        elif not key.is_right(given[name]):
            value = short(repr(given[name]), SHOWN)
            sentence = f"BENCHSUITE[{name!r}] is {value}, not {key.wanted}."
            yield Error(sentence, hint=key.hint, id=key.id)
        elif importing:
            for fault in key.faults(given[name]):
                yield Error(f"BENCHSUITE[{name!r}]{fault}.", hint=key.hint, id=key.id)


def fault_of(path: str, base: str) -> str:
    """Why this is not the dotted path of a whole subclass; empty where it is."""
    imported, fault = _imported(path)
    wanted = import_string(base)
    if fault:
        return fault
    if not (isinstance(imported, type) and issubclass(imported, wanted)):
        return f"{path!r} is no subclass of {base}"
    is_named = "name" not in wanted.__annotations__ or hasattr(imported, "name")
    lacks = [*sorted(getattr(imported, "__abstractmethods__", ())), *["name"] * (not is_named)]
    return f"{path!r} has no {' and no '.join(lacks)}" if lacks else ""


def _imported(path: str) -> tuple[Any, str]:
    """What a dotted path names, or why that can't be had."""
    try:
        return import_string(path), ""
    except ImportError as error:
        reason = str(error)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a project's own module
        reason = last_line(error)
    return None, f"{path!r} can't be imported ({' '.join(reason.split())})"


def _function(path: str) -> Iterator[str]:
    imported, fault = _imported(path)
    if fault or not callable(imported):
        yield f": {fault or f'{path!r} is not a function'}"


def _module(name: str | None) -> Iterator[str]:
    try:
        if name is None or find_spec(name) is not None:
            return
        reason = ""
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the packages it lies in are imported
        reason = f" ({' '.join(last_line(error).split())})"
    yield f": there is no module {name!r}{reason}"


def _names_no_database(value: dict[str, Any]) -> bool:
    """The databases of the measured server are the run's."""
    from benchsuite.core.specs.database import names_one

    return not any(names_one(name, part) for name, part in value.items())


def _is_address(value: str) -> bool:
    parts = urlsplit(value)
    return bool(parts.hostname) and parts.scheme in ("http", "https") and value.endswith("/")


def _studies(value: Sequence[str | Path]) -> Iterator[str]:
    if missing := [str(path) for path in value if not os.path.exists(path)]:
        yield from (f": {path!r} is not there" for path in missing)
        return
    from benchsuite.studies import reading

    try:
        reading.studies([Path(path) for path in value])
    except UsageError as error:
        yield f": {str(error).rstrip('.')}"


def _are_margins(value: dict[str, float]) -> bool:
    from benchsuite.core.metrics.every import compared

    figures = ("all", *compared())
    return all(name in figures and 0 <= percent < 100 for name, percent in value.items())


def _classes(id: str, what: str, base: str) -> Key:
    """Names → dotted paths of subclasses of its base in benchsuite, added to the built-in ones."""
    base = f"benchsuite.{base}"

    return Key(
        id=id,
        default={},
        wanted=f"a dict of names and dotted paths of {what}",
        hint='Write {"name": "package.module.Class"}, names without blanks and commas; '
        "docs/extending.md shows how a class is written.",
        kind=dict[str, str],
        base=base,
        holds=lambda value: all(
            name and "." in path and not any(sign.isspace() or sign == "," for sign in name)
            for name, path in value.items()
        ),
        faults=lambda value: (
            f"[{name!r}]: {fault}"
            for name, path in value.items()
            if (fault := fault_of(path, base))
        ),
    )


KEYS: dict[Any, Key] = {
    "SERVERS": _classes("benchsuite.E003", "server adapters", "servers.base.ServerAdapter"),
    "FRONTS": _classes("benchsuite.E007", "fronts", "fronts.base.FrontAdapter"),
    "WORKLOADS": _classes("benchsuite.E004", "workloads", "workloads.base.Workload"),
    "SERVICES": _classes("benchsuite.E012", "services", "services.base.Service"),
    "TELEMETRY": _classes("benchsuite.E013", "telemetry devices", "telemetry.base.Device"),
    "STUDIES": Key(
        id="benchsuite.E014",
        default=[],
        wanted="a list of paths of files and folders",
        hint='Write [BASE_DIR / "studies"]: files NAME.toml, or folders of them; docs/studies.md '
        "shows how a study is written.",
        kind=list[str],
        path=True,
        holds=lambda value: all(map(_is_text, value)),
        faults=_studies,
    ),
    "TARGET_SETTINGS": Key(
        id="benchsuite.E006",
        wanted="the name of a settings module",
        hint="Name the settings module the measured server starts from, or leave the key out.",
        faults=_module,
    ),
    "PROJECT": Key(
        id="benchsuite.E015",
        wanted=f"the name of a project, a line of at most {LONGEST_NAME} characters",
        hint="Name the project where several share the database of results, or leave the key out.",
        holds=lambda value: (
            _is_text(value) and len(value or "") <= LONGEST_NAME and (value or "").isprintable()
        ),
    ),
    "ACCESS": Key(
        id="benchsuite.E005",
        default="benchsuite.views.access.staff",
        wanted="the dotted path of a function",
        hint="It is called with the request and answers whether the pages are shown.",
        kind=str,
        holds=lambda value: "." in value,
        faults=_function,
    ),
    "CONSOLE_URL": Key(
        id="benchsuite.E009",
        default="http://127.0.0.1:8000/results/",
        wanted="the address of a page with a slash at its end",
        hint='Write it whole: "http://127.0.0.1:8000/results/".',
        kind=str,
        holds=_is_address,
    ),
    "CACHE": Key(
        id="benchsuite.E010",
        wanted="the path of a folder",
        hint="Name a folder in which environments may be kept, or leave the key out.",
        path=True,
    ),
    "MARGINS_PERCENT": Key(
        id="benchsuite.E011",
        default={},
        wanted="a dict of figures and percentages from 0 to below 100",
        hint='Write {"memory": 2}: "all", or a figure that comparebench --help lists.',
        kind=dict[str, float],
        holds=_are_margins,
    ),
    "TARGETS": Key(
        id="benchsuite.E016",
        default={},
        wanted="a dict of hosts and the most requests a second that each may be asked",
        hint='Write {"staging.example.org": 50}: hosts as --target names them, without port, and '
        "numbers above 0.",
        kind=dict[str, float],
        holds=lambda value: all(
            host == host.lower() and not set(host) & set("/@ ") and most > 0
            for host, most in value.items()
        ),
    ),
    "PLACE": Key(
        id="benchsuite.E017",
        default={},
        wanted=f"a dict of places, by the names of their options: {', '.join(PLACES)}",
        hint='Write {"agent": "10.0.0.1:5558", "key-file": BASE_DIR / "bench.key"}, or '
        '"load-hosts" with "listen", "key-file" and "bind".',
        kind=dict[str, str | int],
        path=True,
        holds=lambda value: value.keys() <= set(PLACES),
    ),
    "OVERRIDES": Key(
        id="benchsuite.E008",
        default={},
        wanted="a dict of names and values that JSON can hold, none of which names a database",
        hint='Write {"NAME": value}: a path as text, no object of a class.',
        kind=dict[str, Any],
        holds=_names_no_database,
    ),
}
"""docs/settings.md says what each is for."""


@cache
def config() -> dict[str, Any]:
    """The settings in force; raises UsageError for what is of a wrong type."""
    given = getattr(settings, "BENCHSUITE", {})
    _refuse(error for error in problems(given, importing=False) if error.id != UNKNOWN)
    return {**{name: key.default for name, key in KEYS.items()}, **given}


def check() -> None:
    """Raises UsageError for whatever `manage.py check` would find in the setting."""
    _refuse(problems(getattr(settings, "BENCHSUITE", {})))


def _refuse(faults: Iterable[Error]) -> None:
    if sentences := [f"{fault.msg} {fault.hint}" for fault in faults]:
        raise UsageError("\n".join(sentences))


@receiver(setting_changed, dispatch_uid="benchsuite.conf")
def _forget(*, setting: str, **_: object) -> None:
    if setting == "BENCHSUITE":
        config.cache_clear()


def cache_folder() -> Path:
    """Where built environments are kept."""
    from benchsuite.system import folders

    return folders.cache_folder(config()["CACHE"])


def page(*parts: object, **query: object) -> str:
    """The address of a page of results, for people who read a terminal or a file."""
    path = "".join(f"{part}/" for part in parts)
    return f"{config()['CONSOLE_URL']}{path}{'?' * bool(query)}{urlencode(query)}"


def margins() -> dict[str, float]:
    """MARGINS_PERCENT, as ratios and shares."""
    return {name: percent / 100 for name, percent in config()["MARGINS_PERCENT"].items()}


def paths(key: str) -> dict[str, str]:
    """Dotted paths by name, built-in ones first: of SERVERS, FRONTS, WORKLOADS or SERVICES."""
    from benchsuite import fronts, servers, services, workloads
    from benchsuite.servers import heritage, peers

    builtin = {
        "SERVERS": {**servers.BUILTIN, **peers.PEERS, **heritage.BUILTIN},
        "FRONTS": fronts.BUILTIN,
        "WORKLOADS": workloads.BUILTIN,
        "SERVICES": services.BUILTIN,
    }
    return {**builtin[key], **config()[key]}


def servers() -> dict[str, type["ServerAdapter"]]:
    """All server adapters by name; raises UsageError for one that can't be used."""
    return {name: server_class(name) for name in paths("SERVERS")}


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


def _class(key: str, name: str) -> Any:
    what, known = key.lower().removesuffix("s"), paths(key)
    if name not in known:
        raise UsageError(
            f"There is no {what} {name!r}; {choices(name, known, seen_by='listbench')}"
        )
    if fault := fault_of(known[name], KEYS[key].base):
        raise UsageError(f"The {what} {name!r} can't be used: {fault}.")
    return import_string(known[name])


def server_class(name: str) -> type["ServerAdapter"]:
    """The adapter of that name or address; raises UsageError with the names, as those below."""
    from benchsuite.servers import running

    if running.is_address(name):
        return running.at(name)
    return cast("type[ServerAdapter]", _class("SERVERS", name))


front_class: Callable[[str], type["FrontAdapter"]] = partial(_class, "FRONTS")
workload_class: Callable[[str], type["Workload"]] = partial(_class, "WORKLOADS")
service_class: Callable[[str], type["Service"]] = partial(_class, "SERVICES")


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
