"""Which settings of the project are changed for a run: a pure function; every change has words."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchsuite.isolation.plan import Plan

Settings = Mapping[str, Any]

TARGET_APP = "benchsuite.target"
TARGET_CONFIG = "benchsuite.target.apps.TargetConfig"
WSGI = "benchsuite.isolation.wsgi.application"
ASGI = "benchsuite.isolation.asgi.application"
URLCONF = "benchsuite.isolation.urls"
MAIL_SINK = "django.core.mail.backends.dummy.EmailBackend"
FILE_CACHE = "django.core.cache.backends.filebased.FileBasedCache"
LOOPBACK = ("127.0.0.1", "localhost")

PLACE = ("ENGINE", "NAME", "USER", "PASSWORD", "HOST", "PORT")
"""The keys of a DATABASES entry that say where it is."""

ERRORS_ONLY = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "loggers": {
        "django.request": {"handlers": ["stderr"], "level": "ERROR"},
        "django.server": {"level": "WARNING"},
    },
}
"""LOGGING where the project has none: tracebacks of views, and no line for each request."""

_HTTPS_ONLY = ("SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE")
_COOKIE_DOMAINS = ("SESSION_COOKIE_DOMAIN", "CSRF_COOKIE_DOMAIN", "LANGUAGE_COOKIE_DOMAIN")


class _Changes:
    """Collects new values and why they are new."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.values: dict[str, Any] = {}
        self.words: dict[str, str] = {}

    def put(self, name: str, value: Any, words: str) -> None:
        self.values[name] = value
        self.words[name] = words


def overridden(settings: Settings, plan: Plan) -> tuple[dict[str, Any], dict[str, str]]:
    """The settings to put over the project's own, and for each its change in words.

    Nothing of `settings` is modified, nested values included.
    """
    changes = _Changes(settings)
    _databases(changes, plan)
    _debug(changes)
    _hosts(changes)
    _https(changes)
    _mail(changes)
    _caches(changes, plan)
    _uploads(changes, plan)
    _logging(changes)
    _callables(changes)
    if plan.needs_target_app:
        _target_app(changes, plan)
    return changes.values, changes.words


def _databases(changes: _Changes, plan: Plan) -> None:
    """Each alias gets its throw-away database; a mirror gets all of the place it mirrors."""
    if not plan.databases and not plan.database_url and plan.database_address is None:
        return
    databases = {alias: dict(entry) for alias, entry in _entries(changes.settings).items()}
    if plan.database_url:
        default = databases.get("default", {})
        databases["default"] = moved(default, plan.database_url)
    for alias, name in plan.databases.items():
        databases[alias]["NAME"] = name
    for alias, other in plan.mirrors.items():
        source = databases[other]
        place = {key: source[key] for key in PLACE if key in source}
        kept = {key: value for key, value in databases[alias].items() if key not in PLACE}
        databases[alias] = {**kept, **place}
        if "OPTIONS" in source or "OPTIONS" in kept:
            databases[alias]["OPTIONS"] = source.get("OPTIONS", {})
    parts = []
    if plan.databases:
        parts.append(f"throw-away: {', '.join(sorted(plan.databases))}")
    if plan.mirrors:
        parts.append(
            "; ".join(f"{one} shares that of {other}" for one, other in plan.mirrors.items())
        )
    if plan.database_url:
        parts.append("default on the server of --database")
    if plan.database_address is not None:
        _put_between(databases, plan.database_address)
        parts.append("default is reached late, through {}:{}".format(*plan.database_address))
    changes.put("DATABASES", databases, "; ".join(parts))


def _put_between(databases: dict[str, dict[str, Any]], address: tuple[str, int]) -> None:
    """Whatever is on the default database's server is reached through another address."""
    default = databases["default"]
    there = [default.get(key) for key in ("ENGINE", "HOST", "PORT")]
    for entry in databases.values():
        if [entry.get(key) for key in ("ENGINE", "HOST", "PORT")] == there:
            entry["HOST"], entry["PORT"] = address


def _entries(settings: Settings) -> Mapping[str, Mapping[str, Any]]:
    entries: Mapping[str, Mapping[str, Any]] = settings.get("DATABASES") or {}
    return entries


def moved(entry: Mapping[str, Any], url: str) -> dict[str, Any]:
    """A DATABASES entry on the server that the URL names; what is not about its place is kept."""
    import dj_database_url

    parsed: dict[str, Any] = dict(dj_database_url.parse(url))
    kept = {key: value for key, value in entry.items() if key not in PLACE}
    if entry.get("ENGINE") != parsed["ENGINE"]:
        kept.pop("OPTIONS", None)
    place = {key: parsed[key] for key in PLACE if key in parsed}
    options = {**kept.pop("OPTIONS", {}), **parsed.get("OPTIONS", {})}
    return {**kept, **place, **({"OPTIONS": options} if options else {})}


def _debug(changes: _Changes) -> None:
    if changes.settings.get("DEBUG"):
        changes.put("DEBUG", False, "False (was True)")


def _hosts(changes: _Changes) -> None:
    hosts = list(changes.settings.get("ALLOWED_HOSTS") or [])
    missing = [host for host in LOOPBACK if host not in hosts and "*" not in hosts]
    if missing:
        changes.put("ALLOWED_HOSTS", [*hosts, *missing], f"{' and '.join(missing)} added")


def _https(changes: _Changes) -> None:
    """The load speaks plain HTTP to 127.0.0.1: it must get pages and keep its cookies."""
    for name in _HTTPS_ONLY:
        if changes.settings.get(name):
            changes.put(name, False, "False (was True): the load speaks plain HTTP")
    for name in _COOKIE_DOMAINS:
        if domain := changes.settings.get(name):
            changes.put(name, None, f"None (was {domain}): the load speaks to 127.0.0.1")


def _mail(changes: _Changes) -> None:
    if changes.settings.get("EMAIL_BACKEND") != MAIL_SINK:
        changes.put("EMAIL_BACKEND", MAIL_SINK, "mail is thrown away")


def _caches(changes: _Changes, plan: Plan) -> None:
    """Keys of the run, files in the run's folder; a cache in memory needs neither."""
    caches: dict[str, dict[str, Any]] = {}
    changed = False
    for alias, entry in (changes.settings.get("CACHES") or {}).items():
        backend = str(entry.get("BACKEND", ""))
        caches[alias] = dict(entry)
        if backend.endswith((".LocMemCache", ".DummyCache")):
            continue
        changed = True
        prefix = f"bench_{plan.token}_{entry.get('KEY_PREFIX', '')}"
        caches[alias]["KEY_PREFIX"] = prefix
        if backend == FILE_CACHE:
            caches[alias]["LOCATION"] = str(Path(plan.folder) / f"cache_{alias}")
    if changed:
        changes.put("CACHES", caches, "keys carry a prefix of the run; files go to its folder")


def _uploads(changes: _Changes, plan: Plan) -> None:
    """A journey that uploads would leave files beside the project's own."""
    if plan.databases and changes.settings.get("MEDIA_ROOT"):
        folder = str(Path(plan.folder) / "media")
        changes.put("MEDIA_ROOT", folder, "uploads go to the run's folder")


def _logging(changes: _Changes) -> None:
    """With DEBUG off Django's own configuration tells nobody of an error, and the run must."""
    if not changes.settings.get("LOGGING"):
        changes.put("LOGGING", ERRORS_ONLY, "errors of views go to the server's log")


def _callables(changes: _Changes) -> None:
    """The originals stay readable in BENCHSUITE_ORIGINAL, for the wrappers to find."""
    names = ("WSGI_APPLICATION", "ASGI_APPLICATION", "ROOT_URLCONF")
    changes.values["BENCHSUITE_ORIGINAL"] = {name: changes.settings.get(name) for name in names}
    wraps: Callable[[str], str] = "wraps {}, adds the header of the run".format
    changes.put(
        "WSGI_APPLICATION", WSGI, wraps(changes.settings.get("WSGI_APPLICATION") or "Django's")
    )
    changes.put(
        "ASGI_APPLICATION", ASGI, wraps(changes.settings.get("ASGI_APPLICATION") or "Django's")
    )


def _target_app(changes: _Changes, plan: Plan) -> None:
    apps = list(changes.settings.get("INSTALLED_APPS") or [])
    if TARGET_APP not in apps and TARGET_CONFIG not in apps:
        changes.put("INSTALLED_APPS", [*apps, TARGET_APP], f"{TARGET_APP} added")
    if plan.mounts_target:
        root = changes.settings.get("ROOT_URLCONF")
        changes.put("ROOT_URLCONF", URLCONF, f"/bench/ put before the URLs of {root}")
