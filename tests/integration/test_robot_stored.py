"""What the robot claims to have completed is what the database holds, on each kind of server."""

import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchsuite.core.samples import Kind
from benchsuite.core.specs import DatabaseSpec, LoadProfile, ServerSpec, WorkloadSpec
from benchsuite.isolation.databases.client import Keeper, throwaway
from benchsuite.load.job import Job
from benchsuite.runner.assembly import process_environment
from benchsuite.servers import BUILTIN as SERVERS
from benchsuite.servers.base import Application, Place, ServerAdapter
from benchsuite.system.network import free_port
from benchsuite.system.process import running, wait_until_ready
from benchsuite.telemetry.prober.answer import answers_as
from benchsuite.workloads import BUILTIN
from tests.integration.loads import load
from tests.integration.postgres import cluster
from tests.integration.test_target import loaded
from tests.needs import audited, needs

pytestmark = needs("selectolax", "faker")

CHECKED = 2
"""The journey that is checked before the load."""

SERVED_ELSEWHERE = ("circus-",)
"""The same servers, started by another program."""
NO_COOKIES = ("tornado", "gunicorn-tornado")
"""Tornado 6.6 refuses the space that Django puts before a cookie (docs/servers.md)."""


@dataclass
class Shop:
    """The target app with databases of which each server gets a clone of its own."""

    keeper: Keeper
    own: Path
    """The project's own database, which no server may make."""


def url(file: Path) -> str:
    return f"sqlite:///{file}"


@pytest.fixture(
    scope="module",
    params=["sqlite", pytest.param("postgresql", marks=needs("postgresql", "psycopg"))],
)
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shop]:
    folder = tmp_path_factory.mktemp(request.param)
    own = folder / "own.sqlite3"
    with ExitStack() as stack:
        use = "throwaway"
        if request.param == "postgresql":
            use = stack.enter_context(cluster()).url("shop")
        keeper = stack.enter_context(
            throwaway(
                folder=folder,
                settings_module="testproject.settings.target",
                token="0123456789ab",
                workload_path=BUILTIN["survey"],
                workload=WorkloadSpec(workload="survey"),
                database=DatabaseSpec(use=use),
                needs_target_app=True,
                log=folder / "keeper.log",
                env={**os.environ, "DATABASE_URL": url(own)},
            )
        )
        yield Shop(keeper, own)


@pytest.mark.parametrize(
    "name",
    audited(
        [name for name in SERVERS if not name.startswith(SERVED_ELSEWHERE + NO_COOKIES)],
        *("gunicorn-gthread", "uvicorn"),
    ),
)
def test_as_many_completions_are_stored_as_were_claimed(
    name: str, shop: Shop, tmp_path: Path
) -> None:
    keeper, token = shop.keeper, secrets.token_hex(8)
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
        keeper.clone(token) as plan,
        running(
            adapter.argv("127.0.0.1", port),
            name=name,
            log=tmp_path / "server.log",
            env={
                **process_environment(adapter, token=token, instructions=plan, seed=1),
                "DATABASE_URL": url(shop.own),
            },
            stop_signal=adapter.stop_signal,
            grace_s=adapter.grace_s,
            marker=token,
        ) as process,
    ):
        base_url = f"http://127.0.0.1:{port}"
        wait_until_ready(
            process, lambda: answers_as(f"{base_url}/bench/plain/", token), timeout_s=30
        )
        assert keeper.counts(token)["completions"] == 0
        job = Job(
            base_url=base_url,
            run_header=token,
            workload_class=BUILTIN["survey"],
            workload=keeper.facts.workload(WorkloadSpec(workload="survey")),
            load=LoadProfile(users=3, warmup_s=0.0, duration_s=1.0, timeout_s=30.0),
            spool="",
        )
        came = load(tmp_path, job)
        stored = keeper.counts(token)
    claimed = 0
    for journey in [entry.name for entry in came.names if entry.scope == "journey"]:
        kinds = came.kinds(journey)
        assert set(kinds) <= {Kind.OK}, came.example(journey, max(kinds))
        claimed += kinds[Kind.OK]
    assert claimed >= 3
    assert stored["completions"] == claimed + CHECKED
    assert stored["answers"] > 5 * claimed
    assert not shop.own.exists()
