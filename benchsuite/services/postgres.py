"""A throw-away PostgreSQL: a cluster of the run's own, made, started, ended and removed.

The target is an ordinary user of it, as it should be in production; the run itself is a superuser
with connections kept free for it, so that it can still count and drop when the target has taken
all of its own.
"""

import secrets
import shutil
import signal
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from benchsuite.core.exceptions import StartError, UnavailableError
from benchsuite.servers.base import Available
from benchsuite.services import programs
from benchsuite.services.service import Service
from benchsuite.system import sharedmemory
from benchsuite.system.account import hand_over, unprivileged
from benchsuite.system.ending import in_words
from benchsuite.system.ports import ensure_port_free, free_port
from benchsuite.system.process import Process
from benchsuite.system.readiness import wait_until_ready
from benchsuite.system.starting import running

if TYPE_CHECKING:
    import psycopg

HOST = "127.0.0.1"
USER = "benchsuite"  #: The target's user: may make databases, and is no superuser.
SUPERUSER = "postgres"
RESERVED = 10  #: Connections on top of the target's, for the run itself: keeper and telemetry.
WATCHING = 1
"""The connection that telemetry holds while the load runs: of free ones, not of reserved ones, does
PostgreSQL take a superuser's as long as there are any."""
MAX_CONNECTIONS = 100
INITDB_S = 60.0
READY_S = 30.0
GRACE_S = 20.0  #: A shutdown writes what is in memory to the disk.
LOCALE = "C.UTF-8"
RESERVE = "superuser_reserved_connections"
DURABLE = ("fsync", "full_page_writes", "synchronous_commit")
"""What a commit that survives a power failure needs."""
SHOWN = ("server_version", "max_connections", RESERVE, "shared_buffers", *DURABLE)
ATTEMPTS = 3  #: Another program may take a free port between looking for it and listening on it.

WHO_MAY = f"""\
# Anyone on this machine may be {USER}, as a password would cost each new connection of the target
# milliseconds of CPU; a superuser could start programs, and needs the run's password.
host all {USER} {HOST}/32 trust
host all all {HOST}/32 scram-sha-256
"""

BIND = "could not bind"
SHARED = "lower --max-connections, or give this machine more shared memory"
SEMAPHORES = "lower --max-connections, or raise the kernel's limit"
ADVICE = {
    BIND: "end what has it, or choose another port",
    # The kernel's limits, of which it says that no space is left on the device.
    "shmget(": SHARED,
    "semget(": SEMAPHORES,
    "No space left on device": "make room, or set TMPDIR to another disk",
    "shared memory": SHARED,
    "semaphores": SEMAPHORES,
    "Permission denied": "set TMPDIR to a folder that is open to all",
    "invalid locale name": "install the locale C.UTF-8",
}
"""What to do, by the first of these that the log says."""


def available() -> Available:
    """Whether a cluster can be made here and, if not, what would install what is missing."""
    if programs.found() is None:
        reason, command = "there is no PostgreSQL", "apt install postgresql"
    elif find_spec("psycopg") is None:
        reason, command = "psycopg is not installed", ""
    else:
        return Available(True)
    return Available(False, reason, command or "pip install 'django-benchsuite[postgres]'")


@contextmanager
def postgres(
    *,
    folder: Path,
    marker: str,
    max_connections: int = MAX_CONNECTIONS,
    fsync: bool = True,
    env: Mapping[str, str],
    on_cpus: Collection[int] | None = None,
    port: int | None = None,
    start_timeout_s: float | None = None,
) -> Iterator[Service]:
    """Runs a PostgreSQL in `folder`, which must exist and be the run's own.

    While telemetry is connected, the target can have `max_connections` open at once, neither more
    nor fewer. Without `fsync` a commit waits for no disk. Raises UnavailableError without the
    programs, StartError with the end of the log when it does not come up, within `start_timeout_s`
    if that is given.
    """
    cluster = _Cluster(folder, marker, env, on_cpus, start_timeout_s)
    if cluster.data.exists():
        raise StartError(f"{folder} holds data already; PostgreSQL needs a folder of its own.")
    try:
        cluster.make(_found())
        with cluster.running(max_connections, port, fsync=fsync) as service:
            yield service
    finally:
        sharedmemory.remove_of_clusters(cluster.data)
        shutil.rmtree(cluster.data, ignore_errors=True)


def _found() -> Path:
    usable, folder = available(), programs.found()
    if folder is None or not usable.ok:
        raise UnavailableError(
            f"PostgreSQL can't run here: {usable.reason}; {usable.command} would help."
        )
    return folder


class _Cluster:
    """One cluster's place and its ways."""

    def __init__(
        self,
        folder: Path,
        marker: str,
        env: Mapping[str, str],
        on_cpus: Collection[int] | None,
        start_timeout_s: float | None,
    ) -> None:
        self.data = folder.resolve() / "data"
        self._folder = folder.resolve()
        self._marker = marker
        self._on_cpus = on_cpus
        self._start_timeout_s = start_timeout_s
        # PGPORT, PGDATA, PGOPTIONS … speak of another server.
        self._env = {name: value for name, value in env.items() if not name.startswith("PG")}
        self._env["LC_ALL"] = LOCALE
        self._account = unprivileged()
        self._password = secrets.token_hex(16)
        self._programs = Path()

    def make(self, found: Path) -> None:
        """Makes the files of the cluster."""
        hand_over(self._folder, self._account)
        programs.check_open(found, self._account)
        self._programs = found
        secret = self._folder / "password"
        secret.touch(mode=0o600)
        hand_over(secret, self._account)
        secret.write_text(self._password)
        words = ["--username", SUPERUSER, "--pwfile", str(secret), "--auth", "scram-sha-256"]
        words += ["--encoding", "UTF8", "--locale", LOCALE, "--no-sync", "--no-instructions"]
        # Killed, it would take postmaster.pid with it, which names what it leaves in memory.
        words += ["--no-clean"]
        with self._program("initdb", words) as process:
            _wait_for_end(process, self._start_timeout_s or INITDB_S)
        secret.unlink()
        (self.data / "pg_hba.conf").write_text(WHO_MAY)

    @contextmanager
    def running(self, max_connections: int, port: int | None, *, fsync: bool) -> Iterator[Service]:
        """The server on this cluster."""
        settings = {
            "max_connections": max_connections + WATCHING + RESERVED,
            RESERVE: RESERVED,
            "unix_socket_directories": "",
            # In its folder, and not in /dev/shm, where it stays when all are killed.
            "dynamic_shared_memory_type": "mmap",
            **({} if fsync else dict.fromkeys(DURABLE, "off")),
        }
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        if port is not None:
            ensure_port_free(HOST, port)
        with ExitStack() as stack:
            process, port = self._on_a_port(words, port, stack)
            yield self._service(process, port)

    def _on_a_port(
        self, words: list[str], port: int | None, stack: ExitStack
    ) -> tuple[Process, int]:
        for left in reversed(range(ATTEMPTS)):
            chosen = port or free_port(HOST)
            with ExitStack() as attempt:
                at = ["-h", HOST, "-p", str(chosen)]
                process = attempt.enter_context(self._program("postgres", [*at, *words]))
                try:
                    wait_until_ready(
                        process,
                        partial(self._is_up, chosen),
                        timeout_s=self._start_timeout_s or READY_S,
                    )
                except StartError as error:
                    if left and port is None and BIND in process.log_tail():
                        continue  # somebody took it since it was found free
                    raise StartError(_advised(str(error))) from error
                stack.push(attempt.pop_all())
                return process, chosen
        raise AssertionError("the last attempt returns or raises")

    def _program(self, name: str, words: list[str]) -> AbstractContextManager[Process]:
        return running(
            [str(self._programs / name), "-D", str(self.data), *words],
            name="PostgreSQL" if name == "postgres" else f"PostgreSQL's {name}",
            log=self._folder / f"{name}.log",
            env=self._env,
            cwd=self._folder,
            stop_signal=signal.SIGINT,
            grace_s=GRACE_S,
            marker=self._marker,
            on_cpus=self._on_cpus,
            run_as=self._account,
        )

    def _connect(self, port: int) -> "psycopg.Connection[tuple[str, ...]]":
        import psycopg  # here, because only a run with this service needs it

        return psycopg.connect(
            host=HOST,
            port=port,
            dbname="postgres",
            user=SUPERUSER,
            password=self._password,
            autocommit=True,
            connect_timeout=int(READY_S),
        )

    def _is_up(self, port: int) -> bool:
        import psycopg

        try:
            with self._connect(port) as connection:
                row = connection.execute("SHOW data_directory").fetchone()
        except psycopg.OperationalError:
            return False
        return row is not None and Path(row[0]).resolve() == self.data

    def _service(self, process: Process, port: int) -> Service:
        with self._connect(port) as connection:
            connection.execute(f"CREATE ROLE {USER} LOGIN CREATEDB")
            shown = {}
            for name in SHOWN:
                row = connection.execute(f"SHOW {name}").fetchone()
                assert row is not None
                shown[name] = row[0]
        version, _, _ = shown.pop("server_version").partition(" ")
        # What the superuser makes belongs to the target's user.
        options = quote(f"-c role={USER}")
        return Service(
            name="postgresql",
            version=version,
            url=f"postgres://{USER}@{HOST}:{port}/postgres",
            admin_url=f"postgres://{SUPERUSER}:{self._password}@{HOST}:{port}/postgres"
            f"?options={options}",
            process=process,
            host=HOST,
            port=port,
            settings=shown,
        )


def _wait_for_end(process: Process, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while (status := process.poll()) is None:
        if time.monotonic() >= deadline:
            raise StartError(
                f"{process.name} did not end within {timeout_s:g} s; give it more time with "
                "--start-timeout."
            )
        time.sleep(0.02)
    if status:
        raise StartError(
            _advised(f"{process.name} {in_words(status)}; its log ends with:\n{process.log_tail()}")
        )


def _advised(message: str) -> str:
    """The message with what to do put before the log, as far as the log says why."""
    what, log, rest = message.partition("; its log ends with:")
    advice = next((words for sign, words in ADVICE.items() if sign in rest), "")
    return f"{what}: {advice}{log}{rest}" if advice else message
