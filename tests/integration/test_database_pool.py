"""Databases of a session: made once for all runs that may copy them, made anew where their server
died, dropped when no later run needs them.
"""

import json
import os
import signal
import tempfile
import uuid
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from benchsuite.core.specs import DatabaseSpec, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner.database_pool import Data
from benchsuite.runner.planning import resolve
from benchsuite.services.base import WATCHING
from benchsuite.system.cpus import available
from tests.integration.command import wait_for
from tests.needs import needs

pytestmark = needs("postgresql", "psycopg")

ROWS = 30
TOKEN = "0123456789abcdef"


@pytest.fixture
def data():
    with tempfile.TemporaryDirectory(prefix="pg-") as folder, ExitStack() as stack:
        yield Data("testproject.settings.target", Path(folder), stack, uuid.uuid4().hex)


def plan(workload, *, use="postgresql", **database):
    return resolve(
        RunSpec(
            server=ServerSpec(server="gunicorn-sync"),
            workload=WorkloadSpec(workload=workload),
            database=DatabaseSpec(use=use, rows=ROWS, **database),
        )
    )


def counted(data, one):
    """The rows of a copy, as the server of a run sees them."""
    service = data.service(one)
    with data.keeper(one).clone(TOKEN, database_url=service.url) as path:
        name = json.loads(path.read_text())["databases"]["default"]
        with psycopg.connect(service.url.replace("/postgres", f"/{name}")) as connection:
            row = connection.execute("SELECT count(*) FROM benchsuite_target_post").fetchone()
    return int(row[0])


def die(service):
    os.kill(service.process.pid, signal.SIGKILL)
    wait_for("its end", lambda: service.process.poll() is not None)


def limit(service):
    """Clients that it admits besides those kept for the run itself."""
    with psycopg.connect(service.admin_url) as connection:
        found = connection.execute(
            "SELECT current_setting('max_connections')::int"
            " - current_setting('superuser_reserved_connections')::int"
        ).fetchone()
    return int(found[0]) - WATCHING


def test_rows_are_made_once_for_all_that_read_them_however_they_are_reached(data):
    first = plan("io_read", max_connections=20)
    keeper = data.keeper(first)
    assert counted(data, first) == ROWS
    cluster, started = data.service(first), limit(data.service(first))
    for other in (
        plan("io_read_async", max_connections=20, pool=2),
        plan("io_read_async", max_connections=30, conn_max_age_s=0.0),
        plan("io_read", max_connections=20, conn_max_age_s=5.0),
    ):
        assert data.keeper(other) is keeper
        assert counted(data, other) == ROWS
        assert data.service(other) is cluster
        assert limit(cluster) == other.spec.database.max_connections
    assert started == 20
    elsewhere = resolve(
        replace(first.spec, server=replace(first.spec.server, cpus=(available()[0],)))
    )
    assert data.keeper(elsewhere) is keeper
    assert os.sched_getaffinity(cluster.process.pid) == {available()[0]}
    more = resolve(replace(first.spec, database=replace(first.spec.database, rows=ROWS + 1)))
    assert data.keeper(more) is not keeper
    assert counted(data, more) == ROWS + 1


def test_workloads_without_rows_share_one_project_and_others_do_not(data):
    plain, cpu, read = (plan(name, use="throwaway") for name in ("plain", "cpu", "io_read"))
    assert data.keeper(plain) is data.keeper(cpu)
    assert data.keeper(plain) is not data.keeper(read)
    for keeper in (data.keeper(plain), data.keeper(read)):
        keeper.wait()


def test_a_server_that_died_is_made_anew_with_its_databases(data):
    one = plan("io_read")
    service, keeper = data.service(one), data.keeper(one)
    keeper.wait()
    die(service)
    assert counted(data, one) == ROWS
    assert data.service(one) is not service
    assert data.keeper(one) is not keeper


def test_a_keeper_that_was_killed_is_replaced(data):
    one = plan("io_read")
    keeper = data.keeper(one)
    keeper.wait()
    os.kill(keeper._child.pid, signal.SIGKILL)
    keeper.end()
    assert keeper.was_killed
    assert counted(data, one) == ROWS
    assert data.keeper(one) is not keeper


def test_what_no_later_run_needs_is_dropped(data):
    read, create = plan("io_read"), plan("io_create")
    service = data.service(read)
    data.keeper(read).wait()
    data.keeper(create).wait()
    assert len(names(service)) == 2
    data.keep_for([create])
    assert len(names(service)) == 1
    data.keep_for([plan("plain", use="throwaway")])
    assert service.process.poll() is not None
    assert not service.data.exists()


def names(service):
    with psycopg.connect(service.admin_url) as connection:
        rows = connection.execute("SELECT datname FROM pg_database WHERE datname ~ '^bench_'")
        return [name for (name,) in rows]


def test_one_that_died_leaves_nothing_to_complain_of_at_the_end():
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        with ExitStack() as stack:
            data = Data("testproject.settings.target", Path(folder), stack, uuid.uuid4().hex)
            one = plan("io_read")
            data.keeper(one).wait()
            service = data.service(one)
            die(service)
        assert not service.data.exists()
