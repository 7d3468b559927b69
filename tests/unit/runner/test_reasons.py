"""The error behind a status: of that page, else the first alike, never another's."""

from benchsuite.core.exceptions import AnswerError
from benchsuite.isolation.served.errors import Error
from benchsuite.runner.explaining import error_behind, reason


def error(status, asked, message):
    return Error(status=status, asked=asked, message=message, place="shop/views.py:3")


ERRORS = [
    error(None, "", "ImportError: late"),
    error(500, "GET /", "KeyError: 'first'"),
    error(500, "GET /shop/", "ValueError: shop"),
    error(403, "POST /shop/", "Forbidden (CSRF cookie not set.): /shop/"),
]


def answer(status, *, why=""):
    error = AnswerError("It was not right.")
    error.status, error.why = status, why
    return error


def behind(asked, status):
    """The reason of such an answer."""
    found = error_behind(asked, status, ERRORS)
    return found and reason(found)


def test_values(golden):
    golden.values()
