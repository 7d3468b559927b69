"""A project that asks too early: for tables in `ready()`, for settings while they are loaded."""

from pathlib import Path

import pytest

from benchsuite.core.results import Status
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner import planning, session
from tests.integration.projects import written
from tests.integration.quiet import Quiet

SOURCES = {
    "settings": """
SHOP = "ours"
from early import reading
SECRET_KEY = "for the test"
ROOT_URLCONF = "early.urls"
INSTALLED_APPS = ["early.apps.Early", "django.contrib.auth", "django.contrib.contenttypes"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": __file__ + ".sqlite3"}}
""",
    "reading": """
from django.conf import settings
assert settings.SHOP == "ours"
""",
    "apps": """
from django.apps import AppConfig
class Early(AppConfig):
    name = "early"
    def ready(self):
        from django.contrib.auth.models import Group
        Group.objects.get_or_create(name="staff")
""",
    "urls": """
from django.contrib.auth.models import Group
from django.http import HttpResponse
from django.urls import path
urlpatterns = [path("", lambda request: HttpResponse(f"{Group.objects.count()} group"))]
""",
}


def test_it_is_made_ready_again_when_the_tables_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = RunSpec(
        server=ServerSpec(server="gunicorn-sync"),
        workload=WorkloadSpec(workload="url", options={"path": "/", "expect": "1 group"}),
        load=LoadProfile(users=1, warmup_s=0.0, duration_s=0.3),
    )
    with (
        written(tmp_path, "early", SOURCES, monkeypatch),
        session(settings_module="early.settings") as at_work,
    ):
        result = at_work.run(planning.resolve(spec), Quiet())
    assert result.status is Status.FINISHED, result.failure
    assert result.total is not None
    assert result.total.failures == 0
    assert not list(tmp_path.rglob("*.sqlite3"))
