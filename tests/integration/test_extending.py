"""The code in docs/extending.md works as it stands there."""

import re
from pathlib import Path

import pytest
from django.test import override_settings

from benchsuite.core.results import Status
from benchsuite.core.specs import ServerSpec, WorkloadSpec
from benchsuite.runner import planning, preflight
from tests.integration.runs import page, written
from tests.integration.shop import ECHOING
from tests.needs import needs

DOCS = Path(__file__).parents[2] / "docs" / "extending.md"

URLS = """
import os
from django.http import HttpResponse
from django.urls import path
urlpatterns = [
    path("", lambda request: HttpResponse("welcome")),
    path("where/", lambda request: HttpResponse(os.environ["MEMCACHED_URL"])),
    path("product/<int:id>/", lambda request, id: HttpResponse(f"{id} is in stock")),
]
"""


CACHED = """
class Cached(Cheroot):
    name = "shop-cached"
    services = ("memcached",)

    def env(self):
        return {"MEMCACHED_URL": self.place.services["memcached"]}
"""
"""A server that asks for the documented service, as the page says."""


def blocks():
    """The documented modules, in order."""
    found = re.findall(r"```python\n# shop/bench\.py\n(.*?)```", DOCS.read_text(), re.DOTALL)
    assert len(found) == 2
    return found


def documented(name):
    """The documented module of that name."""
    (found,) = re.findall(rf"```python\n# shop/{name}\.py\n(.*?)```", DOCS.read_text(), re.DOTALL)
    return str(found)


def test_a_server_takes_thirty_lines_and_a_workload_twenty():
    server, workload = blocks()
    limits = {server: 30, workload: 20, documented("services"): 30, documented("telemetry"): 30}
    for code, limit in limits.items():
        assert len([line for line in code.splitlines() if line.strip()]) <= limit


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """Makes a run of a stranger's project that has the documented modules, and this setting."""
    sources = {name: documented(name) for name in ("chat", "services", "telemetry")}
    sources["bench"] = "\n".join([*blocks(), CACHED])
    sources |= {"urls": URLS, "asgi": ECHOING}
    sources["settings"] = 'ASGI_APPLICATION = "shop.asgi.application"'
    with written(tmp_path, "shop", sources, monkeypatch) as project:

        def run(spec, **setting):
            with override_settings(BENCHSUITE=setting):
                preflight.check(planning.resolve(spec))
                result = project.run(spec)
            assert (result.status, result.failure) == (Status.FINISHED, "")
            assert result.total.failures == 0
            return result

        yield run


def test_the_documented_server_and_workload_make_a_run(shop):
    spec = page(
        users=2,
        duration_s=0.5,
        server=ServerSpec(server="shop-cheroot", threads=3, options={"backlog": "64"}),
        workload=WorkloadSpec(workload="browse", options={"product": "7"}),
    )
    result = shop(
        spec,
        SERVERS={"shop-cheroot": "shop.bench.Cheroot"},
        WORKLOADS={"browse": "shop.bench.Browse"},
    )
    assert "--threads=3" in result.argv
    assert {one.name for one in result.summaries} == {"GET /", "/product/[id]/", "browse"}
    assert all(one.requests > 5 for one in result.summaries)


@needs("memcached")
def test_the_documented_service_and_device_are_part_of_a_run(shop):
    """No failure: the server was told where its service is."""
    result = shop(
        page("/where/", "shop-cached", users=2, duration_s=2.0),
        SERVERS={"shop-cached": "shop.bench.Cached"},
        SERVICES={"memcached": "shop.services.Memcached"},
        TELEMETRY={"swap": "shop.telemetry.Swap"},
    )
    (service,) = [one for one in result.programs if one.part == "memcached"]
    assert service.version
    assert "--memory-limit=512" in service.argv
    watched = {one.part: one for one in result.readings if one.memory_bytes}
    assert {"target", "memcached", "load"} <= set(watched)
    counts = [one.counts for one in result.readings if one.part == "target"]
    assert all(one is not None and one["swapped_kib"] >= 0 for one in counts)
    assert not any(one.counts for one in result.readings if one.part == "load")


def test_the_documented_chat_makes_a_run(shop):
    spec = page(server="uvicorn", users=2, duration_s=0.5, workload=WorkloadSpec(workload="chat"))
    result = shop(spec, WORKLOADS={"chat": "shop.chat.Chat"})
    assert result.total.name == "all messages"
    assert {one.name for one in result.summaries if one.requests} == {
        "chat",
        "handshake /ws/chat/[room]/",
        "message /ws/chat/[room]/",
        "closing /ws/chat/[room]/",
    }
