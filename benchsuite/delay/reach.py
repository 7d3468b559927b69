"""What a project's settings need from the network: a pure function."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

LOCAL_CACHES = (".LocMemCache", ".DummyCache", ".FileBasedCache", ".DatabaseCache")
LOCAL_LAYERS = (".InMemoryChannelLayer",)
LOCAL_STORAGES = (
    "django.core.files.storage.",
    "django.contrib.staticfiles.storage.",
    "benchsuite.isolation.overrides.storages.",
)


def cut_off(settings: Mapping[str, Any], carried: Collection[str] = ("default",)) -> list[str]:
    """Names what a server in a private network could not reach; `carried` are the aliases of the
    databases that are forwarded into it.

    Files and Unix sockets are the same everywhere. What views call is in no setting.
    """
    return [
        *_databases(settings.get("DATABASES") or {}, carried),
        *_caches(settings.get("CACHES") or {}),
        *_layers(settings.get("CHANNEL_LAYERS") or {}),
        *_storages(settings.get("STORAGES") or {}),
    ]


def _databases(entries: Mapping[str, Any], carried: Collection[str]) -> Iterator[str]:
    for alias, entry in entries.items():
        engine, host = str(entry.get("ENGINE", "")), str(entry.get("HOST", ""))
        by_file = engine.endswith((".sqlite3", ".dummy")) or not host or host.startswith("/")
        if alias not in carried and not by_file:
            yield f"the database {alias!r}"


def _caches(entries: Mapping[str, Any]) -> Iterator[str]:
    for alias, entry in entries.items():
        if not str(entry.get("BACKEND", "")).endswith(LOCAL_CACHES) and not _is_path(
            entry.get("LOCATION")
        ):
            yield f"the cache {alias!r}"


def _layers(entries: Mapping[str, Any]) -> Iterator[str]:
    for alias, entry in entries.items():
        hosts = (entry.get("CONFIG") or {}).get("hosts")
        if not str(entry.get("BACKEND", "")).endswith(LOCAL_LAYERS) and not _is_path(hosts):
            yield f"the channel layer {alias!r}"


def _storages(entries: Mapping[str, Any]) -> Iterator[str]:
    for alias, entry in entries.items():
        if not str(entry.get("BACKEND", "")).startswith(LOCAL_STORAGES):
            yield f"the storage {alias!r}"


def _is_path(places: object) -> bool:
    """Whether one or all of several places are files or Unix sockets."""
    if isinstance(places, (list, tuple)):
        return bool(places) and all(_is_path(place) for place in places)
    if isinstance(places, Mapping):
        return _is_path(places.get("address"))
    return str(places or "").startswith(("/", "unix:"))
