"""Throw-away PostgreSQL and MariaDB: connections as asked for, a project on it, nothing left."""

import json
import os
import pwd
import socket
import tempfile
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from benchsuite.core.exceptions import DatabaseError, StartError, UnavailableError
from benchsuite.services import mariadb
from benchsuite.services import postgres as programs
from benchsuite.services.base import HOST, USER, WATCHING, DatabaseService
from benchsuite.services.mariadb import MariaDB
from benchsuite.services.postgres import RESERVED, PostgreSQL
from benchsuite.system.account import NOBODY
from benchsuite.system.network import ensure_port_free, free_port
from tests.integration.left_behind import eventually, processes_with
from tests.integration.stranger import TOKEN, get, stranger
from tests.needs import needs

CONNECTIONS = 9
SQLITE = """{"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE / "shop.sqlite3"}}"""
ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root must become somebody else")


POSTGRESQL = SimpleNamespace(
    name="postgresql",
    service=PostgreSQL,
    connect=lambda url: psycopg.connect(url, prepare_threshold=None),
    full="connection slots are reserved",  # what is said when all connections are taken
    denied="authentication failed",
    # What changes figures, with fsync and without.
    durable={"fsync": "on", "synchronous_commit": "on"},
    hasty={"fsync": "off", "synchronous_commit": "off"},
    beyond=WATCHING + RESERVED,  # connections beside the target's
    logs={"initdb.log", "postgresql.log"},
    installs=r"(?s)initdb ended with status 1.*invalid locale",
    # What makes its installation fail, by its place.
    failing=("benchsuite.services.postgres.LOCALE", "xx_XX.UTF-8"),
    command="apt install postgresql would help",
)
MARIADB = SimpleNamespace(
    name="mariadb",
    service=MariaDB,
    connect=mariadb.connected,
    full="Too many connections",
    denied="denied",
    durable={"innodb_flush_log_at_trx_commit": "1", "character_set_server": "utf8mb4"},
    hasty={"innodb_flush_log_at_trx_commit": "2", "innodb_doublewrite": "0"},
    beyond=WATCHING,
    logs={"mariadb-install-db.log", "mariadb.log"},
    installs=r"(?s)mariadb-install-db ended with status 1.*log ends",
    failing=("benchsuite.services.mariadb.DATA", "/proc/data"),
    command="no program mysqldump; apt install default-mysql-cl",
)
KINDS = [
    pytest.param(POSTGRESQL, marks=needs("postgresql", "psycopg"), id="postgresql"),
    pytest.param(MARIADB, marks=needs("mariadb", "mysqlclient"), id="mariadb"),
]
each_kind = pytest.mark.parametrize("kind", KINDS)
on_postgresql = pytest.mark.parametrize("kind", KINDS[:1])
on_mariadb = pytest.mark.parametrize("kind", KINDS[1:])


@contextmanager
def folder():
    """A folder of a run, closed to others as the session's is; its name means much to a shell."""
    with tempfile.TemporaryDirectory(prefix="bst-db-") as name:
        place = Path(name) / "it's $HOME 100% `x`:\\n"
        place.mkdir()
        yield place


@contextmanager
def started(kind, **how):
    how = {"marker": uuid.uuid4().hex, "env": dict(os.environ), **how}
    with ExitStack() as stack:
        place = how.pop("folder", None) or stack.enter_context(folder())
        yield stack.enter_context(kind.service(folder=place, **how))


@pytest.fixture(scope="module")
def services():
    """One of each kind that is asked for."""
    running: dict[str, DatabaseService] = {}
    with ExitStack() as stack:

        def service(kind):
            if kind.name not in running:
                how = started(kind, max_connections=CONNECTIONS)
                running[kind.name] = stack.enter_context(how)
            return running[kind.name]

        yield service


@pytest.fixture
def service(kind, services):
    return services(kind)


def asked(kind, url, statement):
    with closing(kind.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def held(kind, url, count, stack):
    """So many connections; a slot is free only a moment after its last holder has gone."""
    connections: list[Any] = []

    def hold_another():
        with suppress(Exception):
            connections.append(stack.enter_context(closing(kind.connect(url))))
        return len(connections) == count

    assert eventually(hold_another)
    return connections


def gets_in(kind, url):
    """MariaDB counts a connection that it refused for a moment, as the one that it has to spare."""
    with suppress(Exception):
        return list(asked(kind, url, "SELECT 1")) == [(1,)]
    return False


def databases(kind, service):
    listed = "SELECT datname FROM pg_database WHERE datname LIKE 'bench%'"
    query = listed if kind is POSTGRESQL else "SHOW DATABASES LIKE 'bench%'"
    return [str(name) for (name,) in asked(kind, service.admin_url, query)]


@each_kind
def test_the_target_gets_as_many_connections_as_were_asked_for(kind, service):
    probe: Any = service.reading()
    with ExitStack() as stack:
        stack.callback(probe.close)
        assert eventually(lambda: probe.sample() == {"limit": CONNECTIONS}), "others end soon"
        connections = held(kind, service.url, CONNECTIONS, stack)
        with pytest.raises(Exception, match=kind.full):
            kind.connect(service.url)
        assert eventually(lambda: gets_in(kind, service.admin_url)), "the run still gets in"
        idle = {"idle": CONNECTIONS - 1, "idle in transaction": 1, "limit": CONNECTIONS}
        if kind is MARIADB:
            connections[0].autocommit(False)
            connections[0].query("CREATE DATABASE bench_x")
            connections[0].query("CREATE TABLE bench_x.t (x int)")
            connections[0].query("INSERT INTO bench_x.t VALUES (1)")
            waits, wait = "waits for Lock:row", (connections[1].query, "DELETE FROM bench_x.t")
        else:
            connections[0].execute("SELECT pg_advisory_xact_lock(7)")
            lock = "SELECT pg_advisory_lock(7)"
            waits, wait = "waits for Lock:advisory", (connections[1].execute, lock)
        # InnoDB tells of transactions anew when it was not asked for 0.1 s
        assert eventually(lambda: time.sleep(0.2) or probe.sample() == idle)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(*wait)
            told = {**idle, "active": 1, "idle": CONNECTIONS - 2, waits: 1}
            try:
                assert eventually(lambda: time.sleep(0.3) or probe.sample() == told)
            finally:
                connections[0].rollback()
            waiting.result(timeout=10)
        assert eventually(lambda: time.sleep(0.3) or waits not in probe.sample())
        if kind is MARIADB:
            connections[0].query("DROP DATABASE bench_x")


@each_kind
def test_the_target_has_no_rights_but_on_a_runs_databases(kind, service):
    if kind is MARIADB:
        with pytest.raises(Exception, match="denied"):
            asked(kind, service.url, "CREATE DATABASE other")
        guessed = service.admin_url.replace(service.password, "guessed")
    else:
        who = "SELECT current_user, rolsuper FROM pg_roles WHERE rolname = current_user"
        (of_target,) = asked(kind, service.url, who)
        assert of_target[1] is False
        assert asked(kind, service.admin_url, who) == [of_target], "who makes them is the same"
        guessed = f"postgres://postgres:guessed@{HOST}:{service.port}/postgres"
    with pytest.raises(Exception, match=kind.denied):
        kind.connect(guessed)


@each_kind
def test_what_changes_figures_is_recorded(kind, service):
    assert service.version.split(".")[0].isdigit()
    assert kind.durable.items() <= service.settings.items()
    assert int(service.settings["max_connections"]) == CONNECTIONS + kind.beyond


@ROOT_ONLY
@each_kind
def test_started_by_root_it_runs_as_nobody(kind, service):
    owners = set()
    for pid in service.process.living():
        with suppress(FileNotFoundError):  # a session of somebody who asked has ended meanwhile
            owners.add(os.stat(f"/proc/{pid}").st_uid)
    assert owners == {pwd.getpwnam(NOBODY).pw_uid}


@each_kind
def test_nothing_is_left(kind):
    marker, sockets = uuid.uuid4().hex, set(Path("/tmp").glob(".s.PGSQL*"))
    with folder() as place:
        with started(kind, folder=place, marker=marker, fsync=False) as service:
            assert kind.hasty.items() <= service.settings.items()
            still_open = kind.connect(service.url)
            names = {path.name for path in place.iterdir()}
            assert names == {"data", *kind.logs}, "the file with the password is gone"
            pids = {str(pid) for pid in service.process.living()}
        still_open.close()
        assert service.process.poll() == 0, "a fast shutdown ends well, whoever is connected"
        assert {path.name for path in place.iterdir()} == kind.logs
    assert processes_with(marker) == []
    segments = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    assert not [line for line in segments if line.split()[4] in pids]
    assert set(Path("/tmp").glob(".s.PGSQL*")) <= sockets
    assert service.port is not None
    ensure_port_free(HOST, service.port)


@on_postgresql
def test_a_port_that_is_taken_meanwhile_is_given_up(kind, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = iter([taken.getsockname()[1], free_port()])
        monkeypatch.setattr("benchsuite.services.base.free_port", lambda host: next(ports))
        begun = time.monotonic()
        with started(kind) as service:
            assert service.port != taken.getsockname()[1]
        assert time.monotonic() - begun < PostgreSQL.ready_s, "who took it has said nothing so long"


@each_kind
def test_a_failing_installation_is_told_with_its_log(kind, monkeypatch):
    monkeypatch.setattr(*kind.failing)
    with pytest.raises(StartError, match=kind.installs), started(kind):
        pytest.fail("it started")


@on_postgresql
def test_more_connections_than_the_machine_can_have_are_told_with_the_log(kind):
    words = r"(?s)PostgreSQL ended with status 1.*; its log ends with"
    with pytest.raises(StartError, match=words), started(kind, max_connections=300_000):
        pytest.fail("it started")


@ROOT_ONLY
@on_postgresql
def test_a_folder_closed_to_nobody_is_told(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/var/empty")
    place = tmp_path / "closed" / "postgresql"
    place.mkdir(parents=True)
    place.parent.chmod(0o700)
    words = r"nobody can't reach /.* closed to others"
    with pytest.raises(UnavailableError, match=words), started(kind, folder=place):
        pytest.fail("it started")


@each_kind
def test_without_its_programs_the_command_is_told(kind, monkeypatch):
    there = {"mariadbd": "/usr/sbin/mariadbd", "mariadb-install-db": "/usr/bin/mariadb-install-db"}
    monkeypatch.setattr("benchsuite.system.programs.find_program", there.get)
    monkeypatch.setattr(programs, "newest", lambda: None)
    with pytest.raises(UnavailableError, match=kind.command), started(kind):
        pytest.fail("it started")


EXTENSION = """
from django.contrib.postgres.operations import HStoreExtension
from django.db import connection, migrations
class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    operations = [HStoreExtension()]
"""


@each_kind
def test_a_project_is_served_on_it_and_dropped_when_all_connections_are_taken(
    kind, tmp_path, service
):
    project = stranger(tmp_path, databases=SQLITE)
    if kind is POSTGRESQL:  # as the ordinary user that the target is
        (tmp_path / "shop/migrations/0002_hstore.py").write_text(EXTENSION)
    with (
        project.kept(use=kind.name, database_url=service.admin_url) as keeper,
        ExitStack() as stack,
    ):
        assert keeper.facts.database_address == (HOST, service.port)
        with keeper.clone(TOKEN, database_url=service.url) as instructions:
            assert service.admin_url not in instructions.read_text()
            with project.served(instructions) as port:
                for _ in range(4):
                    assert get(port, "/order/")[0] == 200
                found = json.loads(get(port, "/settle/")[1])
            template, copy = sorted(databases(kind, service), key=len)
            (first, *_) = held(kind, service.url, CONNECTIONS + WATCHING, stack)
            if kind is MARIADB:
                first.autocommit(False)
                first.select_db(copy)
                first.query("INSERT INTO shop_log (text) VALUES ('not committed')")
            assert keeper.counts(TOKEN) == {"orders": 7, "logs": 4}
            assert keeper.rows(TOKEN).of["shop_order"] == 7
        assert databases(kind, service) == [template], "whoever is still connected to the copy"
    assert found["users"] == {"default": USER}
    assert not databases(kind, service)
    assert not list(tmp_path.glob("*.sqlite3*"))


@on_mariadb
def test_a_copy_that_lacks_tables_is_no_copy(kind, tmp_path, service, monkeypatch):
    """Django starts mysqldump and looks at nothing but its output."""
    dump = tmp_path / "programs" / "mysqldump"
    dump.parent.mkdir()
    dump.write_text("#!/bin/sh\necho no rights >&2; exit 2\n")
    dump.chmod(0o755)
    monkeypatch.setenv("PATH", str(dump.parent), prepend=":")
    with (
        stranger(tmp_path, databases=SQLITE).kept(
            use="mariadb", database_url=service.admin_url
        ) as keeper,
        pytest.raises(Exception, match="copied 0 of 3 tables"),
        keeper.clone(TOKEN, database_url=service.url),
    ):
        pytest.fail("it went on")
    assert not databases(kind, service)


@on_postgresql
def test_a_pool_is_the_largest_that_the_target_opens_and_its_way_may_be_another(
    kind, tmp_path, service
):
    project = stranger(tmp_path, databases=SQLITE)
    with (
        project.kept(use="postgresql", database_url=service.admin_url, pool=2) as keeper,
        keeper.clone(TOKEN, database_url=service.url) as instructions,
    ):
        with project.served(instructions) as port:
            assert "each process has a pool of 2" in keeper.settings_changed["DATABASES"]
            for _ in range(5):
                assert get(port, "/order/")[0] == 200
            counted = "SELECT count(*) FROM pg_stat_activity WHERE datname ~ '^bench_'"
            assert asked(kind, service.admin_url, counted) == [(2,)]
        late: dict[str, Any] = {"database_host": "127.0.0.1", "database_port": 9}
        token = "a" * 32
        with keeper.clone(token, database_url=service.url, **late) as instructions:
            assert json.loads(instructions.read_text())["database_port"] == 9
            assert "reached through 127.0.0.1:9" in keeper.settings_changed["DATABASES"]
            assert keeper.counts(token) == {"orders": 3, "logs": 0}, (
                "the keeper goes straight there"
            )


def test_what_sqlite_can_not_have_is_refused(tmp_path):
    project = stranger(tmp_path, databases=SQLITE)
    with (
        project.kept(pool=2) as keeper,
        pytest.raises(DatabaseError, match=r"--pool=2 needs PostgreSQL.*is sqlite3"),
    ):
        keeper.wait()
    assert not list((tmp_path / "run").rglob("*.sqlite3*"))


@needs("postgresql")
@pytest.mark.parametrize("broken", ["no initdb", "another version", "fails"])
def test_broken_programs_on_the_path_are_passed_over(broken, tmp_path, monkeypatch):
    path = tmp_path / "bin"
    path.mkdir()
    program(path / "postgres", "postgres (PostgreSQL) 15.1")
    if broken != "no initdb":
        version = "16.2" if broken == "another version" else "15.1"
        program(path / "initdb", f"initdb (PostgreSQL) {version}", status=int(broken == "fails"))
    monkeypatch.setenv("PATH", f"{path}{os.pathsep}{os.environ['PATH']}")
    elsewhere = programs.newest()
    assert elsewhere not in (None, path)
    assert programs.version(elsewhere).split(".")[0].isdigit()
    monkeypatch.setattr(programs, "DEBIAN", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert programs.newest() is None


@ROOT_ONLY
def test_programs_that_the_account_may_not_reach(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "bin").mkdir()
    with pytest.raises(UnavailableError, match="nobody can't get to"):
        programs.check_open(closed / "bin", "nobody")


def program(path, prints, status=0):
    path.write_text(f"#!/bin/sh\necho '{prints}'\nexit {status}\n")
    path.chmod(0o755)
