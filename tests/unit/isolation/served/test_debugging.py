"""Statements that are kept though DEBUG is off."""

import pytest
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from benchsuite.isolation.served import counting


@pytest.mark.django_db
@pytest.mark.parametrize(("forced", "counted"), [(False, 0), (True, 2)])
def test_cursors_for_debugging_are_counted(
    monkeypatch: pytest.MonkeyPatch, *, forced: bool, counted: int
) -> None:
    made: list[int] = []
    monkeypatch.setattr(
        BaseDatabaseWrapper, "make_debug_cursor", BaseDatabaseWrapper.make_debug_cursor
    )
    counting.watch_kept_sql(lambda: made.append(1))
    connection = connections["default"]
    monkeypatch.setattr(connection, "force_debug_cursor", forced)
    connection.queries_log.clear()
    for _ in range(2):
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    assert len(made) == len(connection.queries) == counted
