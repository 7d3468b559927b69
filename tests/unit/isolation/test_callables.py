"""The callables that runs serve, and what keeper and parent tell each other of a project."""

import asyncio
import importlib
import json
import logging
import os
import stat
import sys
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import pytest
from django.core import signals
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.dispatch import Signal

from benchsuite.core.exceptions import UsageError
from benchsuite.isolation.facts import Facts
from benchsuite.isolation.instructions import (
    INSTRUCTIONS_VARIABLE,
    RUN_VARIABLE,
    SETTINGS_MODULE,
    Instructions,
)
from benchsuite.isolation.served import errors
from benchsuite.isolation.served.project import project_callable, run_token

SHARED = [("Content-Type", "text/plain")]
WSGI = """
SHARED = [("Content-Type", "text/plain")]
def application(environ, start_response):
    start_response("200 OK", SHARED)
    return [b"mine"]
"""
ASGI = """
async def application(scope, receive, send):
    if scope["type"] == "lifespan":
        raise ValueError("not lifespan")
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "text": "hello"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})
        await send({"type": "http.response.body", "body": b"mine"})
"""

Load = Callable[[str], ModuleType]


@pytest.fixture
def project(tmp_path, monkeypatch, settings):
    """A package `stall` with wsgi and asgi modules, in a server that a run started."""
    package = tmp_path / "stall"
    package.mkdir()
    for name, source in (("__init__", ""), ("wsgi", WSGI), ("asgi", ASGI)):
        (package / f"{name}.py").write_text(source)
    for name in [name for name in sys.modules if name.partition(".")[0] == "stall"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(RUN_VARIABLE, "the-token")
    monkeypatch.setenv(INSTRUCTIONS_VARIABLE, str(tmp_path / "instructions.json"))
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", SETTINGS_MODULE)
    settings.BENCHSUITE_ORIGINAL = {
        "WSGI_APPLICATION": "stall.wsgi.application",
        "ASGI_APPLICATION": None,
        "ROOT_URLCONF": "stall.urls",
    }
    return settings


@pytest.fixture
def quiet(monkeypatch):
    """What a wrapper begins to listen to, it listens to for the test alone."""
    monkeypatch.setattr(signals, "got_request_exception", Signal())
    monkeypatch.setattr(errors, "got_request_exception", signals.got_request_exception)
    for name in errors.LOGGERS:
        logger = logging.getLogger(name)
        monkeypatch.setattr(logger, "handlers", list(logger.handlers))


@pytest.fixture
def load(project, quiet, monkeypatch):
    """Imports one of the wrappers anew."""

    def fresh(name):
        monkeypatch.delitem(sys.modules, name, raising=False)
        module = importlib.import_module(name)
        monkeypatch.delitem(sys.modules, name)
        return module

    return fresh


class Daphne:
    """As Daphne calls an application: with a partial of a method of its own."""

    def __init__(self):
        self.sent: list[dict[str, Any]] = []

    async def handle_reply(self, protocol, event):
        self.sent.append(event)


def events(wrapper, **scope):
    sent: list[dict[str, Any]] = []

    async def send(event):
        sent.append(event)

    async def receive():
        return {}

    asyncio.run(wrapper.application(scope, receive, send))
    return sent


def test_a_server_without_headers_tells_the_run_with_or_by_a_subprotocol(load, monkeypatch):
    monkeypatch.setattr(Daphne, "__module__", "daphne.server")
    wrapper, server = load("benchsuite.isolation.asgi"), Daphne()
    scope = {"type": "websocket", "path": "/"}
    asyncio.run(wrapper.application(scope, None, partial(server.handle_reply, object())))
    accept, message = server.sent
    assert accept["subprotocol"] == (None, {"X-Benchsuite-Run": "the-token"})
    assert "headers" not in accept
    assert message == {"type": "websocket.send", "text": "hello"}
    mark = "X-Benchsuite-Run.the-token"
    for offered, chosen in (([mark], mark), (["X-Benchsuite-Run.another"], None)):
        first, _ = events(wrapper, **scope, subprotocols=offered)
        assert first.get("subprotocol") == chosen


def test_every_wsgi_answer_says_which_run_and_process_it_belongs_to(load):
    wrapper = load("benchsuite.isolation.wsgi")
    started: list[tuple[Any, ...]] = []
    for _ in range(2):
        body = wrapper.application({}, lambda *words: started.append(words))
        assert body == [b"mine"]
    own = [("X-Benchsuite-Run", "the-token"), ("X-Benchsuite-Process", str(os.getpid()))]
    assert started == [("200 OK", [*SHARED, *own])] * 2
    assert importlib.import_module("stall.wsgi").SHARED == SHARED


def test_every_asgi_answer_says_which_run_and_process_it_belongs_to(load):
    wrapper = load("benchsuite.isolation.asgi")
    own = [
        (b"x-benchsuite-run", b"the-token"),
        (b"x-benchsuite-process", str(os.getpid()).encode()),
    ]
    start, body = events(wrapper, type="http")
    assert start["headers"] == [(b"a", b"b"), *own]
    assert body == {"type": "http.response.body", "body": b"mine"}
    accept, message = events(wrapper, type="websocket")
    assert accept["headers"] == own
    assert message == {"type": "websocket.send", "text": "hello"}


def test_lifespan_is_the_projects_own_affair(load, tmp_path):
    """That Django refuses it is not why any page failed."""
    with pytest.raises(ValueError, match="not lifespan"):
        events(load("benchsuite.isolation.asgi"), type="lifespan")
    assert errors.read(tmp_path / "instructions.json") == []


def test_what_escapes_the_project_is_written_down(load, tmp_path):
    wrapper = load("benchsuite.isolation.asgi")

    async def send(event):
        raise KeyError("price")

    scope = {"type": "http", "method": "GET", "path": "/shop/"}
    with pytest.raises(KeyError):
        asyncio.run(wrapper.application(scope, None, send))
    (one,) = errors.read(tmp_path / "instructions.json")
    assert (one.status, one.asked, one.message) == (500, "GET /shop/", "KeyError: 'price'")


@pytest.mark.parametrize("wsgi", ["stall.wsgi.application", "stall.wsgi.app", "stall.serving.app"])
def test_the_asgi_module_beside_whatever_the_wsgi_callable_is_called_is_found(project, wsgi):
    project.BENCHSUITE_ORIGINAL["WSGI_APPLICATION"] = wsgi
    assert project_callable("asgi") is importlib.import_module("stall.asgi").application


def test_modules_beside_the_urls_are_found_where_no_setting_names_them(project):
    project.BENCHSUITE_ORIGINAL["WSGI_APPLICATION"] = None
    assert project_callable("asgi") is importlib.import_module("stall.asgi").application
    assert project_callable("wsgi") is importlib.import_module("stall.wsgi").application


def test_modules_without_a_package_are_found_beside_each_other_alone(
    project, tmp_path, monkeypatch
):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.syspath_prepend(elsewhere)
    (elsewhere / "urls.py").touch()
    (tmp_path / "asgi.py").write_text(ASGI)
    project.BENCHSUITE_ORIGINAL |= {"WSGI_APPLICATION": None, "ROOT_URLCONF": "urls"}
    for name in ("asgi", "urls"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert isinstance(project_callable("asgi"), ASGIHandler), "that is another's"
    (elsewhere / "urls.py").rename(tmp_path / "urls.py")
    importlib.invalidate_caches()
    application = project_callable("asgi")
    assert application is sys.modules.pop("asgi").application


def test_without_modules_of_its_own_a_project_gets_djangos_handlers(project, tmp_path):
    project.BENCHSUITE_ORIGINAL["WSGI_APPLICATION"] = None
    for name in ("wsgi", "asgi"):
        (tmp_path / f"stall/{name}.py").unlink()
    assert isinstance(project_callable("wsgi"), WSGIHandler)
    assert isinstance(project_callable("asgi"), ASGIHandler)


def test_an_asgi_module_that_fails_to_import_is_not_passed_over(project, tmp_path):
    (tmp_path / "stall/asgi.py").write_text("import nothing_of_that_name")
    with pytest.raises(ModuleNotFoundError, match="nothing_of_that_name"):
        project_callable("asgi")


@pytest.mark.parametrize("kind", ["wsgi", "asgi"])
def test_a_module_that_assigns_the_settings_is_refused(project, tmp_path, kind):
    source = "import os\nos.environ['DJANGO_SETTINGS_MODULE'] = 'stall.settings'\napplication = 1"
    (tmp_path / f"stall/{kind}.py").write_text(source)
    with pytest.raises(ImproperlyConfigured, match=f"stall.{kind} assigns .*setdefault"):
        project_callable(kind)
    assert os.environ["DJANGO_SETTINGS_MODULE"] == "stall.settings"


POSTGRESQL = {"ENGINE": "django.db.backends.postgresql", "HOST": "db.example", "PORT": ""}


def test_values(golden):
    golden.values()


def test_facts_come_through_json_as_they_were():
    facts = Facts(database_address=("db.example", 5432), memory_layers=("a",))
    assert Facts.from_json(json.loads(json.dumps(facts.to_json()))) == facts


INSTRUCTIONS = Instructions(
    settings_module="shop.settings",
    token="feed",
    folder="/tmp/run",
    databases={"default": "bench_feed_0default"},
    mirrors={"replica": "default"},
    database_url="postgres://me:secret@host/name",
    database_host="127.0.0.1",
    database_port=5433,
    conn_max_age_s=60.0,
    pool=None,
    layer="channels_redis.core.RedisChannelLayer",
    layer_url="unix:///tmp/run/redis.sock",
    needs_target_app=True,
    mounts_target=True,
)


def test_instructions_come_back_as_they_were_written_for_their_owner_alone(tmp_path):
    path = tmp_path / "instructions.json"
    INSTRUCTIONS.write(path)
    assert Instructions.read(path) == INSTRUCTIONS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_who_no_run_started_is_told_whose_they_are(monkeypatch):
    monkeypatch.delenv(INSTRUCTIONS_VARIABLE, raising=False)
    with pytest.raises(UsageError, match="made for the servers that runbench starts"):
        Instructions.of_this_process()
    monkeypatch.delenv(RUN_VARIABLE, raising=False)
    with pytest.raises(ImproperlyConfigured, match="only runs may load it"):
        run_token()
