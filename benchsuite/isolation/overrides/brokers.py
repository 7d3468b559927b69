"""Caches, channel layers and task queues of a run in place of the project's own. Key prefixes don't
suffice, as `cache.clear()` empties a server. Sending costs a page time, so tasks are sent: to
memory, or the run's own database or Redis.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any
from urllib.parse import quote, urlsplit

import django

from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.changes import EMPTY, MISSING, Changes, Found

FILE_CACHE = "django.core.cache.backends.filebased.FileBasedCache"
IN_MEMORY = (".LocMemCache", ".DummyCache")
IN_DATABASE = ".DatabaseCache"
MOST_ENTRIES = 100_000  #: With Django's own 300 a file cache would be culling all the time.
_OF_A_PLACE = ("USERNAME", "PASSWORD", "SENTINEL", "SSL", "SOCKET_KEEPALIVE", "CONNECTION_FACTORY")
"""Prefixes of options that say where a server is or how clients sign in."""
_CLUSTERS = ("Sentinel", "Cluster", "Shard")
_KEPT = ("KEY_PREFIX", "KEY_FUNCTION", "TIMEOUT", "VERSION")


def cache(setting: Found) -> Any:
    """Redis stays Redis if the run has one; a file cache, Django's or not, gets another folder. One
    on another server becomes a file cache, which all processes still share.
    """
    backend, location = _told(setting.value)
    if is_redis(setting.value):
        if url := setting.instructions.redis_url:
            number = list(setting.settings["CACHES"]).index(setting.alias)
            entry = {**setting.value, "LOCATION": numbered(url, number)}
            if "OPTIONS" in entry:
                entry["OPTIONS"] = _without_place(entry["OPTIONS"])
            return entry
    elif backend == FILE_CACHE or (location.startswith("/") and "memcached" not in backend.lower()):
        return {**setting.value, "LOCATION": setting.folder(EMPTY, "cache")}
    elif backend.endswith(IN_DATABASE):
        if not setting.instructions.keeps_databases:
            return setting.value
    elif not location or backend.endswith(IN_MEMORY):
        return setting.value
    new = {"BACKEND": FILE_CACHE, "LOCATION": setting.folder(EMPTY, "cache")}
    return merged({**new, "OPTIONS": {"MAX_ENTRIES": MOST_ENTRIES}}, only=_KEPT)(setting)


def is_redis(entry: Mapping[str, Any]) -> bool:
    backend, location = _told(entry)
    by_url = urlsplit(location).scheme in ("redis", "rediss", "valkey", "valkeys", "unix")
    named = any(word in backend.lower() for word in ("redis", "valkey"))
    return named or (by_url and "memcached" not in backend.lower())


def wants_redis(settings: Mapping[str, Any]) -> bool:
    """Whether a run of this project needs a Redis of its own."""
    caches: Mapping[str, Mapping[str, Any]] = settings.get("CACHES") or {}
    return bool(settings.get("RQ_QUEUES")) or any(is_redis(entry) for entry in caches.values())


def numbered(url: str, number: int) -> str:
    """The URL of another database of the same Redis."""
    if url.startswith("unix:"):
        return f"{url}{'&' if '?' in url else '?'}db={number}"
    return f"{url.rpartition('/')[0]}/{number}"


def _told(entry: Mapping[str, Any]) -> tuple[str, str]:
    location = entry.get("LOCATION") or ""
    if isinstance(location, (list, tuple)):
        location = location[0] if location else ""
    return str(entry.get("BACKEND", "")), str(location)


def _without_place(options: Mapping[str, Any]) -> dict[str, Any]:
    """A client's options without those about its old server."""
    return {
        key: _without_place(value) if isinstance(value, Mapping) else value
        for key, value in options.items()
        if not key.upper().startswith(_OF_A_PLACE)
        and not any(word in str(value) for word in _CLUSTERS)
        and key != "db"
    }


OF_REDIS = "channels_redis."
IN_MEMORY_LAYER = "channels.layers.InMemoryChannelLayer"
ITS_PREFIX = "asgi"  #: Default prefix of the keys of channels_redis.
TOKEN = 8  #: Characters of a run's token in its keys.


def change_layers(changes: Changes, instructions: Instructions) -> None:
    """The instructions' layer as the default one; what stays in Redis gets keys of the run."""
    given: Mapping[str, Mapping[str, Any]] = changes.settings.get("CHANNEL_LAYERS") or {}
    layers = {
        alias: _prefixed(entry, instructions)
        for alias, entry in given.items()
        if not (instructions.layer and alias == "default")
    }
    renamed = any(layers[alias] != given[alias] for alias in layers)
    words = ["keys carry a prefix of the run"] if renamed else []
    if instructions.layer:
        url = instructions.layer_url
        config = {"hosts": [{"address": url, **CLIENT}]} if url else {}
        entry = {"BACKEND": instructions.layer, "CONFIG": config}
        layers["default"] = _prefixed(entry, instructions)
        words = [f"default is {instructions.layer}", *words]
    if words:
        changes.put("CHANNEL_LAYERS", layers, "; ".join(words))


def in_memory(layers: Mapping[str, Mapping[str, Any]] | None) -> tuple[str, ...]:
    """Aliases of Channels' in-memory layers."""
    given = (layers or {}).items()
    return tuple(alias for alias, entry in given if entry.get("BACKEND") == IN_MEMORY_LAYER)


def _prefixed(entry: Mapping[str, Any], instructions: Instructions) -> dict[str, Any]:
    if not str(entry.get("BACKEND", "")).startswith(OF_REDIS):
        return dict(entry)
    config = dict(entry.get("CONFIG", {}))
    config["prefix"] = f"bench_{instructions.token[:TOKEN]}_{config.get('prefix', ITS_PREFIX)}"
    return {**entry, "CONFIG": config}


CLIENT = {"socket_timeout": None, "max_connections": 2**31}
"""Of redis-py before version 8: no read timeout, no limit of connections. With version 8's 5 s idle
WebSockets are cut off at random, and its 100 connections refuse the 101st WebSocket of a process.
"""


HAS_TASKS = django.VERSION >= (6, 0)  #: In older versions only the package django-tasks does.
DUMMY_TASKS = "django{}tasks.backends.dummy.DummyBackend"
LOCAL_TASKS = ("immediate.ImmediateBackend", "dummy.DummyBackend")
DATABASE_TASKS = ("django_tasks.backends.database.", "django_tasks_db.")
LOCAL_RESULTS = ("cache", "cache+memory", "memory", "disabled", "django-cache")


def tasks(setting: Found) -> Any:
    """A backend of `django.tasks` or the package django-tasks."""
    backend = str(setting.value.get("BACKEND", ""))
    in_database = backend.startswith(DATABASE_TASKS)
    if backend.endswith(LOCAL_TASKS) or (in_database and not setting.instructions.keeps_databases):
        return setting.value
    package = backend.startswith("django_tasks") or not HAS_TASKS
    dummy = DUMMY_TASKS.format("_" if package else ".")
    return merged({"BACKEND": dummy}, without=("OPTIONS",))(setting)


def results(setting: Found) -> Any:
    """Celery's results; those in Django's databases and caches are the run's own anyway."""
    kind = str(setting.value).partition(":")[0]  # "cache+memcached" is somebody's server
    if setting.value in (MISSING, None) or kind in LOCAL_RESULTS:
        return setting.value
    if setting.value == "django-db" and not setting.instructions.keeps_databases:
        return setting.value
    return "cache+memory://"


def merged(
    new: Mapping[str, Any], *, only: Collection[str] | None = None, without: Collection[str] = ()
) -> Callable[[Found], Any]:
    """Replaces entries of a dictionary, and leaves the others, or some of them."""

    def becomes(setting: Found) -> Any:
        if not isinstance(setting.value, Mapping):  # such as an instance, which can't be replaced
            return setting.value
        kept = setting.value.keys() - without if only is None else setting.value.keys() & only
        return {**{key: value for key, value in setting.value.items() if key in kept}, **new}

    return becomes


def dramatiq_results(setting: Found) -> Any:
    """Drops the options, which the in-memory backend does not take."""
    stub = {"BACKEND": "dramatiq.results.backends.stub.StubBackend", "BACKEND_OPTIONS": {}}
    return merged(stub)(setting) if setting.value else setting.value


def rq(setting: Found) -> Any:
    """RQ needs Redis; if the run has none, jobs can't be sent."""
    redis_url, folder = setting.instructions.redis_url, setting.instructions.folder
    url = numbered(redis_url, 0) if redis_url else f"unix://{quote(folder)}/no-redis"
    return merged({"URL": url}, only=("ASYNC", "DEFAULT_TIMEOUT", "DEFAULT_RESULT_TTL"))(setting)
