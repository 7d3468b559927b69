"""A project is served on databases of its own run, and nothing of its own is written."""

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from benchsuite.core.exceptions import DatabaseError, UsageError
from tests.integration.left_behind import eventually
from tests.integration.postgres import cluster
from tests.integration.stranger import TOKEN, get, stranger
from tests.needs import needs

SQLITE = """{"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE / "shop.sqlite3"}}"""
POSTGRES = """{{"default": {{"ENGINE": "django.db.backends.postgresql", "NAME": "shop",
    "USER": "{user}", "HOST": "127.0.0.1", "PORT": "{port}"}}}}"""
SEVERAL = """{
    "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE / "shop.sqlite3"},
    "logs": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE / "logs.sqlite3"},
    "twin": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE / "logs.sqlite3"},
    "replica": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE / "replica.sqlite3",
                "TEST": {"MIRROR": "default"}},
}"""
ROUTER = """
class Router:
    def db_for_read(self, model, **hints):
        return "logs" if model.__name__ == "Log" else "replica"
    def db_for_write(self, model, **hints):
        return "logs" if model.__name__ == "Log" else "default"
    def allow_migrate(self, db, app_label, model_name=None, **hints):
        return (model_name == "log") == (db == "logs")
DATABASE_ROUTERS = [Router()]
"""
PARENT = """
import sys, time
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from tests.integration.stranger import Stranger
with Stranger(Path(sys.argv[1])).kept() as keeper, keeper.clone("deadbeef" * 4) as plan:
    print(keeper._child.pid, flush=True)
    time.sleep(60)
"""
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def server():
    with cluster() as one:
        yield one


def fingerprint(folder):
    """Every file of the project's own databases, journals included, by its content."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.glob("*.sqlite3*")
    }


def shop(server, tmp_path, user="postgres"):
    server.execute("DROP DATABASE IF EXISTS shop WITH (FORCE)")
    server.execute("CREATE DATABASE shop")
    return POSTGRES.format(user=user, port=server.port)


def test_the_load_writes_nothing_to_the_projects_sqlite_file(tmp_path):
    project = stranger(tmp_path, databases=SQLITE)
    project.manage("migrate")
    with sqlite3.connect(tmp_path / "shop.sqlite3") as own:
        own.execute("INSERT INTO shop_order (text) VALUES ('mine')")
    own.close()
    before = fingerprint(tmp_path)
    with project.kept() as keeper:
        keeper.wait()
        with keeper.clone(TOKEN) as plan, project.served(plan) as port:
            for _ in range(30):
                assert get(port, "/order/")[0] == 200
            status, body, header = get(port, "/settle/")
        assert keeper.facts.cookies == {"flavour": "oat"}
        assert keeper.facts.database_address is None
    found = json.loads(body)
    assert (status, header) == (200, TOKEN)
    assert (found["orders"], found["logs"]) == (33, 30)
    assert found["debug"] is False
    assert fingerprint(tmp_path) == before
    assert not list((tmp_path / "run").rglob("*.sqlite3*"))


@needs("postgresql", "psycopg")
@pytest.mark.parametrize("pool", ["False", "True"])
def test_what_a_run_left_in_its_databases_is_counted(pool, tmp_path, server):
    """While the server holds its connections, and before the databases are dropped."""
    databases = shop(server, tmp_path).replace('"NAME"', f'"OPTIONS": {{"pool": {pool}}}, "NAME"')
    project = stranger(tmp_path, databases=databases)
    with project.kept() as keeper:
        for token in ("a" * 32, TOKEN):
            with keeper.clone(token) as plan, project.served(plan) as port:
                assert keeper.counts(token) == {"orders": 3, "logs": 0}
                for _ in range(5):
                    get(port, "/order/")
                assert keeper.counts(token) == {"orders": 8, "logs": 5}
    assert server.databases() == ["shop"]


def test_aliases_routers_and_a_mirror_are_respected_and_each_is_counted(tmp_path):
    project = stranger(tmp_path, databases=SEVERAL, more=ROUTER)
    with project.kept() as keeper:
        with keeper.clone(TOKEN) as plan, project.served(plan) as port:
            before = keeper.rows(TOKEN).of
            get(port, "/order/")
            assert keeper.counts(TOKEN) == {"orders": 4, "logs": 1}
            found = json.loads(get(port, "/settle/")[1])
            after = keeper.rows(TOKEN).of
            gained = {name: after[name] - before[name] for name in after}
            assert {name for name in gained if gained[name]} == {"shop_order", "shop_log (in logs)"}
        with keeper.clone("a" * 32):
            assert keeper.counts("a" * 32) == {"orders": 3, "logs": 0}
    names = found["names"]
    assert (found["orders"], found["logs"]) == (4, 1)
    assert names["replica"] == names["default"] != names["logs"] == names["twin"]
    assert all(name.startswith(str(tmp_path / "run")) for name in names.values())
    assert not list(tmp_path.rglob("*.sqlite3*"))


def test_a_kept_database_is_the_projects_own_and_counted_as_it_is(tmp_path):
    project = stranger(tmp_path, databases=SQLITE)
    project.manage("migrate")
    with project.kept(use="keep") as keeper, keeper.clone(TOKEN) as plan:
        assert keeper.facts.cookies == {}
        assert "DATABASES" not in keeper.settings_changed
        assert keeper.counts(TOKEN) == {"orders": 0, "logs": 0}
        with project.served(plan) as port:
            get(port, "/order/")
            found = json.loads(get(port, "/settle/")[1])
        assert keeper.counts(TOKEN) == {"orders": 1, "logs": 1}
    assert found["names"]["default"] == str(tmp_path / "shop.sqlite3")
    assert (tmp_path / "shop.sqlite3").exists()


@needs("postgresql", "psycopg")
def test_a_url_makes_the_databases_on_that_server(tmp_path, server):
    project = stranger(tmp_path, databases=SQLITE)
    with project.kept(use=server.url("elsewhere")) as keeper, keeper.clone(TOKEN) as plan:
        assert keeper.facts.database_address == ("127.0.0.1", server.port)
        assert all(name.startswith("bench_0123456789ab") for name in server.databases()[:2])
        with project.served(plan) as port:
            assert json.loads(get(port, "/order/")[1]) == {"orders": 4}
    assert not list(tmp_path.glob("*.sqlite3*"))


def test_target_views_are_mounted_where_a_project_has_none(tmp_path):
    project = stranger(tmp_path, databases=SQLITE)
    with (
        project.kept(needs_target_app=True) as keeper,
        keeper.clone(TOKEN) as plan,
        project.served(plan) as port,
    ):
        assert get(port, "/bench/plain/") == (200, b"OK", TOKEN)
        assert get(port, "/settle/")[0] == 200
        assert get(port, "/nowhere/")[::2] == (404, TOKEN)
        assert {"INSTALLED_APPS", "ROOT_URLCONF"} <= set(keeper.settings_changed)


@pytest.mark.parametrize(
    "kind", ["sqlite", pytest.param("postgresql", marks=needs("postgresql", "psycopg"))]
)
def test_a_killed_parent_leaves_no_database(kind, tmp_path, request):
    server = request.getfixturevalue("server") if kind == "postgresql" else None
    stranger(tmp_path, databases=shop(server, tmp_path) if server else SQLITE)

    def made():
        files = (tmp_path / "run").glob("*.sqlite3*")
        return len(server.databases()) - 1 if server else len(list(files))

    argv = [sys.executable, "-c", PARENT, str(tmp_path), str(ROOT)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as parent:
        keeper = int(parent.stdout.readline())
        assert made() == 2
        parent.send_signal(signal.SIGKILL)
    assert eventually(lambda: gone(keeper))
    assert made() == 0


@needs("postgresql", "psycopg")
def test_what_a_killed_keeper_made_another_one_drops(tmp_path, server):
    one = stranger(tmp_path, databases=shop(server, tmp_path))
    before = server.databases()

    with one.kept() as keeper, suppress(DatabaseError), keeper.clone(TOKEN):
        assert len(server.databases()) == len(before) + 2
        os.kill(keeper._child.pid, signal.SIGKILL)

    assert server.databases() == before


@needs("postgresql", "psycopg")
def test_a_parent_that_gives_up_early_leaves_no_database(tmp_path, server):
    project = stranger(tmp_path, databases=shop(server, tmp_path))
    with project.kept(rows=200_000):
        assert eventually(lambda: len(server.databases()) >= 2)
    assert server.databases() == ["shop"]


@needs("postgresql", "psycopg")
def test_a_user_without_the_right_is_told_the_command(tmp_path, server):
    server.execute("CREATE ROLE clerk LOGIN")
    project = stranger(tmp_path, databases=shop(server, tmp_path, user="clerk"))
    with (
        pytest.raises(DatabaseError, match='ALTER ROLE "clerk" CREATEDB'),
        project.kept() as keeper,
    ):
        keeper.wait()


@needs("psycopg")
def test_what_can_not_be_made_is_told(tmp_path):
    def refused(name, databases, migration="", **database):
        project = stranger(tmp_path / name, databases=databases)
        if migration:
            (tmp_path / name / "shop/migrations/0002_wrong.py").write_text(migration)
        with pytest.raises((DatabaseError, UsageError)) as told, project.kept(**database) as keeper:
            keeper.wait()
        assert not list((tmp_path / name / "run").glob("*.sqlite3*"))
        return str(told.value)

    wrong = "import nothing_of_that_name\n"
    assert "No module named 'nothing_of_that_name'" in refused("migration", SQLITE, wrong)
    unknown = refused("url", SQLITE, use="oracule://me:secret@host/name")
    assert "oracule://… is not a database URL" in unknown
    away = refused("server", POSTGRES.format(user="me", port=9))
    assert "127.0.0.1:9 can't be reached" in away


def gone(pid):
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True
