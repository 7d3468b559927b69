"""Each thing a database server may refuse becomes one sentence with what to do."""

import errno

import pytest
from django.db import OperationalError, ProgrammingError

from benchsuite.isolation.databases.faults import explain, too_early

POSTGRES = {
    "ENGINE": "django.db.backends.postgresql",
    "HOST": "db.example",
    "PORT": 5433,
    "USER": "clerk",
}
MYSQL = {**POSTGRES, "ENGINE": "django.db.backends.mysql"}
SQLITE = {"ENGINE": "django.db.backends.sqlite3", "NAME": "x"}


class Refusal(Exception):
    """What psycopg raises, as far as it matters here."""

    def __init__(self, sqlstate: str, text: str = "no") -> None:
        super().__init__(text)
        self.sqlstate = sqlstate


def caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "entry", "words"),
    [
        (
            caused(ProgrammingError("permission denied"), Refusal("42501")),
            POSTGRES,
            'ALTER ROLE "clerk" CREATEDB',
        ),
        (OperationalError(1044, "Access denied"), MYSQL, r"GRANT ALL ON `bench\_%`.* TO 'clerk'"),
        (
            OperationalError("connection failed: Connection refused"),
            POSTGRES,
            "db.example:5433 can't",
        ),
        (OperationalError(2003, "Can't connect"), MYSQL, "can't be reached"),
        (caused(OperationalError("x"), Refusal("28P01")), POSTGRES, "does not let clerk in"),
        (caused(OperationalError("x"), Refusal("53300")), POSTGRES, "no connection left"),
        (caused(OperationalError("x"), Refusal("53100")), POSTGRES, "no space left"),
        (caused(OperationalError("x"), Refusal("3D000")), POSTGRES, "GRANT CONNECT ON DATABASE"),
        (OperationalError("database or disk is full"), SQLITE, "no space left"),
        (OSError(errno.ENOSPC, "No space left on device"), SQLITE, "no space left"),
        (caused(SystemExit(2), OperationalError("column is gone")), SQLITE, "column is gone"),
        (SystemExit(2), SQLITE, "Django gave up"),
    ],
)
def test_the_sentence_says_what_to_do(
    error: BaseException, entry: dict[str, object], words: str
) -> None:
    sentence = explain(error, entry)
    assert words in sentence
    assert "\n" not in sentence


def test_a_project_that_asks_before_there_are_tables_is_told_the_place() -> None:
    code = "def ready():\n    raise error\nready()"
    error = OperationalError("no such table: shop_order")
    try:
        exec(compile(code, "/srv/django/shop/apps.py", "exec"), {"error": error})
    except OperationalError as met:
        said = too_early(met)
    assert "/srv/django/shop/apps.py:2 needs what only `migrate` creates" in said
    assert "(no such table: shop_order)" in said
