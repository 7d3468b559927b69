"""The error behind a status: of that page, else the first alike, never another's."""

from typing import Any

import pytest

from benchsuite.core.samples import REQUEST, Kind
from benchsuite.isolation.served.errors import NOT_ROUTED, Error
from benchsuite.load.parent.spool import NameEntry
from benchsuite.runner.reasons import about_the_data, asked_again, explained, reason


def error(status: int | None, asked: str, message: str) -> Error:
    return Error(status=status, asked=asked, message=message, place="shop/views.py:3")


ERRORS = [
    error(None, "", "ImportError: late"),
    error(500, "GET /", "KeyError: 'first'"),
    error(500, "GET /shop/", "ValueError: shop"),
    error(403, "POST /shop/", "Forbidden (CSRF cookie not set.): /shop/"),
]


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("GET /shop/ answered 500: something fails in the server.", "ValueError: shop"),
        ("GET /shop/?page=2 answered 500: something fails.", "ValueError: shop"),
        ("GET /shop/1/ answered 500: something fails.", "KeyError: 'first'"),
        ("POST /shop/ answered 403: the page wants", "Forbidden (CSRF cookie not set.): /shop/"),
        ("GET / answered 404: nothing is there", None),
        ("GET / on 127.0.0.1 failed: the connection was refused", None),
    ],
)
def test_of_a_refusal(message: str, found: str | None) -> None:
    expected = None if found is None else f"{found} (shop/views.py:3)"
    assert reason(message, ERRORS) == expected


def test_examples_say_the_error_of_their_page() -> None:
    entry = NameEntry(
        name="GET /shop/",
        scope=REQUEST,
        examples={Kind.HTTP_STATUS: "status 500", Kind.RESET: "the connection was closed"},
    )
    (one,) = explained([entry], ERRORS)
    assert one.examples == {
        Kind.HTTP_STATUS: "status 500: ValueError: shop (shop/views.py:3)",
        Kind.RESET: "the connection was closed",
    }
    assert explained([entry], []) == [entry]


EMPTY_TOO = "the database holds no rows but those that `migrate` makes"


@pytest.mark.parametrize(
    ("message", "cause", "words"),
    [
        ("GET /1/ answered 404: nothing is there", "", "Likely cause: the database"),
        ("GET /1/ answered 404: nothing is there", NOT_ROUTED, ""),
        ("GET / redirected to /setup/ (status 302): ask", "", "Likely cause: the database"),
        ("GET / redirected to https://x/ (status 301): runs", "", ""),
        ("GET / redirected to /login/ (status 302): the page wants a user", "", ""),
        ("GET / answered 200, but the journey says: no", "", "Likely cause: the database"),
        ("GET / answered 500: something fails", "DoesNotExist", "Beside that: the database"),
        ("GET / answered 503: something fails", "", ""),
        ("GET / answered 429: too often", "", ""),
        ("GET / on h:1 failed: refused; look", "", ""),
    ],
)
def test_the_data_are_told_where_they_may_be_the_reason(
    message: str, cause: str, words: str
) -> None:
    told = about_the_data(message, cause, empty=True, filled=())
    assert told.startswith(words)
    assert (EMPTY_TOO in told) is bool(words)
    assert about_the_data(message, cause, empty=False, filled=()) == ""
    filled = about_the_data(message, cause, empty=False, filled=("fixture shop.json",))
    assert ("and: fixture shop.json." in filled) is bool(words)


def seen(status: int, *, viewed: bool = False) -> dict[str, Any]:
    return {"status": status, "viewed": viewed, "maker": "shop.closed", "retry_after": "60"}


@pytest.mark.parametrize(
    ("message", "by_run", "by_project", "wanted"),
    [
        ("GET /a answered 503: no", seen(503), None, "shop.closed answered before it (Retry-After"),
        ("GET /a answered 500: no", seen(500, viewed=True), seen(200), "the same page answers 200"),
        ("GET /a answered 500: no", seen(500, viewed=True), seen(500), ""),
        ("GET /a answered 403: no", seen(200, viewed=True), None, ""),
        ("GET /a answered 404: no", seen(404), None, ""),
        ("GET /a answered 503: no", None, None, ""),
        ("GET /a redirected to /b (status 302)", seen(302), None, ""),
    ],
)
def test_what_shows_when_a_page_is_asked_again(
    message: str, by_run: dict[str, Any] | None, by_project: dict[str, Any] | None, wanted: str
) -> None:
    def ask(path: str, *, debug: bool) -> dict[str, Any] | None:
        assert path == "/a"
        return by_project if debug else by_run

    told = asked_again(message, ask, debug=by_project is not None)
    assert wanted in told
    assert bool(told) == bool(wanted)
