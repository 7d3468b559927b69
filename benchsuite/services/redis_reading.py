"""What Redis says of itself: clients, memory, commands."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redis import Redis

LONGEST_S = 1.0


class Info:
    """Asks over one connection of its own, which it leaves out of the clients; 0.15 ms of CPU."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client: Redis | None = None

    def sample(self) -> Mapping[str, int]:
        """`clients`, `memory_bytes` of the data, `commands` since its start."""
        from redis import Redis  # here, because only a run with Redis needs it

        if self._client is None:
            self._client = Redis.from_url(self._url, socket_timeout=LONGEST_S)
        facts = self._client.info()
        return {
            "clients": max(0, int(facts["connected_clients"]) - 1),
            "memory_bytes": int(facts["used_memory"]),
            "commands": int(facts["total_commands_processed"]),
        }

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None
