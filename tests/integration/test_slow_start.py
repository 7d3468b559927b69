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
        {skip}
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

        def made(
            seconds: float,
            start_timeout_s: float | None,
            *,
            skip: str = "",
            watcher: Quiet | None = None,
        ) -> RunResult:
            (package / "apps.py").write_text(APPS.format(seconds=seconds, skip=skip))
            spec = RunSpec(
                server=ServerSpec(server="gunicorn-sync"),
                workload=WorkloadSpec(workload="url", options={"path": "/"}),
                load=LoadProfile(users=1, warmup_s=0.0, duration_s=0.3),
            )
            with session(
                settings_module="slow.settings", start_timeout_s=start_timeout_s
            ) as at_work:
                return at_work.run(planning.resolve(spec), watcher or Quiet())

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


AS_MANAGE = """
        import sys
        if "manage.py" in sys.argv[0]:
            return
"""
"""What projects write that fill caches or tables unless a command of theirs runs."""


class Impatient(Quiet):
    """Presses Ctrl-C when it is told of what takes long."""

    def stage(self, text: str) -> None:
        super().stage(text)
        if "at most" in text:
            raise KeyboardInterrupt


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchsuite.system.process.SLOW_S", 1.0)


@pytest.mark.usefixtures("soon")
def test_a_ready_that_takes_long_is_named_and_so_it_is_when_it_is_interrupted(make: Make) -> None:
    watcher = Impatient()
    result = make(60.0, None, watcher=watcher)
    assert "databases: ready() of slow for 1 s, 900 s at most" in watcher.stages[-1]
    assert result.status is Status.INTERRUPTED
    assert result.failure == "Interrupted (databases: ready() of slow for 1 s)."


@pytest.mark.usefixtures("soon")
def test_what_a_server_does_before_it_answers_is_named(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keeper is a command of manage.py's, and does not what only servers do."""
    monkeypatch.setattr("benchsuite.runner.assembly.READY_TIMEOUT_S", 9.0)
    watcher = Quiet()
    result = make(60.0, None, skip=AS_MANAGE, watcher=watcher)
    place = "still being loaded (slow/apps.py:12)"
    assert not any(stage.startswith("databases: ready()") for stage in watcher.stages)
    assert any(f"s ({place}), 9 s at most" in stage for stage in watcher.stages), watcher.stages
    assert result.status is Status.FAILED
    assert "gunicorn-sync did not answer within 9 s: " in result.failure
    assert place in result.failure
