"""Projects that fail, refuse, start slowly or ask too early: each is told in a sentence."""

import os
import re
from itertools import starmap

import pytest

from benchsuite.core.results import Status
from benchsuite.runner.explaining import DEBUG_OFF
from tests.integration.command import ROOT, SHORT
from tests.integration.runs import Quiet, page, written

MUTE = """
WSGI_APPLICATION = "mute.wsgi.application"
ASGI_APPLICATION = "mute.asgi.application"
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
"""Its own LOGGING takes everything away; why a page fails is said all the same."""
FAILING = """
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


def short(path, server="gunicorn-sync"):
    return page(path, server, users=2, duration_s=0.5)


@pytest.fixture
def mute(tmp_path, monkeypatch):
    early = 'raise LookupError("no such plug-in")'
    sources = {"settings": MUTE, "urls": FAILING, "early": early}
    with written(tmp_path, "mute", sources, monkeypatch) as project:
        yield project


REFUSALS = {
    ("/broken/", "gunicorn-sync"): "500: LookupError: there is no price (mute/urls.py:8)",
    ("/broken/", "uvicorn"): "500: LookupError: there is no price (mute/urls.py:8)",
    ("/adrift/", "uvicorn"): "500: LookupError: nobody awaits this (mute/urls.py:16)",
    ("/refusing/", "waitress"): "400: DisallowedHost: not this host (mute/urls.py:10)",
}


def test_refusals_and_examples_of_failures_name_the_error(mute):
    *refused, result = mute.run_all(*starmap(short, REFUSALS), short("/later/"))
    for refusal, ((path, _), words) in zip(refused, REFUSALS.items(), strict=True):
        answered, _, why = words.partition(": ")
        assert refusal.status is Status.FAILED
        assert refusal.failure.startswith(f"GET {path} answered {answered}: ")
        assert why in refusal.failure
        assert "LookupError" not in refusal.log_tail, "what the project logs is its own affair"
    assert (result.status, result.failure) == (Status.FINISHED, "")
    assert result.total.failures > 0
    (example,) = {
        text for one in result.summaries for text in one.failure_examples.values() if "500" in text
    }
    assert example.endswith("LookupError: sold out (mute/urls.py:13)")
    assert any("sold out" in finding.message for finding in result.findings)


def test_a_start_that_fails_names_the_error(mute):
    mute.set('MIDDLEWARE = ["mute.early.Middleware"]')
    for result in mute.run_all(short("/"), short("/", "uvicorn")):
        assert result.status is Status.FAILED
        assert "LookupError: no such plug-in (mute/early.py:1)" in result.failure


GUARDED = """
DEBUG = True
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
"""
PAGES = """
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
def limited(get_response):
    def answer(request):
        is_of_the_load = request.headers.get("User-Agent") == "benchsuite"
        is_limited = is_of_the_load and next(asked) >= 1
        return HttpResponse(status=403) if is_limited else get_response(request)
    return answer
"""


@pytest.fixture
def guarded(tmp_path, monkeypatch):
    """What it answers in place of its pages is recognised by what it does, not by its name."""
    sources = {"settings": GUARDED, "urls": PAGES, "guards": GUARDS}
    with written(tmp_path, "guarded", sources, monkeypatch) as project:
        yield project


def numbered(result, number):
    return [finding for finding in result.findings if finding.code.startswith(number)]


def test_a_page_that_only_fails_without_debug_is_told_so(guarded):
    result = guarded.run(short("/built/"))
    assert result.status is Status.FAILED
    assert "LookupError: there is no bundle" in result.failure
    assert DEBUG_OFF in result.failure
    assert DEBUG_OFF not in guarded.run(short("/built/"), more="DEBUG = False").failure


def test_a_limit_of_a_middleware_is_told(guarded):
    result = guarded.run(short("/"), more='MIDDLEWARE = ["guarded.guards.limited"]')
    (failures,) = numbered(result, "B201")
    assert "status 403" in failures.message
    assert len(numbered(result, "B503")) == 1


def test_a_run_without_a_right_answer_ends_with_status_1(tmp_path, command):
    (tmp_path / "guards.py").write_text(GUARDS)
    command.env["PYTHONPATH"] = os.pathsep.join([str(tmp_path), str(ROOT)])
    limited = '--setting=MIDDLEWARE=["guards.limited"]'
    words = ("--server=waitress", "--workload=plain", limited)
    ended = command.run("runbench", *SHORT, *words, status=1)
    words = "no request of the window was answered right; B201 above says why."
    assert ended.err.strip() == f"CommandError: waitress: {words}"
    assert ended.out.count("of the requests failed") == 1


def test_answers_of_a_cache_are_told_from_those_of_views(guarded):
    cached = [("/cached/", "gunicorn-sync"), ("/shown/", "gunicorn-sync")]
    cached += [("/later/cached/", "uvicorn"), ("/cached/", "uvicorn")]
    viewed = [("/", "gunicorn-sync"), ("/later/", "uvicorn")]
    pages = [*cached, *viewed]
    for asked, result in zip(pages, guarded.run_all(*starmap(short, pages)), strict=True):
        by_view = asked in viewed
        assert result.asked.viewed == result.asked.seen if by_view else result.asked.viewed <= 1
        assert len(numbered(result, "B503")) == (not by_view)


EARLY = {
    "settings": """
SHOP = "ours"
from early import reading
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
"""It asks for tables in `ready()`, and for settings while they are loaded."""


def test_it_is_made_ready_again_when_the_tables_are_there(tmp_path, monkeypatch):
    with written(tmp_path, "early", EARLY, monkeypatch) as project:
        result = project.run(page(options={"expect": "1 group"}))
    assert result.status is Status.FINISHED, result.failure
    assert result.total.failures == 0
    assert not list(tmp_path.rglob("*.sqlite3"))


SLOW = {
    "settings": """
WSGI_APPLICATION = "slow.wsgi.application"
INSTALLED_APPS = ["slow.apps.Slow"]
""",
    "urls": """
from django.http import HttpResponse
from django.urls import path
urlpatterns = [path("", lambda request: HttpResponse("OK"))]
""",
}
SLEEPING = """
import time
from django.apps import AppConfig
class Slow(AppConfig):
    name = "slow"
    def ready(self):
        {skip}
        time.sleep({seconds})
"""


@pytest.fixture
def slow(tmp_path, monkeypatch):
    with written(tmp_path, "slow", SLOW, monkeypatch) as project:
        project.write("apps", SLEEPING.format(seconds=2.0, skip=""))
        yield project


def test_what_is_slow_is_waited_for(slow, monkeypatch):
    """Nor is the load given up, which was there long before anybody asked it."""
    monkeypatch.setattr("benchsuite.isolation.databases.client.READY_S", 0.5)
    monkeypatch.setattr("benchsuite.runner.assembly.READY_TIMEOUT_S", 0.5)
    monkeypatch.setattr("benchsuite.load.parent.driver.IMPORT_LIMIT_S", 0.01)
    result = slow.run(page(), start_timeout_s=60.0)
    assert (result.status, result.failure) == (Status.FINISHED, "")


def test_databases_that_are_not_there_in_time_are_told(slow):
    result = slow.run(page(), start_timeout_s=1.0)
    assert result.status is Status.FAILED
    assert result.failure.startswith("The throw-away databases were not made within 1 s; ")
    assert "--start-timeout" in result.failure


AS_MANAGE = """
        import sys
        if "manage.py" in sys.argv[0]:
            return
"""
"""What projects write that fill caches or tables unless a command of theirs runs."""


class Impatient(Quiet):
    """Presses Ctrl-C when it is told that a ready() takes long."""

    def stage(self, text):
        super().stage(text)
        if "ready()" in text:
            raise KeyboardInterrupt


def test_a_ready_that_takes_long_is_named_and_so_it_is_when_it_is_interrupted(slow, monkeypatch):
    monkeypatch.setattr("benchsuite.system.process.SLOW_S", 1.0)
    slow.write("apps", SLEEPING.format(seconds=60.0, skip=""))
    watcher = Impatient()
    result = slow.run(page(), watcher=watcher)
    assert re.search(r"databases: ready\(\) of slow for \d s, 900 s at most", watcher.stages[-1])
    assert result.status is Status.INTERRUPTED
    what = r"Interrupted \(databases: ready\(\) of slow for \d s\)\."
    assert re.fullmatch(what, result.failure)


def test_what_a_server_does_before_it_answers_is_named_when_time_is_over(slow, monkeypatch):
    """The keeper is a command of manage.py's, and does not what only servers do."""
    monkeypatch.setattr("benchsuite.system.process.SLOW_S", 1.0)
    monkeypatch.setattr("benchsuite.runner.assembly.READY_TIMEOUT_S", 9.0)
    slow.write("apps", SLEEPING.format(seconds=60.0, skip=AS_MANAGE))
    watcher = Quiet()
    result = slow.run(page(), watcher=watcher)
    assert not any(stage.startswith("databases: ready()") for stage in watcher.stages)
    assert any("9 s at most" in stage for stage in watcher.stages), watcher.stages
    assert result.status is Status.FAILED
    assert "gunicorn-sync did not answer within 9 s: " in result.failure
    assert "--start-timeout" in result.failure
