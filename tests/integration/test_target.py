"""The target project as runs serve it: every workload's journey on real WSGI and ASGI servers."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchsuite.core.samples import Kind
from benchsuite.core.specs import DatabaseSpec, ServerSpec, WorkloadSpec
from benchsuite.isolation.databases.client import throwaway
from benchsuite.isolation.instructions import INSTRUCTIONS_VARIABLE, RUN_VARIABLE, SETTINGS_MODULE
from benchsuite.servers import BUILTIN as SERVERS
from benchsuite.servers.base import Application, ServerAdapter
from benchsuite.system.network import free_port
from benchsuite.system.process import running, wait_until_ready
from benchsuite.telemetry.prober.answer import answers_as
from benchsuite.workloads import BUILTIN
from benchsuite.workloads.base import Workload
from benchsuite.workloads.bench_app import BenchApp, BenchAppAsync
from benchsuite.workloads.io_read import IoRead
from tests.integration.loads import a_job, load
from tests.needs import audited

TOKEN = "badc0ffe" * 4
ROWS = 40


@dataclass
class Answer:
    status_code: int
    content: bytes
    headers: dict[str, str]

    def json(self) -> Any:
        return json.loads(self.content)


class PlainClient:
    """The smallest client a journey can have: one connection for each request."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.answers: list[Answer] = []

    def get(self, path: str, *, name: str = "", headers: Any = None) -> Answer:
        return self._ask("GET", path, None, dict(headers or {}))

    def post(
        self,
        path: str,
        data: Any = "",
        content_type: str = "",
        *,
        name: str = "",
        headers: Any = None,
    ) -> Answer:
        return self._ask("POST", path, data, {"Content-Type": content_type, **(headers or {})})

    def _ask(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            answer = Answer(response.status, response.read(), dict(response.getheaders()))
        finally:
            connection.close()
        self.answers.append(answer)
        return answer


def loaded(dotted: str) -> Any:
    module, _, name = dotted.rpartition(".")
    return getattr(import_module(module), name)


@contextmanager
def served(folder: Path, server: str) -> Iterator[tuple[PlainClient, WorkloadSpec]]:
    """testproject on that server, on a throw-away database with ROWS rows."""
    adapter: ServerAdapter = loaded(SERVERS[server])(ServerSpec(server=server), Application())
    port = free_port()
    with (
        throwaway(
            folder=folder,
            settings_module="testproject.settings.target",
            token="0123456789ab",
            workload_path=BUILTIN["io_join"],
            workload=WorkloadSpec(workload="io_join"),
            database=DatabaseSpec(rows=ROWS),
            needs_target_app=True,
            log=folder / "keeper.log",
            env=os.environ,
        ) as keeper,
        keeper.clone(TOKEN) as instructions,
    ):
        env = {
            **os.environ,
            **adapter.env(),
            "DJANGO_SETTINGS_MODULE": SETTINGS_MODULE,
            INSTRUCTIONS_VARIABLE: str(instructions),
            RUN_VARIABLE: TOKEN,
        }
        with running(
            adapter.argv("127.0.0.1", port),
            name=server,
            log=folder / "server.log",
            env=env,
            stop_signal=adapter.stop_signal,
            grace_s=adapter.grace_s,
            marker=TOKEN,
        ) as process:
            url = f"http://127.0.0.1:{port}/bench/plain/"
            wait_until_ready(process, lambda: answers_as(url, TOKEN), timeout_s=30)
            yield PlainClient(port), keeper.facts.workload(WorkloadSpec(workload="io_read"))


def workloads() -> list[Workload]:
    """Every workload of the target app that needs HTTP and no cookies, small enough for a test."""
    classes = [loaded(dotted) for dotted in BUILTIN.values()]
    return [
        one(size=1000) if "size" in one.options else one()
        for one in classes
        if one.needs_target_app
        and not (one.whole_journeys or one.needs_workers or one.needs_websocket)
        and not one().services
    ]


@pytest.mark.parametrize(
    "server",
    audited(
        [
            "gunicorn-gthread",
            "uwsgi",
            "uvicorn",
            "daphne",
            "hypercorn",
            "granian-wsgi",
            "granian-asgi",
        ],
        *("gunicorn-gthread", "uvicorn"),
    ),
)
def test_every_journey_is_right_on_a_real_server(server: str, tmp_path: Path) -> None:
    with served(tmp_path, server) as (client, spec):
        assert spec.options == {"rows": ROWS}
        IoRead(**spec.options).journey(client)
        for workload in [*workloads(), BenchApp(version=2), BenchAppAsync(version=2)]:
            workload.journey(client)
        client.get("/nowhere/")
    headers = [{key.lower(): value for key, value in one.headers.items()} for one in client.answers]
    assert {one.get("x-benchsuite-run") for one in headers} == {TOKEN}
    assert client.answers[-1].status_code == 404
    assert "Traceback" not in (tmp_path / "server.log").read_text()


@pytest.mark.parametrize("server", audited(["gunicorn-gthread", "uvicorn", "daphne"], "uvicorn"))
def test_a_stream_goes_on_where_it_was_dropped(server: str, tmp_path: Path) -> None:
    with served(tmp_path, server) as (client, _):
        job = a_job(
            f"http://127.0.0.1:{client.port}",
            "benchsuite.workloads.sse.Sse",
            unit="event",
            rate=50.0,
            events=10,
            run_header=TOKEN,
            duration_s=1.0,
        )
        result = load(tmp_path, job)
    events = result.of("event /bench/sse/")
    assert result.kinds("event /bench/sse/") == {Kind.OK: len(events)}
    assert 30 <= len(events) <= 100
    assert np.median(events["finish"] - events["start"]) == pytest.approx(0.02, rel=0.3)
    assert len(result.of("stream /bench/sse/")) >= 6
    assert result.of("stray /bench/sse/") == []
