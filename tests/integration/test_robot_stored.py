"""What the robot claims to have completed is what the database holds, on each kind of server."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchsuite.core.samples import Kind
from benchsuite.core.specs import DatabaseSpec, LoadProfile, ServerSpec, WorkloadSpec
from benchsuite.isolation.databases.client import throwaway
from benchsuite.load.job import Job
from benchsuite.runner.process_environment import process_environment
from benchsuite.servers import BUILTIN as SERVERS
from benchsuite.servers.base import Application, Place, ServerAdapter
from benchsuite.system.ports import free_port
from benchsuite.system.readiness import wait_until_ready
from benchsuite.system.starting import running
from benchsuite.telemetry.prober.answer import answers_as
from benchsuite.workloads import BUILTIN
from tests.integration.loads import load
from tests.integration.postgres import Cluster, cluster
from tests.integration.test_target import loaded
from tests.needs import needs

pytestmark = needs("selectolax", "faker")

TOKEN = "0123456789abcdef"
CHECKED = 2
"""The journey that is checked before the load."""

SERVED_ELSEWHERE = ("circus-",)
"""The same servers, started by another program."""
NO_COOKIES = ("tornado", "gunicorn-tornado")
"""Tornado 6.6 refuses the space that Django puts before a cookie (docs/servers.md)."""


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    with cluster() as one:
        yield one


@pytest.mark.parametrize(
    "name", [name for name in SERVERS if not name.startswith(SERVED_ELSEWHERE + NO_COOKIES)]
)
@pytest.mark.parametrize(
    "engine", ["sqlite", pytest.param("postgresql", marks=needs("postgresql", "psycopg"))]
)
def test_as_many_completions_are_stored_as_were_claimed(
    name: str, engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    own = tmp_path / "own.sqlite3"
    env = {**os.environ, "DATABASE_URL": f"sqlite:///{own}"}
    use = request.getfixturevalue("server").url("shop") if engine == "postgresql" else "throwaway"
    server_class = loaded(SERVERS[name])
    if not (available := server_class.available()).ok:
        pytest.skip(f"{name}: {available.reason}; {available.command}")
    adapter: ServerAdapter = server_class(
        ServerSpec(server=name), Application(), Place(folder=tmp_path)
    )
    port = free_port()
    for file, content in adapter.config_files("127.0.0.1", port).items():
        (tmp_path / file).write_text(content)
    with (
        throwaway(
            folder=tmp_path,
            settings_module="testproject.settings.target",
            token="0123456789ab",
            workload_path=BUILTIN["survey"],
            workload=WorkloadSpec(workload="survey"),
            database=DatabaseSpec(use=use),
            needs_target_app=True,
            log=tmp_path / "keeper.log",
            env=env,
        ) as keeper,
        keeper.clone(TOKEN) as plan,
        running(
            adapter.argv("127.0.0.1", port),
            name=name,
            log=tmp_path / "server.log",
            env={
                **process_environment(adapter, token=TOKEN, instructions=plan, seed=1),
                "DATABASE_URL": env["DATABASE_URL"],
            },
            stop_signal=adapter.stop_signal,
            grace_s=adapter.grace_s,
            marker=TOKEN,
        ) as process,
    ):
        base_url = f"http://127.0.0.1:{port}"
        wait_until_ready(
            process, lambda: answers_as(f"{base_url}/bench/plain/", TOKEN), timeout_s=30
        )
        assert keeper.counts(TOKEN)["completions"] == 0
        job = Job(
            base_url=base_url,
            run_header=TOKEN,
            workload_class=BUILTIN["survey"],
            workload=keeper.workload,
            load=LoadProfile(users=3, warmup_s=0.5, duration_s=1.0, timeout_s=30.0),
            spool="",
        )
        came = load(tmp_path, job)
        stored = keeper.counts(TOKEN)
    claimed = 0
    for journey in [entry.name for entry in came.names if entry.scope == "journey"]:
        kinds = came.kinds(journey)
        assert set(kinds) <= {Kind.OK}, came.example(journey, max(kinds))
        claimed += kinds[Kind.OK]
    assert claimed >= 3
    assert stored["completions"] == claimed + CHECKED
    assert stored["answers"] > 5 * claimed
    assert not own.exists()
