"""The error behind a status: of that page, else the first alike, never another's."""

from benchsuite.core.exceptions import AnswerError
from benchsuite.isolation.served.errors import Error
from benchsuite.runner.reasons import asked_again, error_behind, reason


def error(status, asked, message):
    return Error(status=status, asked=asked, message=message, place="shop/views.py:3")


ERRORS = [
    error(None, "", "ImportError: late"),
    error(500, "GET /", "KeyError: 'first'"),
    error(500, "GET /shop/", "ValueError: shop"),
    error(403, "POST /shop/", "Forbidden (CSRF cookie not set.): /shop/"),
]


def answer(status, *, why="", asked="GET /a"):
    error = AnswerError("It was not right.")
    error.status, error.why = status, why
    error.method, error.path = asked.split()
    return error


def seen(status, *, viewed=False):
    return {"status": status, "viewed": viewed, "maker": "shop.closed", "retry_after": "60"}


def behind(asked, status):
    """The reason of such an answer."""
    found = error_behind(asked, status, ERRORS)
    return found and reason(found)


def again(refused, by_run, by_project=None):
    """What is told when the page then answers so; by_project, with DEBUG as the project has it."""

    def ask(path, *, debug):
        assert path == "/a"
        return by_project if debug else by_run

    return asked_again(refused, ask, debug=by_project is not None)


def test_values(golden):
    golden.values()
