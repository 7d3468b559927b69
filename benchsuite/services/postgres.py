"""A throw-away PostgreSQL: a cluster of the run's own, made, started, ended and removed."""

import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from benchsuite.services import postgres_programs
from benchsuite.services.base import HOST
from benchsuite.services.database import USER, WATCHING, DatabaseService
from benchsuite.services.postgres_reading import CONNECT_S, Connections
from benchsuite.system import sharedmemory

if TYPE_CHECKING:
    import psycopg

SUPERUSER = "postgres"
RESERVED = 10
"""Connections on top of the target's, for the run itself. Telemetry's is one of free ones, not of
reserved ones: PostgreSQL takes a superuser's from those as long as there are any."""
LOCALE = "C.UTF-8"
RESERVE = "superuser_reserved_connections"
DURABLE = ("fsync", "full_page_writes", "synchronous_commit")
"""What a commit that survives a power failure needs."""
SHOWN = ("server_version", "max_connections", RESERVE, "shared_buffers", *DURABLE)

WHO_MAY = f"""\
# Anyone on this machine may be {USER}, as a password would cost each new connection of the target
# milliseconds of CPU; a superuser could start programs, and needs the run's password.
host all {USER} {HOST}/32 trust
host all all {HOST}/32 scram-sha-256
"""

SHARED = "lower --max-connections, or give this machine more shared memory"


@dataclass(kw_only=True, eq=False, repr=False)
class PostgreSQL(DatabaseService):
    """The newest PostgreSQL of this machine."""

    name = "postgresql"
    title = "PostgreSQL"
    package = "postgresql"
    driver = "psycopg"
    extra = "postgres"
    foreign = ("PG",)  # PGPORT, PGDATA, PGOPTIONS …
    stop_signal = signal.SIGINT
    advice = {
        "could not bind": "end what has it, or choose another port",
        # The kernel's limits, of which it says that no space is left on the device.
        "shmget(": SHARED,
        "semget(": "lower --max-connections, or raise the kernel's limit",
        "No space left on device": "make room, or set TMPDIR to another disk",
        "shared memory": SHARED,
        "semaphores": "lower --max-connections, or raise the kernel's limit",
        "Permission denied": "set TMPDIR to a folder that is open to all",
        "invalid locale name": "install the locale C.UTF-8",
    }

    @classmethod
    def program(cls) -> Path | None:
        folder = postgres_programs.found()
        return folder and folder / "postgres"

    @property
    def url(self) -> str:
        return f"postgres://{USER}@{HOST}:{self.port}/postgres"

    @property
    def admin_url(self) -> str:
        # What the superuser makes belongs to the target's user.
        options = quote(f"-c role={USER}")
        place = f"{SUPERUSER}:{self.password}@{HOST}:{self.port}"
        return f"postgres://{place}/postgres?options={options}"

    def make(self) -> None:
        self.env = {**self.env, "LC_ALL": LOCALE}
        found = self.program()
        assert found is not None
        postgres_programs.check_open(found.parent, self.account)
        self._programs = found.parent
        secret = self.write("password", self.password)
        words = ["--username", SUPERUSER, "--pwfile", str(secret), "--auth", "scram-sha-256"]
        words += ["--encoding", "UTF8", "--locale", LOCALE, "--no-sync", "--no-instructions"]
        # Killed, it would take postmaster.pid with it, which names what it leaves in memory.
        words += ["--no-clean"]
        self.run([str(self._programs / "initdb"), "-D", str(self.data), *words], "initdb")
        secret.unlink()
        (self.data / "pg_hba.conf").write_text(WHO_MAY)

    def argv(self) -> Sequence[str]:
        settings = {
            "max_connections": self.max_connections + WATCHING + RESERVED,
            RESERVE: RESERVED,
            "unix_socket_directories": "",
            # In its folder, and not in /dev/shm, where it stays when all are killed.
            "dynamic_shared_memory_type": "mmap",
            **({} if self.fsync else dict.fromkeys(DURABLE, "off")),
        }
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        program = str(self._programs / "postgres")
        return [program, "-D", str(self.data), "-h", HOST, "-p", str(self.port), *words]

    def answers(self) -> bool:
        import psycopg

        try:
            with self._connect(CONNECT_S) as connection:
                row = connection.execute("SHOW data_directory").fetchone()
        except psycopg.OperationalError:
            return False
        return row is not None and Path(row[0]).resolve() == self.data

    def learn(self) -> None:
        shown = {}
        with self._connect(int(self.ready_s)) as connection:
            if not self.version:  # this is its first start
                connection.execute(f"CREATE ROLE {USER} LOGIN CREATEDB")
            for name in SHOWN:
                row = connection.execute(f"SHOW {name}").fetchone()
                assert row is not None
                shown[name] = row[0]
        self.version = shown.pop("server_version").partition(" ")[0]
        self.settings = shown

    def remove(self) -> None:
        sharedmemory.remove_of_clusters(self.data)
        super().remove()

    def reading(self) -> Connections:
        return Connections(self.admin_url)

    def _connect(self, timeout_s: int) -> "psycopg.Connection[tuple[str, ...]]":
        import psycopg  # here, because only a run with this service needs it

        return psycopg.connect(
            host=HOST,
            port=self.port,
            dbname="postgres",
            user=SUPERUSER,
            password=self.password,
            autocommit=True,
            connect_timeout=timeout_s,
        )
