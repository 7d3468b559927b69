"""Why a page fails is said whatever the project logs: its own LOGGING takes everything away."""

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
WSGI_APPLICATION = "mute.wsgi.application"
ASGI_APPLICATION = "mute.asgi.application"
ROOT_URLCONF = "mute.urls"
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
LOGGING = {
    "version": 1,
    "disable_existing_loggers": True,
    "handlers": {"nobody": {"class": "logging.NullHandler"}},
    "loggers": {
        "django": {"handlers": ["nobody"], "propagate": False},
        "django.request": {"handlers": ["nobody"], "propagate": False},
        "django.security.DisallowedHost": {"handlers": ["nobody"], "propagate": False},
    },
}
"""
URLS = """
from itertools import count
from django.core.exceptions import DisallowedHost
from django.http import HttpResponse
from django.urls import path
asked = count()
def broken(request):
    raise LookupError("there is no price")
def refusing(request):
    raise DisallowedHost("not this host")
def later(request):
    if next(asked) > 20:
        raise LookupError("sold out")
    return HttpResponse("OK")
async def adrift(request):
    raise LookupError("nobody awaits this")
urlpatterns = [
    path("", lambda request: HttpResponse("OK")),
    path("broken/", broken),
    path("refusing/", refusing),
    path("later/", later),
    path("adrift/", adrift),
]
"""
CALLABLE = """
from django.core.{kind} import get_{kind}_application
application = get_{kind}_application()
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., RunResult]]:
    sources = {
        "settings": SETTINGS,
        "urls": URLS,
        "wsgi": CALLABLE.format(kind="wsgi"),
        "asgi": CALLABLE.format(kind="asgi"),
        "early": 'raise LookupError("no such plug-in")',
    }
    with written(tmp_path, "mute", sources, monkeypatch) as package:

        def made(path: str, server: str = "gunicorn-sync", more: str = "") -> RunResult:
            (package / "settings.py").write_text(SETTINGS + more)
            spec = RunSpec(
                server=ServerSpec(server=server),
                workload=WorkloadSpec(workload="url", options={"path": path}),
                load=LoadProfile(users=2, warmup_s=0.0, duration_s=1.0),
            )
            with session(settings_module="mute.settings", start_timeout_s=30.0) as at_work:
                return at_work.run(planning.resolve(spec), Quiet())

        yield made


@pytest.mark.parametrize(
    ("server", "path", "answered", "why"),
    [
        ("gunicorn-sync", "/broken/", "500", "LookupError: there is no price (mute/urls.py:8)"),
        ("uvicorn", "/broken/", "500", "LookupError: there is no price (mute/urls.py:8)"),
        ("uvicorn", "/adrift/", "500", "LookupError: nobody awaits this (mute/urls.py:16)"),
        ("waitress", "/refusing/", "400", "DisallowedHost: not this host (mute/urls.py:10)"),
    ],
)
def test_the_refusal_names_the_error(
    run: Callable[..., RunResult], server: str, path: str, answered: str, why: str
) -> None:
    result = run(path, server)
    assert result.status is Status.FAILED
    assert result.failure.startswith(f"GET {path} answered {answered}: ")
    assert why in result.failure
    assert "LookupError" not in result.log_tail, (
        "the project says nothing, and that is its own affair"
    )


def test_the_example_of_a_failure_names_the_error(run: Callable[..., RunResult]) -> None:
    result = run("/later/")
    assert (result.status, result.failure) == (Status.FINISHED, "")
    assert result.total is not None
    assert result.total.failures > 0
    (told,) = {
        text for one in result.summaries for text in one.failure_examples.values() if "500" in text
    }
    assert told.endswith("LookupError: sold out (mute/urls.py:13)")
    assert any("sold out" in finding.message for finding in result.findings)


@pytest.mark.parametrize("server", ["gunicorn-sync", "uvicorn"])
def test_a_start_that_fails_names_the_error(run: Callable[..., RunResult], server: str) -> None:
    result = run("/", server, 'MIDDLEWARE = ["mute.early.Middleware"]')
    assert result.status is Status.FAILED
    assert "LookupError: no such plug-in (mute/early.py:1)" in result.failure
