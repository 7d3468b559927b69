"""The channel layers of the target: changes of CHANNEL_LAYERS."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from benchsuite.core.specs.sentinel import SentinelUrl, is_by_sentinel
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides.changes import Changes

OF_REDIS = "channels_redis."
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
        config = {"hosts": [_host(instructions.layer_url)]} if instructions.layer_url else {}
        layers["default"] = _prefixed(
            {"BACKEND": instructions.layer, "CONFIG": config}, instructions
        )
        words = [f"default is {instructions.layer}{_place(instructions.layer_url)}", *words]
    if words:
        changes.put("CHANNEL_LAYERS", layers, "; ".join(words))


def in_memory(layers: Mapping[str, Mapping[str, Any]] | None) -> tuple[str, ...]:
    """Aliases of layers that are, or inherit from, Channels' in-memory layer."""
    return tuple(
        alias for alias, entry in (layers or {}).items() if _in_memory(str(entry.get("BACKEND")))
    )


def _in_memory(backend: str) -> bool:
    """False for what can't be imported here: the server reports that itself."""
    module, _, name = backend.rpartition(".")
    try:
        from channels.layers import InMemoryChannelLayer

        found = getattr(import_module(module), name, None)
    except (ImportError, ValueError):
        return False
    return isinstance(found, type) and issubclass(found, InMemoryChannelLayer)


def _prefixed(entry: Mapping[str, Any], instructions: Instructions) -> dict[str, Any]:
    if not str(entry.get("BACKEND", "")).startswith(OF_REDIS):
        return dict(entry)
    config = dict(entry.get("CONFIG", {}))
    config["prefix"] = f"bench_{instructions.token[:TOKEN]}_{config.get('prefix', ITS_PREFIX)}"
    return {**entry, "CONFIG": config}


CLIENT = {"socket_timeout": None, "max_connections": 2**31}
"""Of redis-py, as before its version 8: neither a read timeout nor a limit of connections.

channels_redis waits for messages 5 s at a time. Version 8 times out after 5 s too, and whichever is
first decides whether an idle WebSocket is cut off. And as each consumer waits on a connection of
its own, its limit of 100 would refuse the 101st WebSocket of a process.
"""


def _host(url: str) -> dict[str, Any]:
    if not is_by_sentinel(url):
        return {"address": url, **CLIENT}
    found = SentinelUrl.read(url)
    return {
        "sentinels": list(found.sentinels),
        "master_name": found.master,
        "sentinel_kwargs": found.of_sentinels,
        **CLIENT,
        **found.of_redis,
    }


def _place(url: str) -> str:
    """How Redis is reached, in words without a password."""
    if not url:
        return ""
    if is_by_sentinel(url):
        return " by Sentinel"
    return " by Unix socket" if url.startswith("unix:") else " by TCP"
