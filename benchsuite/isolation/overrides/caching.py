"""Gives a run its own cache in place of one that outlives the process.

A key prefix would not suffice: `cache.clear()` empties the whole server.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from benchsuite.isolation.overrides.changes import EMPTY
from benchsuite.isolation.overrides.found import Found

FILE_CACHE = "django.core.cache.backends.filebased.FileBasedCache"
IN_MEMORY = (".LocMemCache", ".DummyCache")
IN_DATABASE = ".DatabaseCache"
MOST_ENTRIES = 100_000  #: With Django's own 300 a file cache would be culling all the time.

_OF_A_PLACE = ("USERNAME", "PASSWORD", "SENTINEL", "SSL", "CONNECTION_FACTORY")
"""Prefixes of options that say where a server is or how clients sign in."""
_CLUSTERS = ("Sentinel", "Cluster", "Shard")
_KEPT = ("KEY_PREFIX", "KEY_FUNCTION", "TIMEOUT", "VERSION")


def of_redis(found: Found) -> Any:
    """Redis stays Redis if the run has one."""
    if not is_redis(found.value) or not found.instructions.redis_url:
        return found.value
    number = list(found.settings["CACHES"]).index(found.alias)
    entry = {**found.value, "LOCATION": numbered(found.instructions.redis_url, number)}
    if "OPTIONS" in entry:
        entry["OPTIONS"] = _without_place(entry["OPTIONS"])
    return entry


def in_folder(found: Found) -> Any:
    """A file cache, Django's or not, gets another folder."""
    backend, location = _told(found.value)
    in_files = backend == FILE_CACHE or location.startswith("/")
    if not in_files or "memcached" in backend.lower() or is_redis(found.value):
        return found.value
    place = found.changes.folder(EMPTY, found.named("cache"))
    return {**found.value, "LOCATION": place}


def shared(found: Found) -> Any:
    """A cache on another server becomes a file cache, which all processes still share."""
    backend, location = _told(found.value)
    if backend.endswith(IN_MEMORY) or backend == FILE_CACHE:
        return found.value
    if backend.endswith(IN_DATABASE):
        if not found.instructions.keeps_databases:
            return found.value
    elif is_redis(found.value):
        if found.instructions.redis_url:
            return found.value
    elif not location or (location.startswith("/") and "memcached" not in backend.lower()):
        return found.value
    kept = {key: found.value[key] for key in _KEPT if key in found.value}
    place = found.changes.folder(EMPTY, found.named("cache"))
    options = {"MAX_ENTRIES": MOST_ENTRIES}
    return {**kept, "BACKEND": FILE_CACHE, "LOCATION": place, "OPTIONS": options}


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
