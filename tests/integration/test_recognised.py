"""What a project answers in place of its pages is recognised by what it does, not by its name."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchsuite.core.results import Finding, RunResult, Status
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner import planning, session
from tests.integration.command import ROOT, SHORT, Command
from tests.integration.projects import written
from tests.integration.quiet import Quiet

SETTINGS = """
SECRET_KEY = "for the test"
DEBUG = True
ROOT_URLCONF = "guarded.urls"
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
"""
URLS = """
from time import sleep
from django.conf import settings
from django.http import HttpResponse
from django.urls import path
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import cache_page
def page(request):
    sleep(0.01)
    return HttpResponse("OK")
async def later(request):
    return HttpResponse("OK")
def built(request):
    if not settings.DEBUG:
        raise LookupError("there is no bundle")
    return HttpResponse("OK")
@method_decorator(cache_page(60), name="dispatch")
class Shown(View):
    def get(self, request):
        return HttpResponse("OK")
urlpatterns = [
    path("", page),
    path("built/", built),
    path("cached/", cache_page(60)(page)),
    path("shown/", Shown.as_view()),
    path("later/", later),
    path("later/cached/", cache_page(60)(later)),
]
"""
GUARDS = """
from itertools import count
from django.http import HttpResponse
asked = count()
def closed(get_response):
    def answer(request):
        return HttpResponse("back soon", status=503, headers={"Retry-After": "60"})
    return answer
def limited(get_response):
    def answer(request):
        return HttpResponse(status=403) if next(asked) >= 3 else get_response(request)
    return answer
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., RunResult]]:
    sources = {"settings": SETTINGS, "urls": URLS, "guards": GUARDS}
    with written(tmp_path, "guarded", sources, monkeypatch) as package:

        def made(path: str, more: str = "", server: str = "gunicorn-sync") -> RunResult:
            (package / "settings.py").write_text(SETTINGS + more)
            spec = RunSpec(
                server=ServerSpec(server=server),
                workload=WorkloadSpec(workload="url", options={"path": path}),
                load=LoadProfile(users=2, warmup_s=0.0, duration_s=1.0),
            )
            with session(settings_module="guarded.settings") as at_work:
                return at_work.run(planning.resolve(spec), Quiet())

        yield made


def told(result: RunResult, number: str) -> list[Finding]:
    return [finding for finding in result.findings if finding.code.startswith(number)]


@pytest.mark.parametrize("server", ["gunicorn-sync", "uvicorn"])
def test_a_middleware_that_answers_for_the_view_is_named(
    run: Callable[..., RunResult], server: str
) -> None:
    result = run("/", 'MIDDLEWARE = ["guarded.guards.closed"]', server)
    assert result.status is Status.FAILED
    assert result.failure.startswith("GET / answered 503: ")
    who = "The view did not run: guarded.guards.closed.<locals>.answer answered before it"
    assert result.failure.endswith(f"{who} (Retry-After: 60).")


def test_a_page_that_only_fails_without_debug_is_told_so(run: Callable[..., RunResult]) -> None:
    result = run("/built/")
    assert result.status is Status.FAILED
    assert "LookupError: there is no bundle" in result.failure
    assert (
        "With DEBUG = True, as your settings have it, the same page answers 200" in result.failure
    )
    assert "DEBUG = True" not in run("/built/", "DEBUG = False").failure


def test_a_limit_is_told_by_the_answers_before_it(run: Callable[..., RunResult]) -> None:
    result = run("/", 'MIDDLEWARE = ["guarded.guards.limited"]')
    (failures,) = told(result, "B201")
    assert "The journey checked before the load (among " in failures.message
    assert "was right; hardly any in the load was" in failures.message
    assert "status 403" in failures.message
    assert len(told(result, "B503")) == 1


def test_a_run_without_a_right_answer_ends_with_status_1(tmp_path: Path, command: Command) -> None:
    (tmp_path / "guards.py").write_text(GUARDS)
    command.env["PYTHONPATH"] = os.pathsep.join([str(tmp_path), str(ROOT)])
    limited = '--setting=MIDDLEWARE=["guards.limited"]'
    ended = command.run("runbench", "--server=waitress", "--workload=plain", *SHORT, limited)
    assert ended.status == 1, ended.err
    assert (
        ended.err.strip()
        == "CommandError: waitress: not one answer was right; B201 above says why."
    )
    assert ended.out.count("hardly any in the load was") == 1


@pytest.mark.parametrize(
    ("path", "server"),
    [
        ("/cached/", "gunicorn-sync"),
        ("/shown/", "gunicorn-sync"),
        ("/later/cached/", "uvicorn"),
        ("/cached/", "uvicorn"),
    ],
)
def test_answers_of_a_cache_are_told(run: Callable[..., RunResult], path: str, server: str) -> None:
    result = run(path, server=server)
    assert result.asked is not None
    assert result.asked.viewed is not None
    assert result.asked.viewed <= 1
    assert len(told(result, "B503")) == 1


@pytest.mark.parametrize(("path", "server"), [("/", "gunicorn-sync"), ("/later/", "uvicorn")])
def test_answers_of_views_are_counted_as_such(
    run: Callable[..., RunResult], path: str, server: str
) -> None:
    result = run(path, server=server)
    assert result.asked is not None
    assert result.asked.viewed == result.asked.seen
    assert told(result, "B503") == []
