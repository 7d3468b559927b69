"""What runs inside the measured server: errors, views, requests and statements."""

import json
import logging
import os
import threading
from time import sleep
from types import SimpleNamespace

import pytest
from django.core.handlers.base import BaseHandler
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet
from django.db.utils import ConnectionHandler
from django.dispatch import Signal
from django.http import HttpResponse
from django.middleware.cache import CacheMiddleware
from django.test import Client, RequestFactory, override_settings
from django.urls import path
from django.views.decorators.cache import cache_page

from benchsuite.isolation.instructions import INSTRUCTIONS_VARIABLE
from benchsuite.isolation.served import counting, diagnosing, errors
from benchsuite.isolation.served.counting import Counter
from benchsuite.isolation.served.diagnosing import Account, Page, words
from benchsuite.isolation.served.errors import FILE, MOST, Listener, read
from benchsuite.runner.explaining import diagnosis


@pytest.fixture
def instructions(tmp_path):
    return tmp_path / "instructions.json"


@pytest.fixture
def writer(instructions):
    return Listener(instructions.with_name(FILE))


def raised(message="no price"):
    try:
        raise ValueError(message)
    except ValueError as error:
        return error


def test_it_is_told_where_in_the_project(writer, instructions):
    try:
        json.loads("{")  # raised in the standard library, called from here
    except ValueError as error:
        writer.enter(500, "GET /shop/", error)
    (one,) = read(instructions)
    assert (one.status, one.asked) == (500, "GET /shop/")
    assert one.message.startswith("JSONDecodeError: Expecting property name")
    assert one.place.startswith("tests/unit/isolation/served/test_served.py:")
    assert one.words == f"{one.message} ({one.place})"


def test_the_same_error_is_written_once_and_others_a_few_times(writer, instructions):
    for number in range(1000):
        writer.enter(500, f"GET /{number}/", raised(f"number {number}"))
    assert [one.asked for one in read(instructions)] == ["GET /0/"]
    for number in range(1000):
        writer.enter(400, "GET /", f"reason {number}")
    assert len(read(instructions)) == MOST


def test_it_is_bounded_and_whatever_cannot_be_written_is_nobodys_trouble(
    instructions, monkeypatch, tmp_path
):
    for _ in range(2):
        Listener(instructions.with_name(FILE)).enter(500, "GET /", raised())
    assert len(read(instructions)) == 2, "each process writes behind the others"
    monkeypatch.setattr(errors, "MOST_BYTES", 1000)
    for _ in range(100):
        Listener(instructions.with_name(FILE)).enter(500, "GET /" + "x" * 5000, raised("y" * 5000))
    assert instructions.with_name(FILE).stat().st_size < 2000
    assert "\n" not in read(instructions)[-1].message
    Listener(tmp_path / "nowhere" / FILE).enter(500, "GET /", raised())
    assert read(tmp_path / "nowhere" / "instructions.json") == []


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def test_an_error_without_words_and_a_folder_that_is_gone_change_no_answer(
    writer, instructions, tmp_path, monkeypatch
):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    here.rmdir()
    try:
        raise Unspeakable
    except Unspeakable as error:
        writer.enter(500, "GET /", error)
    (one,) = read(instructions)
    assert (one.message, one.place.split(":")[0]) == ("Unspeakable", "served/test_served.py")


def test_a_line_that_ends_a_half_one_is_left_out_and_a_half_one_is_none_yet(writer, instructions):
    instructions.with_name(FILE).write_text('{"status": 5')
    writer.enter(500, "GET /a/", "first")
    writer.enter(None, "", "second")
    with instructions.with_name(FILE).open("a") as file:
        file.write('{"status": 5')
    assert [one.words for one in read(instructions)] == ["second"]


@pytest.fixture
def listener(writer, monkeypatch):
    monkeypatch.setattr(errors, "got_request_exception", Signal())
    for name in errors.LOGGERS:
        logger = logging.getLogger(name)
        monkeypatch.setattr(logger, "handlers", list(logger.handlers))
    with writer.starting():
        pass
    return writer


def test_the_signal_is_heard(listener, instructions):
    request = SimpleNamespace(method="POST", path="/basket/")
    try:
        raise KeyError("price")
    except KeyError:
        errors.got_request_exception.send(sender=None, request=request)
    (one,) = read(instructions)
    assert (one.status, one.asked, one.message) == (500, "POST /basket/", "KeyError: 'price'")


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("django.security.DisallowedHost", 400, "Invalid HTTP_HOST header: 'x'."),
        ("django.security.csrf", 403, "Forbidden (CSRF cookie not set.): /"),
        ("django.security.RequestDataTooBig", 400, "Request body exceeded"),
    ],
)
def test_reasons_that_are_only_logged_are_heard(listener, instructions, name, status, said):
    extra = {"status_code": status, "request": SimpleNamespace(method="GET", path="/")}
    logging.getLogger(name).warning(said, extra=extra)
    logging.getLogger("django.request").warning("Not Found: /", extra={**extra, "status_code": 404})
    assert [(one.status, one.asked, one.message) for one in read(instructions)] == [
        (status, "GET /", said)
    ]


@pytest.mark.parametrize("name", errors.LOGGERS)
def test_a_reason_that_cannot_be_said_changes_no_answer(listener, name, capfd, monkeypatch):
    """It is told as any handler of `logging` tells it: on stderr."""
    logger = logging.getLogger(name)
    monkeypatch.setattr(logger, "propagate", False)  # pytest's own handlers would raise
    logger.warning("%d refused", "all", extra={"status_code": 403})
    assert "--- Logging error ---" in capfd.readouterr().err


def test_what_ends_a_start_is_written_down_and_raised(writer, instructions):
    with pytest.raises(ImportError), writer.starting():
        raise ImportError("no module shop")
    assert [(one.status, one.message) for one in read(instructions)] == [
        (None, "ImportError: no module shop")
    ]


def asked(counter, times):
    for _ in range(times):
        counter.add()


def test_a_fork_goes_on_in_a_cell_of_its_own_and_a_known_number_where_it_was(
    instructions, monkeypatch
):
    assert counting.read_counts(instructions) is None
    counter = Counter(instructions.with_name(counting.PREFIX))
    asked(counter, 3)
    parent = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: parent + 1)
    asked(counter, 4)
    monkeypatch.setattr(os, "getpid", lambda: parent)
    asked(counter, 5)
    assert counting.read_counts(instructions) == 12
    assert len(list(instructions.parent.iterdir())) == 2
    asked(Counter(instructions.with_name(counting.PREFIX)), 2)
    assert counting.read_counts(instructions) == 14


def test_processes_of_two_containers_may_have_one_number(instructions, monkeypatch):
    path, name = instructions.with_name(counting.PREFIX), ["one"]
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(nodename=name[0]))
    first, second = Counter(path), Counter(path)
    asked(first, 3)
    name[0] = "two"
    asked(second, 3)
    asked(first, 3)
    assert counting.read_counts(instructions) == 9
    assert all(one.stat().st_mode & 0o044 for one in instructions.parent.iterdir())


def test_who_called_a_view_makes_none_of_its_queries():
    handler = compile("eval(view)", "/site-packages/django/core/handlers/base.py", "eval")
    view = compile("line()", "/site-packages/rest/fields.py", "eval")
    assert eval(handler, {"view": view, "line": diagnosing.line}) == "rest/fields.py:1"


def test_threads(instructions):
    counter = Counter(instructions.with_name(counting.PREFIX))
    threads = [threading.Thread(target=asked, args=(counter, 2_000)) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    asked(counter, 1)
    assert counting.read_counts(instructions) == 8_001


def test_where_nothing_can_be_written_nothing_is_known(tmp_path):
    instructions = tmp_path / "none" / "instructions.json"
    asked(Counter(instructions.with_name(counting.PREFIX)), 2)
    assert counting.read_counts(instructions) is None


def test_queries_are_told_without_values(golden):
    golden.cases(words)


def test_accounts_of_processes_are_put_together(tmp_path, monkeypatch):
    monkeypatch.setattr(diagnosing, "EVERY_S", 0.0)
    product = ("SELECT shop_product", "shop/views.py:12", 7)
    for name, requests in (("1", 1), ("2", 3)):
        account = Account(tmp_path / f"diagnosis-{name}.json", paused_s=0.1, longest_pause_s=0.05)
        for _ in range(requests):
            one = Page(request_s=0.1, queries=20, query_s=0.04, shapes={product: [20, 0.04]})
            account.add("GET /shop/", one)
    found = diagnosis(tmp_path / "instructions.json")
    (page,) = found["pages"]
    assert (page["page"], page["requests"], page["queries"]) == ("GET /shop/", 4, 20)
    assert page["request_s"] == pytest.approx(0.1)
    (shape,) = page["shapes"]
    assert (shape["query"], shape["place"], shape["times"]) == (*product[:2], 20)
    assert shape["query_s"] == pytest.approx(0.04)
    assert found["paused_s"] == pytest.approx(0.2)
    assert json.dumps(found)


def test_a_start_that_wrote_nothing_has_no_diagnosis(tmp_path):
    assert diagnosis(tmp_path / "instructions.json") is None


def counts_of(monkeypatch):
    """What is counted from now on."""
    for kind, name in ((BaseHandler, "load_middleware"), (CacheMiddleware, "process_request")):
        monkeypatch.setattr(kind, name, getattr(kind, name))
    counted = []
    counting.watch_views(lambda: counted.append("view"), lambda: counted.append("cached"))
    return counted


def page(request):
    return HttpResponse("made")


urlpatterns = [path("plain/", page), path("kept/", cache_page(60)(page))]


@pytest.mark.urls(__name__)
def test_what_a_cache_answers_in_place_of_a_view_is_counted(monkeypatch):
    counted = counts_of(monkeypatch)
    with override_settings(MIDDLEWARE=[]):
        client = Client()
        for _ in range(3):
            client.get("/plain/")
        assert counted == ["view"] * 3
        counted.clear()
        for _ in range(3):
            client.get("/kept/")
    assert (counted.count("view"), counted.count("cached")) == (3, 2)


def test_closing_a_connection_after_the_answer_counts_as_connecting(
    tmp_path, monkeypatch, django_db_blocker
):
    """Django closes it when the answer was sent, outside of all middleware."""
    monkeypatch.setattr(diagnosing, "EVERY_S", 0.0)
    monkeypatch.setattr(diagnosing, "_accounts", {})
    monkeypatch.setenv(INSTRUCTIONS_VARIABLE, str(tmp_path / "instructions.json"))
    for name in ("connect", "close"):  # what it wraps is put back
        monkeypatch.setattr(BaseDatabaseWrapper, name, getattr(BaseDatabaseWrapper, name))
    monkeypatch.setattr(QuerySet, "_fetch_all", QuerySet._fetch_all)
    monkeypatch.setattr(diagnosing.gc, "callbacks", [])
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": tmp_path / "shop.sqlite3"}
    connection = ConnectionHandler({"default": database})["default"]
    close = connection._close
    monkeypatch.setattr(connection, "_close", lambda: (sleep(0.05), close()))

    def view(request):
        with connection.execute_wrapper(lambda execute, *rest: execute(*rest)):
            connection.connect()
        return HttpResponse()

    with django_db_blocker.unblock():
        diagnosing.diagnosed(view)(RequestFactory().get("/shop/"))
        connection.close()
    (account,) = diagnosing._accounts.values()
    assert account.pages["GET /shop/"].connecting_s >= 0.05
    assert connection.execute_wrappers == [diagnosing._query], "the project's own has ended"
    assert account.pages["GET /shop/"].request_s >= 0.05
