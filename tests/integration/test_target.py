"""The target project as runs serve it: every workload's journey, its streams, surveys and consumers
on real servers; completions are those that the database holds.
"""

import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import requests
from bs4 import BeautifulSoup
from django.utils.module_loading import import_string
from websockets.sync.client import ClientConnection, connect

from benchsuite.core.samples import Kind
from benchsuite.core.specs import DatabaseSpec, LayerSpec, LoadProfile, WorkloadSpec
from benchsuite.isolation.databases.client import Keeper, throwaway
from benchsuite.isolation.facts import Order
from benchsuite.isolation.instructions import Instructions, about_the_project
from benchsuite.load.job import Job
from benchsuite.pythons.interpreter import project_folders
from benchsuite.servers.base import Application
from benchsuite.services.redis import Redis
from benchsuite.workloads import BUILTIN
from benchsuite.workloads.base import Workload
from benchsuite.workloads.pages import BenchApp, BenchAppAsync, IoRead
from tests.integration.command import ROOT
from tests.integration.loads import a_job, load
from tests.integration.postgres import cluster
from tests.integration.serving import CLASSES, HOST, Served, started
from tests.needs import audited, needs

TOKEN = "badc0ffe" * 4
ROWS = 40
TARGET = "testproject.settings.target"


@contextmanager
def served(name: str, folder: Path, instructions: Path, token: str = TOKEN) -> Iterator[Served]:
    """A server as a run starts it, once it answers."""
    with started(
        name,
        folder,
        application=Application(),
        environment={
            **about_the_project(instructions),
            "PYTHONPATH": os.pathsep.join([str(ROOT), *project_folders()]),
        },
        marker=token,
    ) as server:
        server.wait()
        yield server


def kept(
    folder: Path, workload: str, path: str = "", use: str = "throwaway", **env: str
) -> AbstractContextManager[Keeper]:
    """The keeper of the target's databases, filled as this workload wants it."""
    order = Order(
        workload_path=path or BUILTIN[workload],
        workload=WorkloadSpec(workload=workload),
        database=DatabaseSpec(use=use, rows=ROWS),
    )
    instructions = Instructions(
        settings_module=TARGET,
        token="0123456789ab",
        folder=str(folder.resolve()),
        needs_target_app=True,
    )
    env = {**os.environ, **env}
    return throwaway(order, instructions, log=folder / "keeper.log", env=env)


class PlainClient:
    """The smallest client a journey can have: one connection for each request."""

    def __init__(self, port: int) -> None:
        self.url = f"http://{HOST}:{port}"
        self.answers: list[requests.Response] = []

    def get(self, path: str, *, name: str = "", headers: Any = None) -> requests.Response:
        return self._ask("GET", path, b"", headers)

    def post(
        self,
        path: str,
        data: Any = "",
        content_type: str = "",
        *,
        name: str = "",
        headers: Any = None,
    ) -> requests.Response:
        return self._ask("POST", path, data, {"Content-Type": content_type, **(headers or {})})

    def _ask(self, method: str, path: str, data: Any, headers: Any) -> requests.Response:
        answer = requests.request(method, self.url + path, data=data, headers=headers, timeout=30)
        self.answers.append(answer)
        return answer


def workloads() -> list[Workload]:
    """Every workload of the target app that needs HTTP and no cookies, small enough for a test."""
    return [
        one(size=1000) if "size" in one.options else one()
        for one in map(import_string, BUILTIN.values())
        if one.needs_target_app
        and not (one.whole_journeys or one.needs_workers or one.needs_websocket)
        and not one().services
    ]


@pytest.mark.parametrize(
    "server",
    [
        *("gunicorn-gthread", "uvicorn"),
        *audited(["uwsgi", "daphne", "hypercorn", "granian-wsgi", "granian-asgi"]),
    ],
)
def test_every_journey_is_right_and_a_stream_goes_on_where_it_was_dropped(server, tmp_path):
    with (
        kept(tmp_path, "io_join") as keeper,
        keeper.clone(TOKEN) as instructions,
        served(server, tmp_path, instructions) as running,
    ):
        client = PlainClient(running.port)
        spec = keeper.facts.workload(WorkloadSpec(workload="io_read"))
        assert spec.options == {"rows": ROWS}
        IoRead(**spec.options).journey(client)
        for workload in [*workloads(), BenchApp(version=2), BenchAppAsync(version=2)]:
            workload.journey(client)
        client.get("/nowhere/")
        job = a_job(
            f"http://{HOST}:{running.port}",
            BUILTIN["sse"],
            unit="event",
            rate=50.0,
            events=10,
            run_header=TOKEN,
            duration_s=1.0,
        )
        result = load(tmp_path, job)
    assert {one.headers.get("X-Benchsuite-Run") for one in client.answers} == {TOKEN}
    assert client.answers[-1].status_code == 404
    assert "Traceback" not in running.log
    events = result.of("event /bench/sse/")
    assert result.kinds("event /bench/sse/") == {Kind.OK: len(events)}
    assert 30 <= len(events) <= 100
    assert np.median(events["finish"] - events["start"]) == pytest.approx(0.02, rel=0.3)
    assert len(result.of("stream /bench/sse/")) >= 6
    assert result.of("stray /bench/sse/") == []


@pytest.fixture(
    scope="module",
    params=["sqlite", pytest.param("postgresql", marks=needs("postgresql", "psycopg"))],
)
def use(request: pytest.FixtureRequest) -> Iterator[str]:
    """What --database says."""
    if request.param == "sqlite":
        yield "throwaway"
        return
    with cluster() as server:
        yield server.url("surveys")


CHECKED = 2
"""The journey that is checked before the load."""
NO_COOKIES = ("tornado", "gunicorn-tornado")
"""Tornado 6.6 refuses the space that Django puts before a cookie (docs/servers.md)."""


@pytest.fixture(scope="module")
def surveys(use: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keeper]:
    """Databases of which each server gets a clone of its own; the project's own is never made."""
    folder = tmp_path_factory.mktemp("surveys")
    own = folder / "own.sqlite3"
    with kept(folder, "survey", use=use, DATABASE_URL=f"sqlite:///{own}") as keeper:
        yield keeper
    assert not own.exists()


SURVEYED = [name for name in CLASSES if not name.startswith("circus-") and name not in NO_COOKIES]
TESTED = ("gunicorn-gthread", "uvicorn")
ON_EACH = [name for name in SURVEYED if name in TESTED or "gevent" in name]
"""On both databases: greenlets wait for each in another way. The others need not know which."""


@needs("selectolax", "faker")
@pytest.mark.parametrize("name", audited(ON_EACH, *TESTED))
def test_as_many_completions_are_stored_as_the_robot_claims(name, surveys, tmp_path):
    token = secrets.token_hex(8)
    with (
        surveys.clone(token) as instructions,
        served(name, tmp_path, instructions, token) as running,
    ):
        assert surveys.counts(token)["completions"] == 0
        job = Job(
            base_url=f"http://{HOST}:{running.port}",
            run_header=token,
            workload_class=BUILTIN["survey"],
            workload=surveys.facts.workload(WorkloadSpec(workload="survey")),
            load=LoadProfile(users=3, warmup_s=0.0, duration_s=1.0, timeout_s=30.0),
            spool="",
        )
        came = load(tmp_path, job)
        stored = surveys.counts(token)
    claimed = 0
    for journey in [entry.name for entry in came.names if entry.scope == "journey"]:
        kinds = came.kinds(journey)
        assert set(kinds) <= {Kind.OK}, came.example(journey, max(kinds))
        claimed += kinds[Kind.OK]
    assert claimed >= 3
    assert stored["completions"] == claimed + CHECKED
    assert stored["answers"] > 5 * claimed


@pytest.mark.audit
@needs("selectolax", "faker")
@pytest.mark.parametrize("use", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", [name for name in SURVEYED if name not in ON_EACH])
def test_so_they_are_behind_every_other_server(name, surveys, tmp_path):
    test_as_many_completions_are_stored_as_the_robot_claims(name, surveys, tmp_path)


PEOPLE = 8
COFFEE = {"cups": "3", "brew": "filter", "milk": "oat", "decaf": "no"}
WORKLOAD = """
from benchsuite.target.survey.store import store
from benchsuite.target.survey.definitions import load_surveys
from benchsuite.workloads.base import Workload
class Coffee(Workload):
    name = "coffee"
    needs_target_app = True
    def journey(self, client):
        raise NotImplementedError
    def prepare(self, database):
        load_surveys()
    def count(self, database):
        return store().counts()
"""


@pytest.mark.parametrize("server", audited(["gunicorn-gthread", "uwsgi", "uvicorn"], "uvicorn"))
def test_what_people_send_twice_or_by_half_is_counted_once(server, use, tmp_path):
    (tmp_path / "coffee_bench.py").write_text(WORKLOAD)
    path = "coffee_bench.Coffee"
    with (
        kept(tmp_path, "coffee", path, use, PYTHONPATH=str(tmp_path)) as keeper,
        keeper.clone(TOKEN) as instructions,
        served(server, tmp_path, instructions) as running,
    ):
        url = f"http://{HOST}:{running.port}/bench/survey/coffee/"
        assert keeper.counts(TOKEN)["participations"] == 0
        with ThreadPoolExecutor(4) as pool:
            codes = list(pool.map(lambda _: complete_coffee(url), range(PEOPLE)))
        half(url)
        assert len(set(codes)) == PEOPLE
        completed = {"completions": PEOPLE, "answers": 5 * PEOPLE, "uploads": 0}
        assert keeper.counts(TOKEN) == {"participations": PEOPLE + 1, **completed}
    assert "Traceback" not in running.log


def opened(url: str) -> tuple[requests.Session, dict[str, str]]:
    """A browser of one's own at the first page of the coffee survey, and what it would send."""
    browser = requests.Session()
    page = BeautifulSoup(browser.get(url, timeout=30).content, "html.parser")
    hidden = page.select("form.survey input[type=hidden]")
    return browser, {**COFFEE, **{str(one["name"]): str(one["value"]) for one in hidden}}


def complete_coffee(url: str) -> str:
    """Answers the five questions twice, as an impatient finger does; the completion code."""
    browser, sent = opened(url)
    with browser:
        answers = [browser.post(f"{url}1/", sent, timeout=30).text for _ in range(2)]
    codes = [re.search(r"data-completion-code[^>]*>(\w+)<", answer) for answer in answers]
    (code,) = {found[1] for found in codes if found}
    return code


def half(url: str) -> None:
    """Sends the page without one of its answers."""
    browser, sent = opened(url)
    with browser:
        answer = browser.post(f"{url}1/", {**sent, "cups": "13"}, timeout=30)
    page = BeautifulSoup(answer.content, "html.parser")
    assert [one["id"] for one in page.select("ul.errorlist")] == ["id_cups_error"]


SMALLEST = """
SECRET_KEY = "for a server that echoes to this machine only"
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
USE_TZ = True
ROOT_URLCONF = "smallest"
INSTALLED_APPS = ["benchsuite.target"]
urlpatterns = []
"""
"""The smallest project with Channels: no database, no layer, no middleware."""
CONSUMING = ["daphne", "uvicorn", "hypercorn", "granian-asgi", "gunicorn-uvicorn", "gunicorn-asgi"]
NO_HEADER = "granian-asgi"
"""It sends no headers of ours with the answer to a handshake."""
MESSAGES = ["é\u2028🌍", bytes(range(256)) * 400]
SUBSCRIBERS = 4
IDLE_S = 7.0
WAIT_S = 10.0


@contextmanager
def consuming(name: str, folder: Path, backend: str, url: str = "") -> Iterator[Served]:
    """The server, as a run starts it, with the layer of that run."""
    (folder / "smallest.py").write_text(SMALLEST)
    instructions = folder / "instructions.json"
    Instructions(
        settings_module="smallest",
        token=TOKEN,
        folder=str(folder),
        needs_target_app=True,
        layer=LayerSpec(backend=backend).path,
        layer_url=url,
    ).write(instructions)
    with served(name, folder, instructions) as server:
        yield server


def socket_of(stack: ExitStack, server: Served, consumer: str) -> ClientConnection:
    url = f"ws://{HOST}:{server.port}/bench/ws/{consumer}/"
    return stack.enter_context(connect(url, compression=None, proxy=None, ping_interval=None))


@pytest.mark.parametrize("name", audited(CONSUMING, "daphne", "uvicorn"))
def test_every_consumer_answers_in_every_server(name: str, tmp_path: Path) -> None:
    with consuming(name, tmp_path, "memory") as server, ExitStack() as stack:
        for twin in ("", "_sync"):
            for kind in ("echo", "echo_layer"):
                connection = socket_of(stack, server, f"{kind}{twin}")
                assert connection.response is not None
                told = connection.response.headers.get("X-Benchsuite-Run")
                assert told == (None if name == NO_HEADER else TOKEN)
                for message in MESSAGES:
                    connection.send(message)
                    assert connection.recv(WAIT_S) == message
            members = [socket_of(stack, server, f"broadcast{twin}") for _ in range(SUBSCRIBERS)]
            for message in MESSAGES:
                members[0].send(message)
                for member in members:
                    assert member.recv(WAIT_S) == message
            idle = socket_of(stack, server, f"idle{twin}")
            idle.send("hello")
            with pytest.raises(TimeoutError):
                idle.recv(0.3)


@pytest.mark.audit
@needs("redis", "redis-py", "channels-redis")
@pytest.mark.parametrize("backend", ["redis", "redis-pubsub"])
def test_an_idle_connection_outlives_the_reads_of_its_layer(backend: str, tmp_path: Path) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="bst-") as place,  # the account may reach it
        Redis(folder=Path(place), marker=TOKEN, by="tcp", env=dict(os.environ)) as service,
        consuming("uvicorn", tmp_path, backend, service.url) as server,
        ExitStack() as stack,
    ):
        members = [socket_of(stack, server, kind) for kind in ("idle", "echo", "broadcast")]
        with pytest.raises(TimeoutError):
            members[-1].recv(IDLE_S)
        for member in members[1:]:
            member.send("still there")
            assert member.recv(WAIT_S) == "still there"
        assert members[0].ping().wait(WAIT_S)
