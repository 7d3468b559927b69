"""Which project settings are changed for a run, each change with its words: a pure function."""

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from django.conf import global_settings

from benchsuite.core.plain import leaves
from benchsuite.isolation.instructions import ANSWERING, Instructions
from benchsuite.isolation.overrides.brokers import change_layers
from benchsuite.isolation.overrides.changes import FILES, Changes, Settings, change
from benchsuite.isolation.overrides.connecting import change_databases
from benchsuite.isolation.overrides.files import change_static
from benchsuite.isolation.overrides.inherited import Replaced
from benchsuite.isolation.overrides.rules import RULES

TARGET_APP = "benchsuite.target"
TARGET_CONFIG = "benchsuite.target.apps.TargetConfig"
WSGI = "benchsuite.isolation.wsgi.application"
ASGI = "benchsuite.isolation.asgi.application"
URLCONF = "benchsuite.isolation.urls"
DIAGNOSED = "benchsuite.isolation.served.diagnosing.diagnosed"
LOOPBACK = ("127.0.0.1", "localhost")

ERRORS_ONLY = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler", "level": "ERROR"}},
    "loggers": {"django.request": {"handlers": ["stderr"]}, "django.server": {"level": "WARNING"}},
}
"""LOGGING for projects without it: tracebacks of views, no access log."""
_HTTPS_ONLY = ("SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE")
_ADDRESSES = frozenset(("URL", "URI", "COOKIE", "PREFIX", "ROUTE", "ENDPOINT"))
"""Words in names of settings that hold what browsers request."""
_COOKIE_DOMAINS = ("SESSION_COOKIE_DOMAIN", "CSRF_COOKIE_DOMAIN", "LANGUAGE_COOKIE_DOMAIN")


def overridden(settings: Settings, instructions: Instructions) -> Changes:
    """The settings that replace the project's own, with the change in words; nothing is modified.
    Raises UsageError for what the project's database can't do.
    """
    changes = Changes(settings, instructions.folder)
    change_databases(changes, instructions)
    change_layers(changes, instructions)
    if settings.get("DEBUG"):
        changes.put("DEBUG", False, "False (was True)")
    if instructions.secret_key:  # a project may draw its own anew at each start
        changes.values["SECRET_KEY"] = instructions.secret_key
    host = instructions.host
    name = host if host.endswith("]") else host.rpartition(":")[0] or host  # without its port
    hosts = list(settings.get("ALLOWED_HOSTS") or [])
    wanted = dict.fromkeys(host for host in (*LOOPBACK, name) if host)
    missing = [host for host in wanted if host not in hosts and "*" not in hosts]
    if missing:
        changes.put("ALLOWED_HOSTS", [*hosts, *missing], f"{' and '.join(missing)} added")
    for name in _HTTPS_ONLY:  # the load must get pages and keep its cookies
        if settings.get(name):
            changes.put(name, False, "False (was True): the load speaks plain HTTP")
    if settings.get("PREPEND_WWW"):
        changes.put("PREPEND_WWW", False, "False (was True): the load speaks to 127.0.0.1")
    for name in _COOKIE_DOMAINS:
        if domain := settings.get(name):
            changes.put(name, None, f"None (was {domain}): the load speaks to 127.0.0.1")
    for rule in RULES:
        change(changes, instructions, rule)
    change_static(changes, instructions)
    change_followers(changes, instructions)
    if not settings.get("LOGGING"):
        # With DEBUG off Django by default logs no errors, and the run must show them.
        changes.put("LOGGING", ERRORS_ONLY, "errors of views go to the server's log")
    _callables(changes, instructions)
    if instructions.diagnoses:
        before = changes.now("MIDDLEWARE") or []
        changes.put("MIDDLEWARE", [DIAGNOSED, *before], f"{DIAGNOSED} put before the others")
    if instructions.needs_target_app:
        apps = list(settings.get("INSTALLED_APPS") or [])
        if TARGET_APP not in apps and TARGET_CONFIG not in apps:
            changes.put("INSTALLED_APPS", [*apps, TARGET_APP], f"{TARGET_APP} added")
        if instructions.mounts_target:
            root = settings.get("ROOT_URLCONF")
            changes.put("ROOT_URLCONF", URLCONF, f"/bench/ put before the URLs of {root}")
    folder = changes.folder(FILES, "") if instructions.overrides else ""
    for name, value in instructions.overrides.items():  # the user's own, which replaces any other
        top, *keys = name.split(".")
        own = leaves(value, lambda text: text.replace("{folder}", folder))
        new = _put(changes.now(top), keys, own)
        changes.put(top, new, f"{name} as --setting or OVERRIDES says")
    return changes


def change_followers(changes: Changes, instructions: Instructions) -> None:
    """The project's own settings that name what a run replaces, such as a place below MEDIA_ROOT. A
    string may be a URL that looks like a path: in containers /media is often both.
    """
    replaced = Replaced(changes, instructions).text
    moved: list[str] = []  # texts: to compare others would evaluate lazy ones

    def follow(text: str) -> str:
        new = replaced(text) if "://" in text or not is_address else text
        moved.extend([text] * (new != text))
        return new

    for name, value in changes.settings.items():
        if name in changes.values or hasattr(global_settings, name):
            continue
        moved.clear()
        is_path = issubclass(type(value), PurePath)
        is_address = not (is_path or _ADDRESSES.isdisjoint(name.split("_")))
        new = leaves(value, follow)
        if moved:
            changes.put(name, new, "follows what the run replaces")


def _callables(changes: Changes, instructions: Instructions) -> None:
    """The wrappers read the originals from BENCHSUITE_ORIGINAL, or what is served instead."""
    original = {name: changes.settings.get(name) for name in ANSWERING}
    if instructions.application:
        dotted = instructions.application.replace(":", ".")
        original |= {"WSGI_APPLICATION": dotted, "ASGI_APPLICATION": dotted}
    changes.values["BENCHSUITE_ORIGINAL"] = original
    wraps: Callable[[str], str] = "wraps {}, adds the header of the run".format
    changes.put("WSGI_APPLICATION", WSGI, wraps(original["WSGI_APPLICATION"] or "the project's"))
    sockets = ", puts /bench/ws/ before it" if instructions.needs_target_app else ""
    asgi = wraps(original["ASGI_APPLICATION"] or "the project's")
    changes.put("ASGI_APPLICATION", ASGI, f"{asgi}{sockets}")


def _put(value: Any, keys: list[str], wanted: Any) -> Any:
    if not keys:
        return wanted
    entries = dict(value) if isinstance(value, Mapping) else {}
    return {**entries, keys[0]: _put(entries.get(keys[0]), keys[1:], wanted)}
