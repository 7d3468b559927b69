"""The survey application as runs serve it: real servers, both databases, completions counted."""

import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import pytest
from bs4 import BeautifulSoup

from benchsuite.core.specs import DatabaseSpec, ServerSpec, WorkloadSpec
from benchsuite.isolation.databases.client import Keeper, throwaway
from benchsuite.isolation.instructions import INSTRUCTIONS_VARIABLE, RUN_VARIABLE, SETTINGS_MODULE
from benchsuite.servers import BUILTIN as SERVERS
from benchsuite.servers.base import Application, ServerAdapter
from benchsuite.system.network import free_port
from benchsuite.system.process import running, wait_until_ready
from benchsuite.telemetry.prober.answer import answers_as
from tests.integration.postgres import cluster
from tests.integration.test_target import loaded
from tests.needs import audited, needs

TOKEN = "5eed5eed" * 4
PEOPLE = 8
COFFEE = {"cups": "3", "brew": "filter", "milk": "oat", "decaf": "no"}
WORKLOAD = """
from benchsuite.target.survey.counts import counts
from benchsuite.target.survey.loading import load_surveys
from benchsuite.workloads.base import Workload
class Coffee(Workload):
    name = "coffee"
    needs_target_app = True
    def journey(self, client):
        raise NotImplementedError
    def prepare(self, database):
        load_surveys()
    def count(self, database):
        return counts()
"""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=needs("postgresql", "psycopg"))])
def use(request: pytest.FixtureRequest) -> Iterator[str]:
    """What --database says."""
    if request.param == "sqlite":
        yield "throwaway"
        return
    with cluster() as server:
        yield server.url("surveys")


@pytest.mark.parametrize("server", audited(["gunicorn-gthread", "uwsgi", "uvicorn"], "uvicorn"))
def test_completions_are_stored_and_counted(server: str, use: str, tmp_path: Path) -> None:
    (tmp_path / "coffee_bench.py").write_text(WORKLOAD)
    adapter: ServerAdapter = loaded(SERVERS[server])(ServerSpec(server=server), Application())
    port = free_port()
    with kept(tmp_path, use) as keeper, keeper.clone(TOKEN) as instructions:
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
            log=tmp_path / "server.log",
            env=env,
            stop_signal=adapter.stop_signal,
            grace_s=adapter.grace_s,
            marker=TOKEN,
        ) as process:
            url = f"http://127.0.0.1:{port}/bench/survey/"
            wait_until_ready(process, lambda: answers_as(url, TOKEN), timeout_s=30)
            assert keeper.counts(TOKEN)["participations"] == 0
            with ThreadPoolExecutor(4) as pool:
                codes = list(pool.map(lambda _: complete_coffee(url), range(PEOPLE)))
            half(url)
            assert len(set(codes)) == PEOPLE
            assert keeper.counts(TOKEN) == {
                "participations": PEOPLE + 1,
                "completions": PEOPLE,
                "answers": 5 * PEOPLE,
                "uploads": 0,
            }
    assert "Traceback" not in (tmp_path / "server.log").read_text()


def kept(folder: Path, use: str) -> AbstractContextManager[Keeper]:
    return throwaway(
        folder=folder,
        settings_module="testproject.settings.target",
        token="0123456789ab",
        workload_path="coffee_bench.Coffee",
        workload=WorkloadSpec(workload="coffee"),
        database=DatabaseSpec(use=use),
        needs_target_app=True,
        log=folder / "keeper.log",
        env={**os.environ, "PYTHONPATH": str(folder)},
    )


def opened(url: str) -> tuple[OpenerDirector, dict[str, str]]:
    """A browser of one's own at the first page of the coffee survey, and the hidden fields."""
    browser = build_opener(HTTPCookieProcessor(CookieJar()))
    with browser.open(f"{url}coffee/", timeout=30) as answer:
        page = BeautifulSoup(answer.read(), "html.parser")
    hidden = page.select("form.survey input[type=hidden]")
    return browser, {str(one["name"]): str(one["value"]) for one in hidden}


def complete_coffee(url: str) -> str:
    """Answers the five questions twice, as an impatient finger does; the completion code."""
    browser, hidden = opened(url)
    body = urlencode({**COFFEE, **hidden}).encode()
    codes = []
    for _ in range(2):
        with browser.open(f"{url}coffee/1/", body, timeout=30) as answer:
            found = re.search(rb"data-completion-code[^>]*>(\w+)<", answer.read())
            assert found
            codes.append(found[1].decode())
    assert codes[0] == codes[1]
    return codes[0]


def half(url: str) -> None:
    """Sends the page without one of its answers."""
    browser, hidden = opened(url)
    body = urlencode({**COFFEE, **hidden, "cups": "13"}).encode()
    with browser.open(f"{url}coffee/1/", body, timeout=30) as answer:
        page = BeautifulSoup(answer.read(), "html.parser")
    assert [one["id"] for one in page.select("ul.errorlist")] == ["id_cups_error"]
