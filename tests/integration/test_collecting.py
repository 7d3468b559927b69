"""Static files with a manifest: collected for the run, and the project's own are as they were."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchsuite.core.results import RunResult, Status
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner import planning, session
from tests.integration.projects import written
from tests.integration.quiet import Quiet
from tests.needs import needs

SETTINGS = """
from pathlib import Path
HERE = Path(__file__).parent
SECRET_KEY = "for the test"
ROOT_URLCONF = "styled.urls"
INSTALLED_APPS = ["django.contrib.staticfiles", "styled"]
STATIC_URL = "static/"
STATIC_ROOT = HERE / "collected"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage",
    },
}
"""
URLS = """
from django.http import HttpResponse
from django.templatetags.static import static
from django.urls import path
urlpatterns = [path("", lambda request: HttpResponse(static("styled.css")))]
"""
ELSEWHERE = """
STORAGES["staticfiles"]["OPTIONS"] = {"location": str(HERE / "elsewhere")}
del STATIC_ROOT
"""
COLLECTED = "static files collected into the run's folder"
COPIED = "a copy in the run's folder"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    sources = {"settings": SETTINGS, "urls": URLS}
    with written(tmp_path, "styled", sources, monkeypatch) as folder:
        (folder / "static").mkdir()
        (folder / "static" / "styled.css").write_text("body {}")
        yield folder


@pytest.fixture
def run(package: Path) -> Callable[..., RunResult]:
    def made(
        more: str = "",
        *,
        static: str = "",
        path: str = "/",
        expect: str = "/static/styled.",
        **server: Any,
    ) -> RunResult:
        (package / "settings.py").write_text(SETTINGS + more)
        before = {path: path.read_bytes() for path in files(package)}
        spec = RunSpec(
            server=ServerSpec(server="gunicorn-sync", **server),
            workload=WorkloadSpec(workload="url", options={"path": path, "expect": expect}),
            load=LoadProfile(users=1, warmup_s=0.0, duration_s=0.3),
            static=static,
        )
        with session(settings_module="styled.settings") as at_work:
            result = at_work.run(planning.resolve(spec), Quiet())
        assert {path: path.read_bytes() for path in files(package)} == before
        return result

    return made


def files(package: Path) -> list[Path]:
    return [path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"]


@pytest.mark.parametrize("more", ["", ELSEWHERE, "STATIC_ROOT = None"])
def test_they_are_collected_where_pages_would_fail(
    run: Callable[..., RunResult], more: str
) -> None:
    result = run(more)
    assert (result.status, result.failure) == (Status.FINISHED, "")
    assert result.settings_changed["STATIC_ROOT"] == COLLECTED


@needs("nginx")
def test_a_front_serves_what_was_collected(run: Callable[..., RunResult]) -> None:
    """It is not root, though the run may be."""
    front = {"front": "nginx", "front_options": {"static": "yes"}}
    result = run(path="/static/styled.css", expect="body {}", **front)
    assert (result.status, result.failure) == (Status.FINISHED, "")


def test_where_they_are_skipped_the_page_fails_and_says_why(run: Callable[..., RunResult]) -> None:
    result = run(static="skip")
    assert result.status is Status.FAILED
    assert "Missing staticfiles manifest entry for 'styled.css'" in result.failure
    assert "--static=collect" in result.failure
    assert result.settings_changed["STATIC_ROOT"] == COPIED


def test_a_manifest_of_the_projects_own_is_used(
    run: Callable[..., RunResult], package: Path
) -> None:
    (package / "collected").mkdir()
    manifest = {"version": "1.1", "paths": {"styled.css": "styled.mine.css"}, "hash": "x"}
    (package / "collected" / "staticfiles.json").write_text(json.dumps(manifest))
    result = run(expect="/static/styled.mine.css")
    assert (result.status, result.failure) == (Status.FINISHED, "")
    assert result.settings_changed["STATIC_ROOT"] == COPIED


def test_what_cannot_be_collected_is_said_in_a_sentence(
    run: Callable[..., RunResult], package: Path
) -> None:
    (package / "static" / "broken.css").write_text("body {background: url('nowhere.png')}")
    result = run()
    assert result.status is Status.FAILED
    assert result.failure.startswith("The static files could not be collected: ")
    assert "nowhere.png" in result.failure
    assert "--static=skip" in result.failure


def test_without_a_manifest_they_are_collected_when_that_is_asked_for(
    run: Callable[..., RunResult],
) -> None:
    plain = 'del STORAGES["staticfiles"]\nSTORAGES["staticfiles"] = {"BACKEND": '
    plain += '"django.contrib.staticfiles.storage.StaticFilesStorage"}'
    assert run(plain).settings_changed["STATIC_ROOT"] == COPIED
    assert run(plain, static="collect").settings_changed["STATIC_ROOT"] == COLLECTED
