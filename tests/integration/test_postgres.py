"""A throw-away PostgreSQL: as many connections as asked for, and nothing left of it."""

import os
import pwd
import socket
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from benchsuite.core.exceptions import StartError, UnavailableError
from benchsuite.services import postgres_programs as programs
from benchsuite.services.base import Service
from benchsuite.services.database import WATCHING
from benchsuite.services.postgres import RESERVED, PostgreSQL
from benchsuite.services.postgres_reading import Connections
from benchsuite.system.account import NOBODY
from benchsuite.system.network import ensure_port_free, free_port
from tests.integration.left_behind import SOON_S, eventually, processes_with
from tests.needs import needs

pytestmark = needs("postgresql", "psycopg")

MARKER = uuid.uuid4().hex
SHARED = Path("/dev/shm")


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with (
        folder() as place,
        PostgreSQL(folder=place, marker=MARKER, max_connections=5, env=dict(os.environ)) as one,
    ):
        yield one


@contextmanager
def folder() -> Iterator[Path]:
    """A folder of a run, closed to others as the session's is."""
    with tempfile.TemporaryDirectory(prefix="bst-pg-") as name:
        place = Path(name) / "postgresql"
        place.mkdir()
        yield place


def connected(service: Service) -> psycopg.Connection[tuple[object, ...]]:
    """A connection of the target; a slot is free only a moment after its last holder has gone."""
    deadline = time.monotonic() + SOON_S
    while True:
        try:
            return psycopg.connect(service.url)
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def asked(url: str, statement: str) -> object:
    with psycopg.connect(url, prepare_threshold=None) as connection:
        row = connection.execute(statement.encode()).fetchone()
        return row[0] if row else None


def test_the_target_gets_as_many_connections_as_were_asked_for(service: Service) -> None:
    probe = Connections(service.admin_url)
    with ExitStack() as stack:
        stack.callback(probe.close)
        probe.sample()
        for _ in range(5):
            stack.enter_context(connected(service))
        with pytest.raises(psycopg.OperationalError, match="connection slots are reserved"):
            psycopg.connect(service.url)
        assert asked(service.admin_url, "SELECT 1") == 1, "the run itself still gets in"


def test_the_target_is_no_superuser_and_owns_what_the_run_makes(service: Service) -> None:
    assert asked(service.url, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
    assert asked(service.admin_url, "SELECT current_user") == asked(
        service.url, "SELECT current_user"
    )


def test_a_superuser_needs_the_runs_password(service: Service) -> None:
    address = f"postgres://postgres:guessed@{service.host}:{service.port}/postgres"
    with pytest.raises(psycopg.OperationalError, match="authentication failed"):
        psycopg.connect(address)


def test_connections_are_told_by_state_also_when_all_are_taken(service: Service) -> None:
    probe = Connections(service.admin_url)
    with ExitStack() as stack:
        stack.callback(probe.close)
        assert eventually(lambda: probe.sample() == {"limit": 5}), "others end a moment later"
        held = [stack.enter_context(connected(service)) for _ in range(5)]
        held[0].execute("SELECT 1")
        assert probe.sample() == {"idle": 4, "idle in transaction": 1, "limit": 5}


def test_what_changes_figures_is_recorded(service: Service) -> None:
    assert service.version.split(".")[0].isdigit()
    assert service.settings["fsync"] == service.settings["synchronous_commit"] == "on"
    assert int(service.settings["max_connections"]) == 5 + WATCHING + RESERVED


@pytest.mark.skipif(os.geteuid() != 0, reason="only root must become somebody else")
def test_started_by_root_it_runs_as_nobody(service: Service) -> None:
    owners = set()
    for pid in service.process.living():
        with suppress(FileNotFoundError):  # a session of somebody who asked has ended meanwhile
            owners.add(os.stat(f"/proc/{pid}").st_uid)
    assert owners == {pwd.getpwnam(NOBODY).pw_uid}


@pytest.mark.alone  # others leave things in /dev/shm meanwhile
def test_nothing_is_left(tmp_path: Path) -> None:
    before = set(SHARED.iterdir())
    sockets = set(Path("/tmp").glob(".s.PGSQL*"))
    with folder() as place:
        with PostgreSQL(
            folder=place, marker=MARKER + "1", env=dict(os.environ), fsync=False
        ) as service:
            assert service.settings["fsync"] == "off"
            assert service.settings["synchronous_commit"] == "off"
            open_one = psycopg.connect(service.url)
        open_one.close()
        assert service.process.poll() == 0, "a fast shutdown ends well, whoever is connected"
        assert {path.name for path in place.iterdir()} == {"initdb.log", "postgresql.log"}
    assert processes_with(MARKER + "1") == []
    assert set(SHARED.iterdir()) <= before
    assert set(Path("/tmp").glob(".s.PGSQL*")) <= sockets
    assert service.port is not None
    ensure_port_free(service.host, service.port)


def test_a_taken_port_is_told() -> None:
    with folder() as place, socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(StartError, match=f"Port {port} of 127.0.0.1 is taken by process"),
            PostgreSQL(folder=place, marker=MARKER, env=dict(os.environ), port=port),
        ):
            pytest.fail("it started")
        assert not (place / "data").exists()


def test_a_port_that_is_taken_meanwhile_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with folder() as place, socket.create_server(("127.0.0.1", 0)) as taken:
        ports = iter([taken.getsockname()[1], free_port()])
        monkeypatch.setattr("benchsuite.services.base.free_port", lambda host: next(ports))
        begun = time.monotonic()
        with PostgreSQL(folder=place, marker=MARKER, env=dict(os.environ)) as service:
            assert service.port != taken.getsockname()[1]
        assert time.monotonic() - begun < PostgreSQL.ready_s, "who took it has said nothing so long"


def test_more_connections_than_the_machine_can_have_are_told_with_the_log() -> None:
    with (
        folder() as place,
        pytest.raises(StartError, match=r"(?s)PostgreSQL ended with status 1.*; its log ends with"),
        PostgreSQL(folder=place, marker=MARKER, env=dict(os.environ), max_connections=300_000),
    ):
        pytest.fail("it started")


def test_a_failing_initdb_is_told_with_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchsuite.services.postgres.LOCALE", "xx_XX.UTF-8")
    with (
        folder() as place,
        pytest.raises(StartError, match=r"(?s)initdb ended with status 1: install the locale.*log"),
        PostgreSQL(folder=place, marker=MARKER, env=dict(os.environ)),
    ):
        pytest.fail("it started")


def test_a_folder_that_has_a_cluster_is_left_alone() -> None:
    with folder() as place:
        mine = place / "data" / "mine"
        mine.parent.mkdir()
        mine.touch()
        with (
            pytest.raises(StartError, match="holds data already"),
            PostgreSQL(folder=place, marker=MARKER, env=dict(os.environ)),
        ):
            pytest.fail("it started")
        assert mine.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root must become somebody else")
def test_a_folder_closed_to_nobody_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/var/empty")
    closed = tmp_path / "closed"
    (closed / "postgresql").mkdir(parents=True)
    closed.chmod(0o700)
    with (
        pytest.raises(UnavailableError, match=r"nobody can't reach /.* closed to others"),
        PostgreSQL(folder=closed / "postgresql", marker=MARKER, env=dict(os.environ)),
    ):
        pytest.fail("it started")


def test_without_the_programs_the_command_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "found", lambda: None)
    with (
        pytest.raises(UnavailableError, match="apt install postgresql would help"),
        PostgreSQL(folder=tmp_path, marker=MARKER, env=dict(os.environ)),
    ):
        pytest.fail("it started")


def test_what_sessions_at_work_wait_for_is_told(service: Service) -> None:
    probe = Connections(service.admin_url)
    with ExitStack() as stack:
        stack.callback(probe.close)
        holder, waiter = (stack.enter_context(connected(service)) for _ in range(2))
        holder.execute("SELECT pg_advisory_lock(7)")
        thread = threading.Thread(target=waiter.execute, args=("SELECT pg_advisory_lock(7)",))
        thread.start()
        try:
            assert eventually(lambda: probe.sample().get("waits for Lock:advisory") == 1)
            assert probe.sample()["active"] == 1
        finally:
            holder.execute("SELECT pg_advisory_unlock(7)")
            thread.join()
