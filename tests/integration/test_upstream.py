"""Pages that wait for an API: the API itself, the views that ask it, and whole runs."""

import os
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from benchsuite.core.exceptions import StatusError
from benchsuite.services.api import Api
from benchsuite.workloads.pages import Upstream, UpstreamAsync
from tests.integration.command import Command, measured
from tests.needs import needs

pytestmark = [pytest.mark.alone, needs("httpx"), pytest.mark.urls("testproject.urls_target")]

STALL_S = 1.0


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    from benchsuite.target import upstream

    folder = tmp_path / "api"
    folder.mkdir()
    options = {"failures": 0.25, "stall_at_s": 0.3, "stall_s": STALL_S}
    with Api(folder=folder, marker=uuid.uuid4().hex, env=dict(os.environ), options=options) as one:
        monkeypatch.setattr(upstream, "URL", one.url)
        monkeypatch.setenv("BENCHSUITE_RUN", "a-run")
        yield one


@pytest.mark.parametrize("workload", [Upstream, UpstreamAsync])
def test_the_views_ask_at_once_or_one_after_another(workload: type[Upstream], api: Api) -> None:
    """Of each four calls the last one fails, and the page with it."""
    begin = time.monotonic()
    workload(calls="0.4,0.2,0.3").journey(Client())
    at_once_s = time.monotonic() - begin
    with pytest.raises(StatusError, match="502"):
        workload(calls="0.01").journey(Client())
    begin = time.monotonic()
    workload(calls="0.4,0.2,0.3", at_once=False).journey(Client())
    assert at_once_s < 0.9 <= time.monotonic() - begin


def test_a_stall_begins_when_the_load_has_gone_on_for_so_long(api: Api) -> None:
    work = Upstream(calls="0")
    work.journey(Client())
    begin = time.monotonic()
    api.begun(begin)
    work.journey(Client())
    assert time.monotonic() - begin < STALL_S
    time.sleep(max(0.0, begin + 0.35 - time.monotonic()))
    work.journey(Client())
    assert 0.3 + STALL_S <= time.monotonic() - begin < 2 * STALL_S + 1


@needs("gunicorn")
def test_a_run_brings_its_api(command: Command) -> None:
    """On a server of threads, three of which wait for each request."""
    one = measured(
        command,
        "--server=gunicorn-gthread",
        "--workload=upstream",
        "--workload-option=calls=0.05,0.1,0.2",
        "--duration=4",
    )
    assert one["failures"] == 0
    assert one["response_time"]["min_s"] >= 0.2
    assert (one["programs"][0]["part"], one["programs"][0]["name"]) == ("api", "The API")
    assert not [it for it in one["findings"] if it["code"].startswith(("B105", "B201", "B214"))]


@needs("uvicorn")
def test_pages_that_do_not_ask_a_stalling_api_are_answered_all_the_time(command: Command) -> None:
    shares = "1 upstream_async calls=0.05,0.1 stall_at_s=1 stall_s=1 + 1 plain_async"
    one = measured(
        command,
        "--server=uvicorn",
        "--workload=mixed",
        f"--workload-option=shares={shares}",
        "--think-time=0.02",
        "--duration=3",
    )
    waiting, others = one["populations"]
    assert (waiting["name"], others["name"]) == (
        "1 user of upstream_async",
        "1 user of plain_async",
    )
    assert longest(waiting) >= 0.9
    assert longest(others) < 0.5
    assert one["failures"] == 0


def longest(population: dict[str, Any]) -> float:
    return float(population["response_time"]["max_s"])
