"""A second client of the project, which reads the environment itself, meets the run's own Redis."""

import tempfile
from pathlib import Path

import pytest

from benchsuite.core.results import Status
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner import planning, session
from benchsuite.services.redis import Redis
from benchsuite.system.process import any_program
from tests.integration.projects import written
from tests.integration.quiet import Quiet
from tests.needs import needs

SETTINGS = """
import os
SECRET_KEY = "for the test"
ROOT_URLCONF = "queued.urls"
CACHES = {"default": {
    "BACKEND": "django.core.cache.backends.redis.RedisCache",
    "LOCATION": f"redis://:{os.environ['SHOP_REDIS_PASSWORD']}@{os.environ['SHOP_REDIS']}/0",
}}
"""
URLS = """
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
"""


@needs("redis", "redis-py")
def test_its_redis_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="bst-redis-") as folder,
        Redis(folder=Path(folder), marker="bst-inherited", env=any_program()) as own,
        written(tmp_path, "queued", {"settings": SETTINGS, "urls": URLS}, monkeypatch),
    ):
        monkeypatch.setenv("SHOP_REDIS", f"localhost:{own.port}")
        monkeypatch.setenv("SHOP_REDIS_PASSWORD", own.password)
        monkeypatch.setenv("SHOP_JOBS", own.url.removesuffix("0") + "3")
        spec = RunSpec(
            server=ServerSpec(server="gunicorn-sync"),
            workload=WorkloadSpec(workload="url", options={"path": "/", "expect": "1 job"}),
            load=LoadProfile(users=1, warmup_s=0.0, duration_s=0.3),
        )
        with session(settings_module="queued.settings") as at_work:
            result = at_work.run(planning.resolve(spec), Quiet())
        assert (result.status, result.failure) == (Status.FINISHED, "")
        words = "SHOP_JOBS, SHOP_REDIS, SHOP_REDIS_PASSWORD: what the run has in place of yours"
        assert result.settings_changed["(environment)"] == words
        assert own.password not in str(result.settings_changed)
        import redis

        with redis.Redis.from_url(own.url) as client:
            assert client.info("keyspace") == {}
