"""No process of a run touches what is the project's: databases, files, static files, its Redis."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from benchsuite.core.results import RunResult, Status
from benchsuite.core.specs import ServerSpec
from benchsuite.services.redis import Redis
from benchsuite.system.process import any_program
from tests.integration.command import measured
from tests.integration.postgres import cluster
from tests.integration.runs import page, written
from tests.integration.writer import writer
from tests.needs import audited, needs

SQLITE = (
    """{"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE_DIR / "shop.sqlite3"}}"""
)
POSTGRES = """{{"default": {{"ENGINE": "django.db.backends.postgresql", "NAME": "shop",
    "USER": "postgres", "HOST": "127.0.0.1", "PORT": "{port}"}}}}"""
OF_USE = {"shop.sqlite3", "shop.log", "media/ready.txt", "private/import.txt", "bucket/ready.txt"}
OF_USE |= {"static/all.css"}
OF_USE |= {"index/all.txt", "queue/all.txt", "media/thumbnails/all.txt"}


@pytest.mark.parametrize(
    "load", audited(["--workload=reading", "--locustfile=locustfile.py"], "--workload=reading")
)
def test_a_project_that_writes_everywhere_is_as_it_was(load, tmp_path):
    project = writer(tmp_path, databases=SQLITE)
    before = project.contents()
    assert set(before) >= OF_USE  # it does write when it is used
    found = measured(project.command, "--server=waitress", load)
    assert found["status"] == "finished", found
    assert found["requests"] > 0
    assert found["failures"] == 0, found["failures_by_kind"]
    assert project.contents() == before
    assert found["settings_changed"]["(environment)"].startswith("SHOP_DSN: ")


@needs("postgresql", "psycopg")
def test_a_projects_postgresql_is_as_it_was(tmp_path):
    with cluster() as server:
        server.execute("CREATE DATABASE shop")
        inherited = {"PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGUSER": "postgres"}
        inherited |= {"PGDATABASE": "shop", "SHOP_DSN": server.url("shop")}
        project = writer(tmp_path, databases=POSTGRES.format(port=server.port), **inherited)
        marks = server.execute("SELECT count(*) FROM mark", "shop")
        found = measured(project.command, "--server=waitress --workload=reading")
        assert found["status"] == "finished", found
        assert server.execute("SELECT count(*) FROM mark", "shop") == marks
        assert server.databases() == ["shop"]


QUEUED = {
    "settings": """
import os
CACHES = {"default": {
    "BACKEND": "django.core.cache.backends.redis.RedisCache",
    "LOCATION": f"redis://:{os.environ['SHOP_REDIS_PASSWORD']}@{os.environ['SHOP_REDIS']}/0",
}}
""",
    "urls": """
import os
import redis
from django.core.cache import cache
from django.http import HttpResponse
from django.urls import path
jobs = redis.from_url(os.environ["SHOP_JOBS"])
def page(request):
    jobs.rpush("jobs", "one")
    cache.set("page", "one")
    return HttpResponse(f"{jobs.exists('jobs')} job")
urlpatterns = [path("", page)]
""",
}


@needs("redis", "redis-py")
def test_a_second_client_that_reads_the_environment_meets_the_runs_own_redis(tmp_path, monkeypatch):
    with (
        tempfile.TemporaryDirectory(prefix="bst-redis-") as folder,
        Redis(folder=Path(folder), marker="bst-inherited", env=any_program()) as own,
        written(tmp_path, "queued", QUEUED, monkeypatch) as project,
    ):
        monkeypatch.setenv("SHOP_REDIS", f"localhost:{own.port}")
        monkeypatch.setenv("SHOP_REDIS_PASSWORD", own.password)
        monkeypatch.setenv("SHOP_JOBS", own.url.removesuffix("0") + "3")
        result = project.run(page(options={"expect": "1 job"}))
        assert (result.status, result.failure) == (Status.FINISHED, "")
        words = "SHOP_JOBS, SHOP_REDIS, SHOP_REDIS_PASSWORD: what the run has in place of yours"
        assert result.settings_changed["(environment)"] == words
        assert own.password not in str(result.settings_changed)
        import redis

        with redis.Redis.from_url(own.url) as client:
            assert client.info("keyspace") == {}


STYLED = """
from pathlib import Path
HERE = Path(__file__).parent
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
STYLED_URLS = """
from django.http import HttpResponse
from django.templatetags.static import static
from django.urls import path
urlpatterns = [path("", lambda request: HttpResponse(static("styled.css")))]
"""
PLAIN = """
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
"""
COLLECTED = "static files collected into the run's folder"
COPIED = "a copy in the run's folder"

Run = Callable[..., RunResult]


@pytest.fixture
def styled(tmp_path, monkeypatch):
    sources = {"settings": STYLED, "urls": STYLED_URLS}
    with written(tmp_path, "styled", sources, monkeypatch) as project:
        (project.folder / "static").mkdir()
        (project.folder / "static" / "styled.css").write_text("body {}")
        yield project


@pytest.fixture
def run(styled):
    """A run that leaves the project's own static files as they were."""

    def files():
        paths = (path for path in styled.folder.rglob("*") if path.suffix != ".pyc")
        return {path: path.read_bytes() for path in paths if path.is_file()}

    def made(more="", *, static="", path="/", expect="/static/styled.", **server):
        styled.set(more)
        before = files()
        fields = {"server": ServerSpec(server="gunicorn-sync", **server), "static": static}
        result = styled.run(page(path, options={"expect": expect}, **fields), more=more)
        assert files() == before
        return result

    return made


@pytest.mark.parametrize("more", audited(["", "STATIC_ROOT = None"], "STATIC_ROOT = None"))
def test_static_files_are_collected_where_pages_would_fail(run, more):
    result = run(more)
    assert (result.status, result.failure) == (Status.FINISHED, "")
    assert result.settings_changed["STATIC_ROOT"] == COLLECTED


def test_where_they_are_skipped_the_page_fails_and_says_why(run):
    result = run(static="skip")
    assert result.status is Status.FAILED
    assert "Missing staticfiles manifest entry for 'styled.css'" in result.failure
    assert "--static=collect" in result.failure
    assert result.settings_changed["STATIC_ROOT"] == COPIED


def test_a_manifest_of_the_projects_own_is_used(run, styled):
    (styled.folder / "collected").mkdir()
    manifest = {"version": "1.1", "paths": {"styled.css": "styled.mine.css"}, "hash": "x"}
    (styled.folder / "collected" / "staticfiles.json").write_text(json.dumps(manifest))
    result = run(expect="/static/styled.mine.css")
    assert (result.status, result.failure) == (Status.FINISHED, "")
    assert result.settings_changed["STATIC_ROOT"] == COPIED


def test_what_cannot_be_collected_is_said_in_a_sentence(run, styled):
    (styled.folder / "static" / "broken.css").write_text("body {background: url('nowhere.png')}")
    result = run()
    assert result.status is Status.FAILED
    assert result.failure.startswith("The static files could not be collected: ")
    assert "nowhere.png" in result.failure
    assert "--static=skip" in result.failure


def test_without_a_manifest_they_are_collected_when_that_is_asked_for(run):
    assert run(PLAIN).settings_changed["STATIC_ROOT"] == COPIED
    assert run(PLAIN, static="collect").settings_changed["STATIC_ROOT"] == COLLECTED
