"""What the parent must know of the project's settings, which only the keeper has loaded."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

PORTS = {"postgresql": 5432, "mysql": 3306, "oracle": 1521}
"""By the last word of the engine: where it listens when the settings don't say."""


FACTS_OF = ("CACHES", "CHANNEL_LAYERS", "DATABASES", "STATIC_ROOT", "STATIC_URL", "STORAGES")
"""The settings that they are taken from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Goes to the parent as JSON."""

    database_address: tuple[str, int] | None
    """Host and port of the default database; None for a file, a Unix socket, or none at all."""
    cut_off: tuple[str, ...]
    """What the project wants of the network and would not reach from a private one."""
    static_url: str
    static_root: str
    """Where `collectstatic` has put static files; empty when the project has no such place."""
    revision: str = ""  #: The state of its repository; empty where it has none.
    wants_redis: bool = False  #: Whether its caches or queues are kept in Redis.

    memory_layers: tuple[str, ...] = ()  #: The channel layers that stay within a process.

    @classmethod
    def of(
        cls, settings: Mapping[str, Any], *, revision: str = "", wants_redis: bool = False
    ) -> Self:
        """By the settings that the measured server will have."""
        from benchsuite.delay.reach import cut_off
        from benchsuite.isolation.overrides.layers import in_memory

        return cls(
            database_address=database_address((settings.get("DATABASES") or {}).get("default")),
            cut_off=tuple(cut_off(settings)),
            static_url=str(settings.get("STATIC_URL") or ""),
            static_root=str(settings.get("STATIC_ROOT") or ""),
            revision=revision,
            wants_redis=wants_redis,
            memory_layers=in_memory(settings.get("CHANNEL_LAYERS")),
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        address = data["database_address"]
        return cls(
            database_address=None if address is None else (address[0], address[1]),
            cut_off=tuple(data["cut_off"]),
            static_url=data["static_url"],
            static_root=data["static_root"],
            revision=data["revision"],
            wants_redis=data["wants_redis"],
            memory_layers=tuple(data["memory_layers"]),
        )


def database_address(entry: Mapping[str, Any] | None) -> tuple[str, int] | None:
    """Where a DATABASES entry is reached by TCP; None where it is not."""
    kind = str((entry or {}).get("ENGINE", "")).rpartition(".")[2]
    host = str((entry or {}).get("HOST") or "")
    if kind == "postgis":
        kind = "postgresql"
    by_socket = not host or host.startswith("/") or (kind == "mysql" and host == "localhost")
    if kind not in PORTS or by_socket:
        return None
    return host, int((entry or {}).get("PORT") or PORTS[kind])
