"""Which project settings are changed for a run, each change with its words: a pure function. What a
project would write elsewhere is one table, `RULES`: redirected to the run's folder, or nowhere.
"""

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

import django
from django.conf import global_settings
from django.utils.module_loading import import_string

from benchsuite.core.plain import leaves
from benchsuite.isolation.instructions import ANSWERING, Instructions
from benchsuite.isolation.overrides import brokers, files
from benchsuite.isolation.overrides.changes import (
    EMPTY,
    FILES,
    MISSING,
    Changes,
    Found,
    Rule,
    Settings,
    change,
    like,
)
from benchsuite.isolation.overrides.connecting import change_databases
from benchsuite.isolation.overrides.inherited import Replaced

MAIL_SINK = "benchsuite.isolation.overrides.backends.EmailBackend"
SIMPLE_SEARCH = "haystack.backends.simple_backend.SimpleEngine"
DATABASE_SEARCH = "wagtail.search.backends.database"
REDIS_FACTORY = "django_redis.pool.ConnectionFactory"  #: Of a server without Sentinels.
Q_BROKERS = ("redis", "django_redis", "disque_nodes", "iron_mq", "sqs", "mongo", "broker_class")
CELERY = ("CELERY_BROKER_URL", "BROKER_URL", "CELERY_BROKER_READ_URL", "CELERY_BROKER_WRITE_URL")
KNOWS_MAILERS = django.VERSION >= (6, 1)


def _a(value: Any, *, unless: str = "", always: bool = False) -> Callable[[Found], Any]:
    """The value where the project has the setting, or that of `unless`, or always."""

    def becomes(setting: Found) -> Any:
        is_meant = unless in setting.settings if unless else setting.value is not MISSING
        return value if always or is_meant else setting.value

    return becomes


def _uploading(setting: Found) -> Any:
    """A folder of the run where the project sets one."""
    if setting.value is MISSING or not setting.value:
        return setting.value
    return like(setting.value, setting.folder(EMPTY, "uploading"))


def _mail(setting: Found) -> Any:
    """Django 6.1 refuses EMAIL_BACKEND beside MAILERS; older versions ignore MAILERS."""
    return setting.value if KNOWS_MAILERS and "MAILERS" in setting.settings else MAIL_SINK


def _search(setting: Found) -> Any:
    """Haystack: an index in files stays in files; one on a server is replaced."""
    if setting.value.get("ENGINE") == SIMPLE_SEARCH:
        return setting.value
    if "PATH" in setting.value:
        return {**setting.value, "PATH": setting.folder(FILES, "search", setting.value["PATH"])}
    return {"ENGINE": SIMPLE_SEARCH}


def _only(backend: str) -> Callable[[Found], Any]:
    """An entry of this backend, where it is of another one."""

    def becomes(setting: Found) -> Any:
        ours = str(setting.value.get("BACKEND", "")).startswith(backend)
        return setting.value if ours else {"BACKEND": backend}

    return becomes


def _constance(setting: Found) -> Any:
    """The default is Redis."""
    backend = "redis" if setting.value is MISSING else str(setting.value)
    if "CONSTANCE_CONFIG" not in setting.settings or "redis" not in backend:
        return setting.value
    return "constance.backends.memory.MemoryBackend"


def _log_file(setting: Found) -> Any:
    if not isinstance(setting.value, Mapping) or "filename" not in setting.value:
        return setting.value
    place = f"{setting.changes.folder(EMPTY, 'logs')}/{setting.safe}.log"
    return brokers.merged({"filename": place})(setting)


def _log_sender(setting: Found) -> Any:
    """A sender has one of the places; of others only Python's and Django's, and those that are told
    a file or stream, are known to send nothing.
    """
    places, local = ("mailhost", "host", "address", "url"), ("filename", "stream")
    if not isinstance(setting.value, Mapping):
        return setting.value
    keys, kind = setting.value.keys(), str(setting.value.get("class"))
    if keys.isdisjoint(places) and (kind.startswith(("logging.", "django.")) or keys & local):
        # mail to the admins goes where all mail goes
        return brokers.merged({}, without=("email_backend",))(setting)
    return brokers.merged({"class": "logging.NullHandler"}, only=("level", "filters"))(setting)


_OF_Q = brokers.merged({"orm": "default"}, without=Q_BROKERS)
_OF_HUEY = ("name", "immediate", "results")
_HUEY = brokers.merged({"huey_class": "huey.MemoryHuey"}, only=_OF_HUEY)
_DRAMATIQ = brokers.merged({"BROKER": "dramatiq.brokers.stub.StubBroker", "OPTIONS": {}})


def _huey(setting: Found) -> Any:
    """A dictionary or an instance; the default is Redis."""
    huey, apps = setting.value, setting.settings.get("INSTALLED_APPS") or ()
    if isinstance(huey, Mapping) or "huey.contrib.djhuey" not in apps:
        return _HUEY(setting)
    kept = {name: getattr(huey, name) for name in _OF_HUEY if hasattr(huey, name)}
    memory = "huey.MemoryHuey"  # of an instance, methods may be used
    return import_string(memory)(**kept) if kept else {"huey_class": memory}


RULES = (
    # A name may be a path ("*" is any key); they apply in order.
    Rule("EMAIL_BACKEND", _mail, "mails are counted and thrown away"),
    Rule("MAILERS.*", _only(MAIL_SINK), "mails are counted and thrown away"),
    Rule("MEDIA_ROOT", files.media, "uploads go to the run's folder"),
    Rule("STATIC_ROOT", files.static, "a copy in the run's folder"),
    Rule("STORAGES.*", files.storage, "files in the run's folder"),
    Rule("FILE_UPLOAD_TEMP_DIR", _uploading, "in the run's folder"),
    Rule("SESSION_FILE_PATH", files.sessions, "in the run's folder"),
    Rule("CACHES.*", brokers.cache, "a Redis of the run's own, or files in its folder"),
    Rule("DJANGO_REDIS_CONNECTION_FACTORY", _a(REDIS_FACTORY), "the run has a single Redis"),
    Rule("TASKS.*", brokers.tasks, "tasks are thrown away"),
    *(Rule(name, _a("memory://"), "tasks stay in memory; nobody takes them") for name in CELERY),
    Rule("CELERY_RESULT_BACKEND", brokers.results, "results stay in memory"),
    Rule("Q_CLUSTER", _OF_Q, "tasks go to the default database; nobody takes them"),
    Rule("HUEY", _huey, "tasks stay in memory; nobody takes them"),
    Rule("DRAMATIQ_BROKER", _DRAMATIQ, "tasks stay in memory; nobody takes them"),
    Rule("DRAMATIQ_RESULT_BACKEND", brokers.dramatiq_results, "results stay in memory"),
    Rule("RQ_QUEUES.*", brokers.rq, "a Redis of the run's own; nobody takes the jobs"),
    Rule("HAYSTACK_CONNECTIONS.*", _search, "an index of the run's own"),
    Rule("WAGTAILSEARCH_BACKENDS.*", _only(DATABASE_SEARCH), "searched in the database"),
    Rule("ELASTICSEARCH_DSL_AUTOSYNC", _a(False, unless="ELASTICSEARCH_DSL"), "nothing is indexed"),
    Rule("OPENSEARCH_DSL_AUTOSYNC", _a(False, unless="OPENSEARCH_DSL"), "nothing is indexed"),
    Rule("ALGOLIA.AUTO_INDEXING", _a(False, always=True), "nothing is indexed"),
    Rule("CONSTANCE_BACKEND", _constance, "values are kept in memory"),
    Rule("LOGGING.handlers.*", _log_file, "a file in the run's folder"),
    Rule("LOGGING.handlers.*", _log_sender, "sends nothing"),
)


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
    given = instructions.overrides
    settings = {**settings, **{name: given[name] for name in ANSWERING if name in given}}
    changes = Changes(settings, instructions.folder)
    change_databases(changes, instructions)
    brokers.change_layers(changes, instructions)
    if settings.get("DEBUG"):
        changes.put("DEBUG", False, "False (was True)")
    if instructions.secret_key:  # a project may draw its own anew at each start
        changes.values["SECRET_KEY"] = instructions.secret_key
    host = instructions.host
    name = host if host.endswith("]") else host.rpartition(":")[0] or host  # without its port
    hosts = list(settings.get("ALLOWED_HOSTS") or [])
    wanted = dict.fromkeys(host for host in (*LOOPBACK, name) if host)
    if missing := [host for host in wanted if host not in hosts and "*" not in hosts]:
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
    files.change_static(changes, instructions)
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
    folder = changes.folder(FILES, "") if given else ""
    for name, value in given.items():  # the user's own, which replaces any other
        if name in ANSWERING and name in changes.values:  # wrapped, as the project's own is
            continue
        top, *keys = name.split(".")
        own = leaves(value, lambda text: text.replace("{folder}", folder))
        new = _put(changes.now(top), keys, own)
        changes.put(top, new, f"{name} as --setting or OVERRIDES says")
    return changes


def change_followers(changes: Changes, instructions: Instructions) -> None:
    """The project's own settings that name what a run replaces, such as a place below MEDIA_ROOT. A
    string may be a URL that looks like a path: in containers /media is often both.
    """
    replaced = Replaced(changes, instructions)
    moved: list[str] = []  # texts: to compare others would evaluate lazy ones

    def follow(text: str) -> str:
        new = replaced.text(text) if "://" in text or not is_address else text
        moved.extend([text] * (new != text))
        return new

    def pair(entry: dict[Any, Any]) -> dict[Any, Any]:
        new = replaced.pair(entry)
        moved.extend(["host"] * (new is not entry))
        return new

    for name, value in changes.settings.items():
        if name in changes.values or hasattr(global_settings, name):
            continue
        moved.clear()
        is_path = issubclass(type(value), PurePath)
        is_address = not (is_path or _ADDRESSES.isdisjoint(name.split("_")))
        new = leaves(value, follow, pair)
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
