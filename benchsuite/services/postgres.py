"""A throw-away PostgreSQL: a cluster of the run's own, made, started, watched and removed."""

import re
import shutil
import signal
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from benchsuite.core.exceptions import UnavailableError
from benchsuite.core.readings import LIMIT, WAITS_FOR
from benchsuite.services.base import HOST, USER, WATCHING, Asking, DatabaseService
from benchsuite.system import programs, reaper
from benchsuite.system.account import can_read

if TYPE_CHECKING:
    import psycopg


DEBIAN = Path("/usr/lib/postgresql")


def newest() -> Path | None:
    """The folder of `initdb` and `postgres`; None when there is none in which both work."""
    program = shutil.which("postgres")
    folders = [Path(program).resolve().parent] if program else []
    folders += sorted(
        DEBIAN.glob("*/bin"),
        key=lambda folder: [int(number) for number in re.findall(r"\d+", folder.parent.name)],
        reverse=True,
    )
    return next((folder for folder in folders if version(folder)), None)


@cache
def version(folder: Path) -> str:
    """The version of which both programs are ("15.18"); empty when one is missing or fails."""
    answers = [programs.ran(str(folder / name), "--version") for name in ("initdb", "postgres")]
    outputs = [done.stdout.decode() if done and not done.returncode else "" for done in answers]
    versions = {"".join(re.findall(r"\(PostgreSQL\) (\S+)", output)[:1]) for output in outputs}
    return versions.pop() if len(versions) == 1 else ""


def check_open(folder: Path, user: str) -> None:
    """Raises UnavailableError when this user may not run what lies in the folder."""
    if not can_read(folder, user):
        raise UnavailableError(
            f"PostgreSQL runs as {user} when root starts it, and {user} can't get to {folder}; "
            "open it (chmod o+x) with what lies above it, or: apt install postgresql"
        )


APPLICATION = "benchsuite"  #: Names our own connection, which is not counted.

CONNECT_S = 2
LONGEST_MS = 1000

BY_STATE = """
SELECT coalesce(state, 'starting'), count(*),
       CASE WHEN state = 'active' THEN wait_event_type || ':' || wait_event END
FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND application_name <> %s
GROUP BY 1, 3
"""
MOST = """
SELECT sum(CASE name WHEN 'max_connections' THEN setting::int ELSE -setting::int END)::int
FROM pg_settings
WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')
"""


def _facts(connection: "psycopg.Connection[tuple[Any, ...]]") -> Mapping[str, int]:
    """State → connections ("active", "idle", "idle in transaction" …), `limit`, and what active
    ones wait for: 0.04 ms of CPU, and 0.2 ms with 100 connections.
    """
    row = connection.execute(MOST).fetchone()
    rows = connection.execute(BY_STATE, (APPLICATION,)).fetchall()
    counts: Counter[str] = Counter()
    for state, count, event in rows:
        counts[state] += count
        if event:
            counts[f"{WAITS_FOR}{event}"] += count
    return {**counts, **({LIMIT: int(row[0]) - WATCHING} if row else {})}


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

    @classmethod
    def program(cls) -> Path | None:
        folder = newest()
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
        program = self.program()
        assert program is not None
        self._programs = folder = program.parent
        check_open(folder, self.account)
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
            with self._connect() as connection:
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
        reaper.remove_of_clusters(self.data)
        super().remove()

    def reading(self) -> Asking:
        return Asking(partial(self._connect, options=f"-c statement_timeout={LONGEST_MS}"), _facts)

    def _connect(
        self, timeout_s: int = CONNECT_S, options: str = ""
    ) -> "psycopg.Connection[tuple[Any, ...]]":
        import psycopg  # here, because only a run with this service needs it

        return psycopg.connect(
            host=HOST,
            port=self.port,
            dbname="postgres",
            user=SUPERUSER,
            password=self.password,
            autocommit=True,
            connect_timeout=timeout_s,
            application_name=APPLICATION,
            options=options,
        )
