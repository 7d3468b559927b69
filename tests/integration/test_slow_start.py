"""Databases and servers that take longer than is usual."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchsuite.core.results import RunResult, Status
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner import planning, session
from tests.integration.projects import written
from tests.integration.quiet import Quiet

SETTINGS = """
SECRET_KEY = "for the test"
ROOT_URLCONF = "slow.urls"
WSGI_APPLICATION = "slow.wsgi.application"
INSTALLED_APPS = ["slow.apps.Slow"]
"""
URLS = """
from django.http import HttpResponse
from django.urls import path
urlpatterns = [path("", lambda request: HttpResponse("OK"))]
"""
APPS = """
import time
from django.apps import AppConfig
class Slow(AppConfig):
    name = "slow"
    def ready(self):
        time.sleep({seconds})
"""
WSGI = """
from django.core.wsgi import get_wsgi_application
application = get_wsgi_application()
"""

Make = Callable[..., RunResult]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    sources = {"settings": SETTINGS, "urls": URLS, "wsgi": WSGI}
    with written(tmp_path, "slow", sources, monkeypatch) as package:

        def made(seconds: float, start_timeout_s: float | None) -> RunResult:
            (package / "apps.py").write_text(APPS.format(seconds=seconds))
            spec = RunSpec(
                server=ServerSpec(server="gunicorn-sync"),
                workload=WorkloadSpec(workload="url", options={"path": "/"}),
                load=LoadProfile(users=1, warmup_s=0.0, duration_s=0.3),
            )
            with session(
                settings_module="slow.settings", start_timeout_s=start_timeout_s
            ) as at_work:
                return at_work.run(planning.resolve(spec), Quiet())

        yield made


def test_what_is_slow_is_waited_for(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is the load given up, which was there long before anybody asked it."""
    monkeypatch.setattr("benchsuite.isolation.databases.client.READY_S", 0.5)
    monkeypatch.setattr("benchsuite.runner.assembly.READY_TIMEOUT_S", 0.5)
    monkeypatch.setattr("benchsuite.load.parent.driver.IMPORT_LIMIT_S", 0.01)
    result = make(4.0, 60.0)
    assert (result.status, result.failure) == (Status.FINISHED, "")


def test_databases_that_are_not_there_in_time_are_told(make: Make) -> None:
    result = make(4.0, 1.0)
    assert result.status is Status.FAILED
    assert result.failure.startswith("The throw-away databases were not made within 1 s; ")
    assert "--start-timeout" in result.failure


def test_a_server_that_is_not_there_in_time_is_told(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchsuite.runner.assembly.READY_TIMEOUT_S", 1.0)
    result = make(4.0, None)
    assert result.status is Status.FAILED
    assert "gunicorn-sync did not answer within 1 s: " in result.failure
    assert "--start-timeout" in result.failure
