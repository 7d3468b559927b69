"""The error behind a status: of that page, else the first alike, never another's."""

from typing import Any

import pytest

from benchsuite.core.exceptions import WANTS_HTTPS, WANTS_USER, AnswerError
from benchsuite.core.samples import REQUEST, Kind
from benchsuite.isolation.served.errors import Error
from benchsuite.load.parent.driver import NameEntry
from benchsuite.runner.reasons import about_the_data, asked_again, error_behind, explained, reason


def error(status: int | None, asked: str, message: str) -> Error:
    return Error(status=status, asked=asked, message=message, place="shop/views.py:3")


ERRORS = [
    error(None, "", "ImportError: late"),
    error(500, "GET /", "KeyError: 'first'"),
    error(500, "GET /shop/", "ValueError: shop"),
    error(403, "POST /shop/", "Forbidden (CSRF cookie not set.): /shop/"),
]


@pytest.mark.parametrize(
    ("asked", "status", "behind"),
    [
        ("GET /shop/", 500, "ValueError: shop"),
        ("GET /shop/?page=2", 500, "ValueError: shop"),
        ("GET /shop/1/", 500, "KeyError: 'first'"),
        ("POST /shop/", 403, "Forbidden (CSRF cookie not set.): /shop/"),
        ("GET /", 404, None),
        ("GET /", None, None),
    ],
)
def test_of_a_refusal(asked: str, status: int | None, behind: str | None) -> None:
    found = error_behind(asked, status, ERRORS)
    assert (found and reason(found)) == (behind and f"{behind} (shop/views.py:3)")


def test_examples_say_the_error_of_their_page() -> None:
    entry = NameEntry(
        name="GET /shop/",
        scope=REQUEST,
        examples={Kind.HTTP_STATUS: "status 500", Kind.RESET: "the connection was closed"},
        answers={Kind.HTTP_STATUS: (500, "GET /shop/")},
    )
    (one,) = explained([entry], ERRORS)
    assert one.examples == {
        Kind.HTTP_STATUS: "status 500: ValueError: shop (shop/views.py:3)",
        Kind.RESET: "the connection was closed",
    }
    assert explained([entry], []) == [entry]


EMPTY_TOO = "the database holds no rows but those that `migrate` makes"


def answer(status: int | None, *, why: str = "", asked: str = "GET /a") -> AnswerError:
    error = AnswerError("It was not right.")
    error.status, error.why = status, why
    error.method, error.path = asked.split()
    return error


@pytest.mark.parametrize(
    ("refused", "routed", "words"),
    [
        (answer(404), True, "Likely cause: the database"),
        (answer(404), False, ""),
        (answer(302), True, "Likely cause: the database"),
        (answer(301, why=WANTS_HTTPS), True, ""),
        (answer(302, why=WANTS_USER), True, ""),
        (answer(200), True, "Likely cause: the database"),
        (answer(500), True, "Beside that: the database"),
        (answer(503), True, ""),
        (answer(429), True, ""),
        (answer(None), True, ""),
    ],
)
def test_the_data_are_told_where_they_may_be_the_reason(
    refused: AnswerError, *, routed: bool, words: str
) -> None:
    told = about_the_data(refused, routed=routed, empty=True, filled=())
    assert told.startswith(words)
    assert (EMPTY_TOO in told) is bool(words)
    assert about_the_data(refused, routed=routed, empty=False, filled=()) == ""
    filled = about_the_data(refused, routed=routed, empty=False, filled=("fixture shop.json",))
    assert ("and: fixture shop.json." in filled) is bool(words)


def seen(status: int, *, viewed: bool = False) -> dict[str, Any]:
    return {"status": status, "viewed": viewed, "maker": "shop.closed", "retry_after": "60"}


@pytest.mark.parametrize(
    ("refused", "by_run", "by_project", "wanted"),
    [
        (answer(503), seen(503), None, "shop.closed answered before it (Retry-After"),
        (answer(500), seen(500, viewed=True), seen(200), "the same page answers 200"),
        (answer(500), seen(500, viewed=True), seen(500), ""),
        (answer(403), seen(200, viewed=True), None, ""),
        (answer(404), seen(404), None, ""),
        (answer(503), None, None, ""),
        (answer(302), seen(302), None, ""),
        (answer(503, asked="POST /a"), seen(503), None, ""),
    ],
)
def test_what_shows_when_a_page_is_asked_again(
    refused: AnswerError,
    by_run: dict[str, Any] | None,
    by_project: dict[str, Any] | None,
    wanted: str,
) -> None:
    def ask(path: str, *, debug: bool) -> dict[str, Any] | None:
        assert path == "/a"
        return by_project if debug else by_run

    told = asked_again(refused, ask, debug=by_project is not None)
    assert wanted in told
    assert bool(told) == bool(wanted)
