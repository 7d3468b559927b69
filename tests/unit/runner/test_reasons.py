"""The error behind a status: of that page, else the first alike, never another's."""

from typing import Any

import pytest

from benchsuite.core.exceptions import AnswerError
from benchsuite.isolation.served.errors import Error
from benchsuite.runner.reasons import asked_again, error_behind, reason
from tests.golden import Golden


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


def answer(status: int | None, *, why: str = "", asked: str = "GET /a") -> AnswerError:
    error = AnswerError("It was not right.")
    error.status, error.why = status, why
    error.method, error.path = asked.split()
    return error


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


def test_values(golden: Golden) -> None:
    golden.values()
