"""What the parent orders of the keeper, and must know of a project that only this has loaded."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from benchsuite.core.specs import DatabaseSpec, Option, WorkloadSpec
from benchsuite.core.specs.database import PORTS, vendor_of
from benchsuite.core.specs.spec import Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(Spec):
    """Which databases the keeper makes."""

    workload_path: str
    workload: WorkloadSpec
    database: DatabaseSpec
    login: str = ""  #: The user in whose session all ask.
    rights: str = ""  #: What he must be ("staff").
    left: tuple[str, ...] | None = None  #: Tokens of another keeper's clones, to be dropped.


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts(Spec):
    """Sent to the parent as JSON."""

    database_address: tuple[str, int] | None = None
    """Host and port of the default database; None for a file, a Unix socket, several or none."""
    revision: str = ""  #: The state of its repository; empty where it has none.
    wants_redis: bool = False  #: Whether its caches or queues are kept in Redis.
    memory_layers: tuple[str, ...] = ()  #: The channel layers that stay within a process.
    slowing: Mapping[str, str] = field(default_factory=dict)  #: Setting → what slows requests down.
    undone: Mapping[str, str] = field(default_factory=dict)  #: Setting → what would with DEBUG.
    cookies: Mapping[str, str] = field(default_factory=dict)  #: What every user sends.
    copied: str = ""  #: How much of the project's own data a run has, in words; empty for none.
    empty: bool = False  #: Whether no table has a row, but those that have one after `migrate`.
    signed_in: str = ""  #: In whose session every user asks, in words; empty for nobody's.
    options: Mapping[str, Option] = field(default_factory=dict)  #: Of the workload, by `prepare()`.

    def workload(self, spec: WorkloadSpec) -> WorkloadSpec:
        """The workload with the options that `prepare()` added, for the load."""
        return replace(spec, options={**spec.options, **self.options})


@dataclass(frozen=True, slots=True)
class Rows:
    """How many rows each table of a run's databases had; `BESIDE_ROWS` are counted like tables."""

    of: Mapping[str, int] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()  #: Of those asked for, those that lost rows counted first.


def database_address(entry: Mapping[str, Any] | None) -> tuple[str, int] | None:
    """TCP address of a DATABASES entry; None where it has none, or several to choose from."""
    kind = vendor_of(entry or {})
    host, port = (str((entry or {}).get(key) or "") for key in ("HOST", "PORT"))
    by_socket = not host or host.startswith("/") or (kind == "mysql" and host == "localhost")
    if kind not in PORTS or by_socket or "," in host + port:
        return None
    return host, int(port or PORTS[kind])


TOOLS = {
    "debug_toolbar": "Django Debug Toolbar",
    "silk": "Silk",
    "pyinstrument": "pyinstrument",
    "kolo": "Kolo",
    "nplusone": "nplusone",
    "querycount": "django-querycount",
}
"""Top-level packages that record or show what each request does."""
ENGINE = "django.template.backends.django.DjangoTemplates"
CACHED = "django.template.loaders.cached.Loader"
SQL_LOGGERS = ("django.db.backends", "django.db")


def slowing(settings: Mapping[str, Any]) -> dict[str, str]:
    """Setting → what in it slows each request down."""
    reasons = {}
    for name in ("MIDDLEWARE", "INSTALLED_APPS"):
        packages = (str(path).partition(".")[0] for path in settings.get(name) or ())
        tools = list(dict.fromkeys(TOOLS[package] for package in packages if package in TOOLS))
        if tools:
            reasons[name] = f"{' and '.join(tools)} {'is' if len(tools) == 1 else 'are'} installed"
    for engine in settings.get("TEMPLATES") or ():
        # Django keeps compiled templates unless loaders are named and that which keeps them is not.
        loaders = (engine.get("OPTIONS") or {}).get("loaders") or ()
        names = [loader if isinstance(loader, str) else loader[0] for loader in loaders]
        if engine.get("BACKEND") == ENGINE and names and CACHED not in names:
            reasons["TEMPLATES"] = f"loaders without {CACHED} compile templates for each page"
    return reasons


def undone(settings: Mapping[str, Any]) -> dict[str, str]:
    """Setting → what would slow requests down if runs did not turn DEBUG off."""
    if not settings.get("DEBUG"):
        return {}
    reasons = {"DEBUG": "was True, so that every SQL statement is kept in memory"}
    # Django logs SQL at DEBUG, to `django.db.backends`, and only while DEBUG is True.
    loggers = (settings.get("LOGGING") or {}).get("loggers") or {}
    if any((loggers.get(name) or {}).get("level") == "DEBUG" for name in SQL_LOGGERS):
        reasons["LOGGING"] = "wrote every SQL statement to the log"
    return reasons
