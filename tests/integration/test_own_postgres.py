"""A project is served on a PostgreSQL of the run's own, as the instructions say."""

import json
import os
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from benchsuite.core.exceptions import DatabaseError, UsageError
from benchsuite.core.specs import DatabaseSpec, RunSpec, ServerSpec
from benchsuite.runner.database_pool import Data
from benchsuite.runner.planning import resolve
from benchsuite.services.base import Service
from benchsuite.services.database import USER, WATCHING
from benchsuite.services.postgres import PostgreSQL
from benchsuite.system.cpus import available
from tests.integration.stranger import TOKEN, get, stranger
from tests.needs import needs

pytestmark = needs("postgresql", "psycopg")

SQLITE = """{"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE / "shop.sqlite3"}}"""
EXTENSION = """
from django.contrib.postgres.operations import HStoreExtension
from django.db import migrations
class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    operations = [HStoreExtension()]
"""
CONNECTIONS = 6


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with (
        tempfile.TemporaryDirectory(prefix="pg-") as folder,
        PostgreSQL(
            folder=Path(folder),
            marker=uuid.uuid4().hex,
            max_connections=CONNECTIONS,
            env=dict(os.environ),
        ) as one,
    ):
        yield one


def databases(service: Service) -> list[str]:
    with psycopg.connect(service.admin_url, prepare_threshold=None) as connection:
        rows = connection.execute("SELECT datname FROM pg_database WHERE datname ~ '^bench_'")
        return [name for (name,) in rows]


def test_the_target_works_there_as_an_ordinary_user(tmp_path: Path, service: Service) -> None:
    project = stranger(tmp_path, databases=SQLITE)
    (tmp_path / "shop/migrations/0002_hstore.py").write_text(EXTENSION)
    with project.kept(use="postgresql", database_url=service.admin_url) as keeper:
        assert keeper.facts.engine == f"postgresql {service.version}"
        assert keeper.facts.database_address == (service.host, service.port)
        with (
            keeper.clone(TOKEN, database_url=service.url) as instructions,
            project.served(instructions) as port,
        ):
            assert service.admin_url not in instructions.read_text()
            for _ in range(4):
                assert get(port, "/order/")[0] == 200
            found = json.loads(get(port, "/settle/")[1])
            assert keeper.counts(TOKEN) == {"orders": 7, "logs": 4}
    assert found["users"] == {"default": USER}
    assert not databases(service)
    assert not list(tmp_path.glob("*.sqlite3*"))


def test_what_a_run_left_is_counted_and_dropped_when_all_connections_are_taken(
    tmp_path: Path, service: Service
) -> None:
    project = stranger(tmp_path, databases=SQLITE)
    with (
        project.kept(use="postgresql", database_url=service.admin_url) as keeper,
        keeper.clone(TOKEN, database_url=service.url),
        ExitStack() as stack,
    ):
        for _ in range(CONNECTIONS + WATCHING):
            stack.enter_context(psycopg.connect(service.url))
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(service.url)
        assert keeper.counts(TOKEN) == {"orders": 3, "logs": 0}
    assert not databases(service)


def test_a_pool_is_the_largest_that_the_target_opens(tmp_path: Path, service: Service) -> None:
    project = stranger(tmp_path, databases=SQLITE)
    with (
        project.kept(use="postgresql", database_url=service.admin_url, pool=2) as keeper,
        keeper.clone(TOKEN, database_url=service.url) as instructions,
        project.served(instructions) as port,
    ):
        assert "each process has a pool of 2" in keeper.settings_changed["DATABASES"]
        for _ in range(5):
            assert get(port, "/order/")[0] == 200
        with psycopg.connect(service.admin_url, prepare_threshold=None) as connection:
            counted = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname ~ '^bench_'"
            ).fetchone()
    assert counted == (2,)


def test_a_pool_on_sqlite_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    project = stranger(tmp_path, databases=SQLITE)
    with (
        project.kept(pool=2) as keeper,
        pytest.raises(DatabaseError, match=r"--pool=2 needs PostgreSQL.*is sqlite3"),
    ):
        keeper.wait()
    assert not list((tmp_path / "run").rglob("*.sqlite3*"))


def test_sqlite_has_no_address(tmp_path: Path) -> None:
    with stranger(tmp_path, databases=SQLITE).kept() as keeper:
        assert keeper.facts.database_address is None


def test_the_way_to_the_database_may_be_another_for_the_server(
    tmp_path: Path, service: Service
) -> None:
    """The keeper goes straight there all the same."""
    project = stranger(tmp_path, databases=SQLITE)
    with (
        project.kept(use="postgresql", database_url=service.admin_url) as keeper,
        keeper.clone(
            TOKEN, database_url=service.url, database_host="127.0.0.1", database_port=9
        ) as instructions,
    ):
        assert json.loads(instructions.read_text())["database_port"] == 9
        assert "reached through 127.0.0.1:9" in keeper.settings_changed["DATABASES"]
        assert keeper.counts(TOKEN) == {"orders": 3, "logs": 0}


def test_a_server_that_was_not_started_is_no_place(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="a server that the run has already started"),
        stranger(tmp_path, databases=SQLITE).kept(use="postgresql"),
    ):
        pytest.fail("it went on")


@pytest.mark.parametrize("cpus", [(available()[0],), None])
def test_it_runs_on_the_cpus_of_the_target(cpus: tuple[int, ...] | None) -> None:
    asked = RunSpec(
        server=ServerSpec(server="gunicorn-sync", cpus=cpus),
        database=DatabaseSpec(use="postgresql"),
    )
    with tempfile.TemporaryDirectory(prefix="pg-") as folder, ExitStack() as stack:
        data = Data("testproject.settings.target", Path(folder), stack, uuid.uuid4().hex)
        service = data.service(resolve(asked))
        assert service is not None
        assert data.service(resolve(asked)) is service
        allowed = os.sched_getaffinity(service.process.pid)  # all that it starts inherits them
    assert allowed == set(cpus or available())
