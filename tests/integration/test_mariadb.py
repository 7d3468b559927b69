"""A throw-away MariaDB: connections as asked for, a project on it, and nothing left of it."""

import json
import os
import pwd
import socket
import tempfile
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from benchsuite.core.exceptions import StartError, UnavailableError
from benchsuite.services.database import USER, WATCHING
from benchsuite.services.mariadb import MariaDB
from benchsuite.services.mariadb_reading import connected
from benchsuite.system.account import NOBODY
from benchsuite.system.network import ensure_port_free
from tests.integration.left_behind import eventually, processes_with
from tests.integration.stranger import TOKEN, get, stranger
from tests.needs import needs

pytestmark = needs("mariadb", "mysqlclient")

MARKER = uuid.uuid4().hex
CONNECTIONS = 9
LOCKED = "waits for Lock:row"
SQLITE = """{"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE / "shop.sqlite3"}}"""


@contextmanager
def folder() -> Iterator[Path]:
    """A folder of a run, closed to others as the session's is; its name means much to a shell."""
    with tempfile.TemporaryDirectory(prefix="bst-maria-") as name:
        place = Path(name) / "it's $HOME 100% `x`:\\n"
        place.mkdir()
        yield place


@pytest.fixture(scope="module")
def service() -> Iterator[MariaDB]:
    with (
        folder() as place,
        MariaDB(
            folder=place, marker=MARKER, max_connections=CONNECTIONS, env=dict(os.environ)
        ) as one,
    ):
        yield one


def asked(url: str, statement: str) -> Any:
    with closing(connected(url)) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def databases(service: MariaDB) -> list[str]:
    return [name for (name,) in asked(service.admin_url, "SHOW DATABASES LIKE 'bench%'")]


def test_the_target_gets_as_many_connections_as_were_asked_for(service: MariaDB) -> None:
    import MySQLdb

    probe = service.reading()
    assert probe is not None
    with ExitStack() as stack:
        stack.callback(probe.close)
        assert eventually(lambda: probe.sample() == {"limit": CONNECTIONS})
        held: list[Any] = []

        def hold_another() -> bool:
            # For a moment the server counts a connection whose session has ended.
            with suppress(MySQLdb.OperationalError):
                held.append(stack.enter_context(closing(connected(service.url))))
            return len(held) == CONNECTIONS

        assert eventually(hold_another)
        with pytest.raises(MySQLdb.OperationalError, match="Too many connections"):
            connected(service.url)
        assert asked(service.admin_url, "SELECT 1") == ((1,),), "the run itself still gets in"
        held[0].autocommit(False)
        held[0].query("CREATE DATABASE bench_x")
        held[0].query("CREATE TABLE bench_x.t (x int)")
        held[0].query("INSERT INTO bench_x.t VALUES (1)")
        states = {"idle": CONNECTIONS - 1, "idle in transaction": 1, "limit": CONNECTIONS}
        time.sleep(0.2)  # InnoDB tells of transactions anew when it was not asked for 0.1 s
        assert probe.sample() == states
        with ThreadPoolExecutor(1) as pool:
            deleted = pool.submit(held[1].query, "DELETE FROM bench_x.t")
            time.sleep(0.3)
            assert probe.sample() == {**states, "active": 1, "idle": CONNECTIONS - 2, LOCKED: 1}
            held[0].rollback()
            deleted.result(timeout=10)
        time.sleep(0.3)
        assert LOCKED not in probe.sample()
        held[0].query("DROP DATABASE bench_x")


def test_the_target_has_rights_on_a_runs_databases_alone(service: MariaDB) -> None:
    import MySQLdb

    with pytest.raises(MySQLdb.OperationalError, match="denied"):
        asked(service.url, "CREATE DATABASE other")
    with pytest.raises(MySQLdb.OperationalError, match="denied"):
        asked(service.admin_url.replace(service.password, "guessed"), "SELECT 1")


def test_what_changes_figures_is_recorded(service: MariaDB) -> None:
    assert service.version.split(".")[0].isdigit()
    assert service.settings["innodb_flush_log_at_trx_commit"] == "1"
    assert service.settings["character_set_server"] == "utf8mb4"
    assert int(service.settings["max_connections"]) == CONNECTIONS + WATCHING


@pytest.mark.skipif(os.geteuid() != 0, reason="only root must become somebody else")
def test_started_by_root_it_runs_as_nobody(service: MariaDB) -> None:
    owners = {os.stat(f"/proc/{pid}").st_uid for pid in service.process.living()}
    assert owners == {pwd.getpwnam(NOBODY).pw_uid}


def test_nothing_is_left() -> None:
    marker = uuid.uuid4().hex
    with folder() as place:
        with MariaDB(folder=place, marker=marker, env=dict(os.environ), fsync=False) as service:
            assert service.settings["innodb_flush_log_at_trx_commit"] == "2"
            assert service.settings["innodb_doublewrite"] == "0"
            open_one = connected(service.url)
            assert {path.name for path in place.iterdir()} == {
                "data",
                "mariadb-install-db.log",
                "mariadb.log",
            }, "the file with the password is gone, and all else lies in its data folder"
        open_one.close()
        assert service.process.poll() == 0
        assert {one.suffix for one in place.iterdir()} == {".log"}
    assert processes_with(marker) == []
    assert service.port is not None
    ensure_port_free(service.host, service.port)


def test_a_taken_port_is_told() -> None:
    with folder() as place, socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(StartError, match=f"Port {port} of 127.0.0.1 is taken by process"),
            MariaDB(folder=place, marker=MARKER, env=dict(os.environ), port=port),
        ):
            pytest.fail("it started")


def test_a_failing_installation_is_told_with_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchsuite.services.mariadb.DATA", "/proc/data")
    with (
        folder() as place,
        pytest.raises(StartError, match=r"(?s)mariadb-install-db ended with status 1.*log ends"),
        MariaDB(folder=place, marker=MARKER, env=dict(os.environ)),
    ):
        pytest.fail("it started")


def test_without_its_programs_the_command_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {"mariadbd": "/usr/sbin/mariadbd", "mariadb-install-db": "/usr/bin/mariadb-install-db"}
    monkeypatch.setattr("benchsuite.system.programs.find_program", found.get)
    with (
        pytest.raises(UnavailableError, match="no program mysqldump; apt install default-mysql-cl"),
        MariaDB(folder=tmp_path, marker=MARKER, env=dict(os.environ)),
    ):
        pytest.fail("it started")


def test_a_project_is_served_on_it_and_dropped_when_all_connections_are_taken(
    tmp_path: Path, service: MariaDB
) -> None:
    project = stranger(tmp_path, databases=SQLITE)
    with (
        project.kept(use="mariadb", database_url=service.admin_url) as keeper,
        ExitStack() as stack,
    ):
        assert keeper.facts.engine == f"mariadb {service.version}"
        assert keeper.facts.database_address == (service.host, service.port)
        with keeper.clone(TOKEN, database_url=service.url) as plan, project.served(plan) as port:
            assert service.admin_url not in plan.read_text()
            for _ in range(4):
                assert get(port, "/order/")[0] == 200
            found = json.loads(get(port, "/settle/")[1])
            template, copy = sorted(databases(service), key=len)
            held = [
                stack.enter_context(closing(connected(service.url)))
                for _ in range(CONNECTIONS + WATCHING)
            ]
            held[0].autocommit(False)
            held[0].select_db(copy)
            held[0].query("INSERT INTO shop_log (text) VALUES ('not committed')")
            assert keeper.counts(TOKEN) == {"orders": 7, "logs": 4}
            assert keeper.rows(TOKEN).of["shop_order"] == 7
        assert databases(service) == [template], "whoever still has a transaction in the copy"
    assert found["users"] == {"default": USER}
    assert not databases(service)
    assert not list(tmp_path.glob("*.sqlite3*"))


def test_a_copy_that_lacks_tables_is_no_copy(
    tmp_path: Path, service: MariaDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Django starts mysqldump and looks at nothing but its output."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "mysqldump").write_text("#!/bin/sh\necho no rights >&2; exit 2\n")
    (programs / "mysqldump").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    project = stranger(tmp_path, databases=SQLITE)
    with (
        project.kept(use="mariadb", database_url=service.admin_url) as keeper,
        pytest.raises(Exception, match="copied 0 of 3 tables"),
        keeper.clone(TOKEN, database_url=service.url),
    ):
        pytest.fail("it went on")
    assert not databases(service)
