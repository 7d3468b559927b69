"""A throw-away Redis, or Valkey, which is the same for all that is done with it here.

It keeps everything in memory, and is reached by TCP or by a Unix socket in the run's folder.
"""

import secrets
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from benchsuite.core.exceptions import StartError, UnavailableError
from benchsuite.core.specs import TCP, UNIX
from benchsuite.servers.base import Available
from benchsuite.services.service import Service
from benchsuite.system.account import can_read, hand_over, unprivileged
from benchsuite.system.ports import ensure_port_free, free_port
from benchsuite.system.readiness import wait_until_ready
from benchsuite.system.starting import running

HOST = "127.0.0.1"
PROGRAMS = ("valkey-server", "redis-server")
READY_S = 20.0
GRACE_S = 10.0
CONFIGURATION, SOCKET = "redis.conf", "redis.sock"  #: In its folder, in which it runs.
BY_ITSELF = Path("/proc/self/cwd", CONFIGURATION)
"""Its configuration as it finds it: a path of its own folder's may have letters that mean something
to Redis (`[` and `*`)."""
LONGEST_SOCKET = 107  #: Bytes of a Unix socket's path, by the kernel.


def available() -> Available:
    """Whether a Redis can be started here and, if not, what would install what is missing."""
    if find_spec("redis") is None:
        return Available(
            False, "redis-py is not installed", "pip install 'django-benchsuite[redis]'"
        )
    if program() is None:
        return Available(
            False,
            "there is neither redis-server nor valkey-server",
            "apt install redis-server",
        )
    return Available(True)


def program() -> Path | None:
    """The program that will be started: the first of them that is on the path."""
    return next((Path(found) for name in PROGRAMS if (found := shutil.which(name))), None)


@contextmanager
def redis(
    *,
    folder: Path,
    marker: str,
    by: str = TCP,
    env: Mapping[str, str],
    on_cpus: Collection[int] | None = None,
    port: int | None = None,
    start_timeout_s: float | None = None,
) -> Iterator[Service]:
    """Runs a Redis in `folder`, which must exist and be the run's own; `by` is "tcp" or "unix".

    Raises UnavailableError without the program, StartError with the end of the log when it does
    not come up.
    """
    usable, found = available(), program()
    if found is None or not usable.ok:
        raise UnavailableError(
            f"Redis can't run here: {usable.reason}; {usable.command} would help."
        )
    account = unprivileged()
    folder = folder.resolve()
    hand_over(folder, account)
    if not can_read(found.parent, account):
        found = Path(shutil.copy(found, folder))
    socket = _socket(folder) if by == UNIX else None
    if socket:
        port = None
    else:
        port = port or free_port(HOST)
        ensure_port_free(HOST, port)
    password = secrets.token_hex(16)
    configuration = folder / CONFIGURATION
    configuration.touch(mode=0o600)
    hand_over(configuration, account)
    configuration.write_text(_configured(port, password))
    with running(
        [str(found), str(BY_ITSELF)],
        name="Redis",
        log=folder / "redis.log",
        env=env,
        cwd=folder,
        grace_s=GRACE_S,
        marker=marker,
        on_cpus=on_cpus,
        run_as=account,
    ) as process:
        url = _url(port, socket, password)
        wait_until_ready(process, partial(_is_up, url), timeout_s=start_timeout_s or READY_S)
        version, settings = _told(url)
        yield Service(
            name="redis",
            version=version,
            url=url,
            admin_url=url,
            process=process,
            host="" if socket else HOST,
            port=port,
            socket=socket,
            settings=settings,
        )


def _socket(folder: Path) -> Path:
    path = folder / SOCKET
    if len(bytes(path)) > LONGEST_SOCKET:
        raise StartError(
            f"The Unix socket {path} would have a longer path than the {LONGEST_SOCKET} bytes that "
            "sockets may have; set TMPDIR to a folder with a shorter one."
        )
    return path


def _configured(port: int | None, password: str) -> str:
    """A file and not a command line, where everyone could read the password. It names no folder:
    all is where Redis runs. Without a port it listens on its socket alone.
    """
    place = [f"bind {HOST}"] if port else [f"unixsocket {SOCKET}", "unixsocketperm 777"]
    return "\n".join(
        [
            f"port {port or 0}",
            *place,
            f"requirepass {password}",
            'save ""',
            "appendonly no",
            "daemonize no",
            "",
        ]
    )


def _url(port: int | None, socket: Path | None, password: str) -> str:
    if socket:
        return f"unix://{quote(str(socket))}?password={password}"
    return f"redis://:{password}@{HOST}:{port}/0"


def _is_up(url: str) -> bool:
    from redis import Redis, RedisError  # here, because only a run with this service needs it

    try:
        with Redis.from_url(url, socket_timeout=READY_S) as client:
            return bool(client.ping())
    except (RedisError, OSError):
        return False


def _told(url: str) -> tuple[str, dict[str, str]]:
    """Its version, and what it says of how it keeps data."""
    from redis import Redis

    with Redis.from_url(url, socket_timeout=READY_S) as client:
        found = client.info()
    valkey = found.get("valkey_version")
    version = f"valkey {valkey}" if valkey else str(found["redis_version"])
    return version, {
        "appendonly": "on" if found["aof_enabled"] else "off",
        "maxmemory_policy": str(found["maxmemory_policy"]),
    }
