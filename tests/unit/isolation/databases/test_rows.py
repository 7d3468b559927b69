"""Rows of tables, counted in the database of the tests."""

import pytest
from django.contrib.auth.models import Group
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from benchsuite.isolation.databases import rows
from benchsuite.isolation.databases.rows import Rows

pytestmark = pytest.mark.django_db

GROUPS = Group._meta.db_table


def add(*names: str) -> None:
    Group.objects.bulk_create(Group(name=name) for name in names)


def test_rows_are_counted_but_those_of_sessions() -> None:
    counted = Rows(["default"])
    before = counted.count()["rows"]
    add("a", "b")
    Session.objects.create(session_key="k", session_data="", expire_date=timezone.now())
    after = counted.count()["rows"]
    assert {name for name in after if after[name] != before[name]} == {GROUPS}
    assert after[GROUPS] - before[GROUPS] == 2
    assert Session._meta.db_table not in after


def test_deleted_rows_are_missed_though_others_came() -> None:
    add("a", "b")
    counted = Rows(["default"])
    assert counted.count([GROUPS])["gone"] == []
    Group.objects.get(name="a").delete()
    add("c")
    found = counted.count([GROUPS])
    assert (found["gone"], found["rows"][GROUPS]) == ([GROUPS], 2)
    assert counted.count()["gone"] == []


def test_of_a_large_table_only_what_comes_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "WHOLE", 2)
    add("a", "b", "c")
    counted = Rows(["default"])
    assert counted.count()["rows"][GROUPS] == 0
    add("d")
    assert counted.count()["rows"][GROUPS] == 1


def test_a_large_table_without_a_rising_key_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    add("a")
    monkeypatch.setattr(rows, "WHOLE", 0)
    counted = Rows([])
    counted.tables = [rows.Table("default", GROUPS)]
    assert counted.count() == {"rows": {}, "gone": []}


def test_tables_that_can_not_be_asked_are_left_out_and_databases_are_named() -> None:
    counted = Rows([])
    counted.tables = [rows.Table("default", "nowhere"), rows.Table("other", GROUPS)]
    assert counted.tables[1].title == f"{GROUPS} (in other)"
    counted.tables.pop()
    with transaction.atomic():
        assert counted.count() == {"rows": {}, "gone": []}
