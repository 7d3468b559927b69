"""A throw-away Redis, or Valkey, which is the same for all that is done with it here: in memory,
and reached by TCP or by a Unix socket in the run's folder.
"""

import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchsuite.core.exceptions import StartError
from benchsuite.core.specs.server import UNIX
from benchsuite.services.base import HOST, Asking, Service
from benchsuite.system.account import can_read

LONGEST_S = 1.0
CONFIGURATION, SOCKET = "redis.conf", "redis.sock"  #: In its folder, in which it runs.
BY_ITSELF = Path("/proc/self/cwd", CONFIGURATION)
"""As it finds that: the path of its folder may have what means something to it (`[` and `*`)."""
LONGEST_SOCKET = 107  #: Bytes of a Unix socket's path, by the kernel.


@dataclass(kw_only=True, eq=False, repr=False)
class Redis(Service):
    """Valkey or Redis of this machine."""

    name = "redis"
    title = "Redis"
    programs = ("valkey-server", "redis-server")
    package = "redis-server"
    driver = "redis"
    extra = "redis"
    grace_s = 10.0
    ready_s = 20.0

    password: str = field(default_factory=lambda: secrets.token_hex(16), init=False, repr=False)

    @property
    def socket(self) -> Path | None:
        """In place of a port."""
        return self.folder / SOCKET if self.by == UNIX else None

    @property
    def url(self) -> str:
        if self.socket:
            return f"unix://{quote(str(self.socket))}?password={self.password}"
        return self.tcp_url

    @property
    def tcp_url(self) -> str:
        return f"redis://:{self.password}@{HOST}:{self.port}/0"

    def make(self) -> None:
        if self.socket and len(bytes(self.socket)) > LONGEST_SOCKET:
            raise StartError(
                f"The Unix socket {self.socket} would have a longer path than the {LONGEST_SOCKET} "
                "bytes that sockets may have; set TMPDIR to a folder with a shorter one."
            )
        program = self.program()
        assert program is not None
        if not can_read(program.parent, self.account):
            program = Path(shutil.copy(program, self.folder))
        self._program = program

    def config_files(self) -> Mapping[str, str]:
        """A file and not a command line, where everyone could read the password. It names no
        folder: all is where Redis runs. Beside a socket it has a port, for clients without one.
        """
        socket = [f"unixsocket {SOCKET}", "unixsocketperm 777"] if self.socket else []
        lines = [f"port {self.port}", f"bind {HOST}", *socket, f"requirepass {self.password}"]
        lines += ['save ""', "appendonly no", "daemonize no", ""]
        return {CONFIGURATION: "\n".join(lines)}

    def argv(self) -> Sequence[str]:
        return [str(self._program), str(BY_ITSELF)]

    def connect(self, timeout_s: float = LONGEST_S) -> Any:
        """A client by the run's own URL."""
        import redis  # here, because only a run with Redis needs it

        return redis.Redis.from_url(self.admin_url, socket_timeout=timeout_s)

    def answers(self) -> bool:
        from redis import RedisError

        try:
            with self.connect() as client:
                return bool(client.ping())
        except (RedisError, OSError):
            return False

    def learn(self) -> None:
        with self.connect(self.ready_s) as client:
            facts = client.info()
        valkey = facts.get("valkey_version")
        self.version = f"valkey {valkey}" if valkey else str(facts["redis_version"])
        self.settings = {
            "appendonly": "on" if facts["aof_enabled"] else "off",
            "maxmemory_policy": str(facts["maxmemory_policy"]),
        }

    def reading(self) -> Asking:
        """Its clients without the one that asks, bytes of the data, commands since its start."""
        return Asking(self.connect, _facts)


def _facts(client: Any) -> Mapping[str, int]:
    facts = client.info()
    return {
        "clients": max(0, int(facts["connected_clients"]) - 1),
        "memory_bytes": int(facts["used_memory"]),
        "commands": int(facts["total_commands_processed"]),
    }
