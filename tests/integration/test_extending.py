"""The code in docs/extending.md works as it stands there."""

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings

from benchsuite import conf
from benchsuite.core.results import Status
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner import planning, preflight, session
from tests.integration.quiet import Quiet
from tests.integration.shop import ECHOING
from tests.needs import needs

DOCS = Path(__file__).parents[2] / "docs" / "extending.md"

SHOP = """
import os
from django.http import HttpResponse
from django.urls import path

SECRET_KEY = "for the test"
ASGI_APPLICATION = "shop.asgi.application"
ROOT_URLCONF = __name__
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


def blocks() -> list[str]:
    """The documented modules, in order."""
    found = re.findall(r"```python\n# shop/bench\.py\n(.*?)```", DOCS.read_text(), re.DOTALL)
    assert len(found) == 2
    return found


def documented(name: str) -> str:
    """The documented module of that name."""
    (found,) = re.findall(rf"```python\n# shop/{name}\.py\n(.*?)```", DOCS.read_text(), re.DOTALL)
    return str(found)


def class_lines(code: str) -> int:
    return len([line for line in code.splitlines() if line.strip()])


def test_a_server_takes_thirty_lines_and_a_workload_twenty() -> None:
    server, workload = blocks()
    assert class_lines(server) <= 30
    assert class_lines(workload) <= 20


def test_a_service_and_a_device_take_thirty_lines_at_most() -> None:
    assert class_lines(documented("services")) <= 30
    assert class_lines(documented("telemetry")) <= 30


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A stranger's project with the documented bench.py; yields its settings module."""
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "bench.py").write_text("\n".join([*blocks(), CACHED]))
    for name in ("chat", "services", "telemetry"):
        (package / f"{name}.py").write_text(documented(name))
    (package / "settings.py").write_text(SHOP)
    (package / "asgi.py").write_text(ECHOING)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    importlib.invalidate_caches()
    yield "shop.settings"
    for name in [name for name in sys.modules if name.split(".")[0] == "shop"]:
        del sys.modules[name]


def test_the_documented_server_and_workload_make_a_run(shop: str) -> None:
    setting = {
        "SERVERS": {"shop-cheroot": "shop.bench.Cheroot"},
        "WORKLOADS": {"browse": "shop.bench.Browse"},
    }
    with override_settings(BENCHSUITE=setting):
        spec = RunSpec(
            server=ServerSpec(server="shop-cheroot", threads=3, options={"backlog": "64"}),
            workload=WorkloadSpec(workload="browse", options={"product": "7"}),
            load=LoadProfile(users=2, warmup_s=0.2, duration_s=1.0),
        )
        assert "shop-cheroot" in conf.server_paths()
        plan = planning.resolve(spec)
        preflight.check(plan)
        with session(settings_module=shop) as at_work:
            result = at_work.run(plan, Quiet())
    assert (result.status, result.failure) == (Status.FINISHED, "")
    assert "--threads=3" in result.argv
    assert result.total is not None
    assert result.total.failures == 0
    assert {one.name for one in result.summaries} == {"GET /", "/product/[id]/", "browse"}
    assert all(one.requests > 5 for one in result.summaries)


@needs("memcached")
def test_the_documented_service_and_device_are_part_of_a_run(shop: str) -> None:
    setting = {
        "SERVERS": {"shop-cached": "shop.bench.Cached"},
        "SERVICES": {"memcached": "shop.services.Memcached"},
        "TELEMETRY": {"swap": "shop.telemetry.Swap"},
    }
    with override_settings(BENCHSUITE=setting):
        spec = RunSpec(
            server=ServerSpec(server="shop-cached"),
            workload=WorkloadSpec(workload="url", options={"path": "/where/"}),
            load=LoadProfile(users=2, warmup_s=0.2, duration_s=2.0),
        )
        plan = planning.resolve(spec)
        preflight.check(plan)
        with session(settings_module=shop) as at_work:
            result = at_work.run(plan, Quiet())
    assert (result.status, result.failure) == (Status.FINISHED, "")
    assert result.total is not None
    assert result.total.failures == 0, "the server was told where its service is"
    (service,) = [one for one in result.programs if one.part == "memcached"]
    assert service.version
    assert "--memory-limit=512" in service.argv
    watched = {one.part: one for one in result.readings if one.memory_bytes}
    assert {"target", "memcached", "load"} <= set(watched)
    counts = [one.counts for one in result.readings if one.part == "target"]
    assert all(one is not None and one["swapped_kib"] >= 0 for one in counts)
    assert not any(one.counts for one in result.readings if one.part == "load")


def test_the_documented_chat_makes_a_run(shop: str) -> None:
    with override_settings(BENCHSUITE={"WORKLOADS": {"chat": "shop.chat.Chat"}}):
        spec = RunSpec(
            server=ServerSpec(server="uvicorn"),
            workload=WorkloadSpec(workload="chat"),
            load=LoadProfile(users=2, warmup_s=0.2, duration_s=1.0),
        )
        plan = planning.resolve(spec)
        preflight.check(plan)
        with session(settings_module=shop) as at_work:
            result = at_work.run(plan, Quiet())
    assert (result.status, result.failure) == (Status.FINISHED, "")
    assert result.total is not None
    assert (result.total.name, result.total.failures) == ("all messages", 0)
    assert {one.name for one in result.summaries if one.requests} == {
        "chat",
        "handshake /ws/chat/[room]/",
        "message /ws/chat/[room]/",
        "closing /ws/chat/[room]/",
    }
