"""What a server writes down of its errors, and how little of it."""

import json
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.dispatch import Signal

from benchsuite.isolation.served import errors, listening
from benchsuite.isolation.served.errors import FILE, MOST, Book, read
from benchsuite.isolation.served.listening import Listener


@pytest.fixture
def instructions(tmp_path: Path) -> Path:
    return tmp_path / "instructions.json"


@pytest.fixture
def book(instructions: Path) -> Book:
    return Book(instructions.with_name(FILE))


def raised(message: str = "no price") -> ValueError:
    try:
        raise ValueError(message)
    except ValueError as error:
        return error


def test_it_is_told_where_in_the_project(book: Book, instructions: Path) -> None:
    try:
        json.loads("{")  # raised in the standard library, called from here
    except ValueError as error:
        book.enter(500, "GET /shop/", error)
    (one,) = read(instructions)
    assert (one.status, one.asked) == (500, "GET /shop/")
    assert one.message.startswith("JSONDecodeError: Expecting property name")
    assert one.place.startswith("tests/unit/isolation/served/test_errors.py:")
    assert one.words == f"{one.message} ({one.place})"


def test_the_same_error_is_written_once_and_others_a_few_times(
    book: Book, instructions: Path
) -> None:
    for number in range(1000):
        book.enter(500, f"GET /{number}/", raised(f"number {number}"))
    assert [one.asked for one in read(instructions)] == ["GET /0/"]
    for number in range(1000):
        book.enter(400, "GET /", f"reason {number}")
    assert len(read(instructions)) == MOST


def test_each_process_writes_behind_the_others(instructions: Path) -> None:
    for _ in range(2):
        Book(instructions.with_name(FILE)).enter(500, "GET /", raised())
    assert len(read(instructions)) == 2


def test_it_is_bounded_also_where_processes_come_and_go(
    instructions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "MOST_BYTES", 1000)
    for _ in range(100):
        Book(instructions.with_name(FILE)).enter(500, "GET /" + "x" * 5000, raised("y" * 5000))
    assert instructions.with_name(FILE).stat().st_size < 2000
    assert "\n" not in read(instructions)[0].message


def test_what_cannot_be_written_is_nobodys_trouble(tmp_path: Path) -> None:
    Book(tmp_path / "nowhere" / FILE).enter(500, "GET /", raised())
    assert read(tmp_path / "nowhere" / "instructions.json") == []


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_an_error_without_words_and_a_folder_that_is_gone_change_no_answer(
    book: Book, instructions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    here.rmdir()
    try:
        raise Unspeakable
    except Unspeakable as error:
        book.enter(500, "GET /", error)
    (one,) = read(instructions)
    assert (one.message, one.place.split(":")[0]) == ("Unspeakable", "served/test_errors.py")


def test_a_line_that_ends_a_half_one_is_left_out(book: Book, instructions: Path) -> None:
    instructions.with_name(FILE).write_text('{"status": 5')
    book.enter(500, "GET /a/", "first")
    book.enter(500, "GET /b/", "second")
    assert [one.asked for one in read(instructions)] == ["GET /b/"]


def test_a_half_line_is_none_yet(book: Book, instructions: Path) -> None:
    book.enter(None, "", "first")
    with instructions.with_name(FILE).open("a") as file:
        file.write('{"status": 5')
    assert [one.words for one in read(instructions)] == ["first"]


@pytest.fixture
def listener(book: Book, monkeypatch: pytest.MonkeyPatch) -> Listener:
    monkeypatch.setattr(listening, "got_request_exception", Signal())
    for name in listening.LOGGERS:
        logger = logging.getLogger(name)
        monkeypatch.setattr(logger, "handlers", list(logger.handlers))
    made = Listener(book)
    with made.starting():
        pass
    return made


def test_the_signal_is_heard(listener: Listener, instructions: Path) -> None:
    request = SimpleNamespace(method="POST", path="/basket/")
    try:
        raise KeyError("price")
    except KeyError:
        listening.got_request_exception.send(sender=None, request=request)
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
def test_reasons_that_are_only_logged_are_heard(
    listener: Listener, instructions: Path, name: str, status: int, said: str
) -> None:
    extra: dict[str, Any] = {
        "status_code": status,
        "request": SimpleNamespace(method="GET", path="/"),
    }
    logging.getLogger(name).warning(said, extra=extra)
    logging.getLogger("django.request").warning("Not Found: /", extra={**extra, "status_code": 404})
    assert [(one.status, one.asked, one.message) for one in read(instructions)] == [
        (status, "GET /", said)
    ]


@pytest.mark.parametrize("name", listening.LOGGERS)
def test_a_reason_that_cannot_be_said_changes_no_answer(
    listener: Listener,
    name: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is told as any handler of `logging` tells it: on stderr."""
    logger = logging.getLogger(name)
    monkeypatch.setattr(logger, "propagate", False)  # pytest's own handlers would raise
    logger.warning("%d refused", "all", extra={"status_code": 403})
    assert "--- Logging error ---" in capfd.readouterr().err


def test_what_ends_a_start_is_written_down_and_raised(book: Book, instructions: Path) -> None:
    with pytest.raises(ImportError), Listener(book).starting():
        raise ImportError("no module shop")
    assert [(one.status, one.message) for one in read(instructions)] == [
        (None, "ImportError: no module shop")
    ]
