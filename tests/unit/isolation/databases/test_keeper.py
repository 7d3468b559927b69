"""What the keeper does in databases: rows, commands, sessions; and refusals as sentences."""

import io
import signal
import sys
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from django.contrib import auth
from django.contrib.auth.models import Group, User, UserManager
from django.contrib.sessions.models import Session
from django.db import InterfaceError, OperationalError, models, transaction
from django.db.backends.base.creation import BaseDatabaseCreation
from django.db.utils import ConnectionHandler
from django.test import Client, override_settings
from django.test.utils import isolate_apps
from django.utils import timezone

from benchsuite.core.exceptions import DatabaseError, NobodyWaits
from benchsuite.core.specs import DatabaseSpec
from benchsuite.isolation.databases import admin, creation, filling, process
from benchsuite.isolation.databases.admin import too_early
from benchsuite.isolation.databases.creation import Rows
from benchsuite.isolation.databases.filling import signed_in

pytestmark = pytest.mark.django_db

POSTGRES = {
    "ENGINE": "django.db.backends.postgresql",
    "HOST": "db.example",
    "PORT": 5433,
    "USER": "clerk",
}
MYSQL = {**POSTGRES, "ENGINE": "django.db.backends.mysql"}
SQLITE = {"ENGINE": "django.db.backends.sqlite3", "NAME": "x"}


def caused(error, cause):
    error.__cause__ = cause
    return error


def test_what_failed_is_told_with_the_server_that_it_failed_on():
    entry = {**POSTGRES, "NAME": "logs", "HOST": "/nowhere"}
    logs = ConnectionHandler({"default": entry})["default"]

    def stop():
        try:
            logs.ensure_connection()
        except OperationalError:
            sys.exit(2)

    words = r"^The database server /nowhere \(socket\) can't be reached"
    with pytest.raises(DatabaseError, match=words), admin._explained():
        logs.ensure_connection()
    with pytest.raises(DatabaseError, match=words), admin._explained():
        stop()
    with pytest.raises(DatabaseError, match=r"made on (?!/nowhere).*: full"), admin._explained():
        raise OSError("full")


@pytest.mark.parametrize("error", [InterfaceError, OperationalError, OSError])
def test_what_can_not_be_dropped_does_not_keep_the_rest(error, monkeypatch, tmp_path):
    dropped = []

    def drop(alias, name):
        dropped.append(name)
        raise error(len(dropped))

    monkeypatch.setattr(creation, "_drop", drop)
    monkeypatch.setattr(creation.connections, "close_all", lambda: None)
    made = creation.Throwaway("feed", tmp_path)
    made.groups, made._clones = {"default": ["default"]}, ["one", "two"]
    with pytest.raises(error, match=r"^1$"):
        made.drop_all()
    assert len(dropped) == 3


def test_templates_are_migrated_where_a_projects_own_tests_are_not(monkeypatch, tmp_path):
    entry = {**SQLITE, "TEST": {"MIGRATE": False}}
    monkeypatch.setattr(creation, "connections", ConnectionHandler({"default": entry}))
    creation.Throwaway("feed", tmp_path).take_over([])
    assert creation._entry("default")["TEST"]["MIGRATE"] is True


def test_a_project_that_asks_before_there_are_tables_is_told_the_place():
    code = "def ready():\n    raise error\nready()"
    error = OperationalError("no such table: shop_order")
    try:
        exec(compile(code, "/srv/django/shop/apps.py", "exec"), {"error": error})
    except OperationalError as met:
        said = too_early(met)
    assert "/srv/django/shop/apps.py:2 needs what only `migrate` creates" in said
    assert "(no such table: shop_order)" in said


@pytest.fixture
def called(monkeypatch):
    """The names of those that were called; "ends" exits as a command may, "killed" when the parent
    is gone.
    """
    names: list[str] = []

    def call(name, *words, **options):
        names.append(name)
        if name == "ends":
            sys.exit(int(words[0]))
        if name == "killed":
            raise NobodyWaits(0)

    monkeypatch.setattr(filling, "call_command", call)
    return names


def test_a_command_may_end_the_process_when_it_is_done_but_not_with_a_status(called):
    begun: list[str] = []
    filling.fill(DatabaseSpec(fill=("ends 0", "next")), begun.append)
    assert begun == ["fill by ends 0", "fill by next"]
    with pytest.raises(DatabaseError, match=r"^--fill=ends 3 failed: it ended with 3$"):
        filling.fill(DatabaseSpec(fill=("ends 3", "next")), begun.append)
    with pytest.raises(NobodyWaits):
        filling.fill(DatabaseSpec(fill=("killed", "next")), begun.append)
    assert called == ["ends", "next", "ends", "killed"]


GROUPS = Group._meta.db_table


def add(*names):
    Group.objects.bulk_create(Group(name=name) for name in names)


def test_rows_are_counted_but_those_of_sessions():
    counted = Rows(["default"])
    before = counted.count()["rows"]
    add("a", "b")
    Session.objects.create(session_key="k", session_data="", expire_date=timezone.now())
    after = counted.count()["rows"]
    assert {name for name in after if after[name] != before[name]} == {GROUPS}
    assert after[GROUPS] - before[GROUPS] == 2
    assert Session._meta.db_table not in after


def test_deleted_rows_are_missed_though_others_came():
    add("a", "b")
    counted = Rows(["default"])
    assert counted.count([GROUPS])["gone"] == []
    Group.objects.get(name="a").delete()
    add("c")
    found = counted.count([GROUPS])
    assert (found["gone"], found["rows"][GROUPS]) == ([GROUPS], 2)
    assert counted.count()["gone"] == []


def test_rows_of_a_table_whose_key_has_several_columns_are_counted(monkeypatch):
    with isolate_apps():

        class Seat(models.Model):  # noqa: DJ008 - nobody reads it
            pk = models.CompositePrimaryKey("id", "name")
            id = models.IntegerField()
            name = models.TextField()

            class Meta:
                app_label = "hall"
                db_table = GROUPS

    add("a", "b")
    monkeypatch.setattr(creation.apps, "get_models", lambda **given: [Seat])
    counted = Rows(["default"]).count([GROUPS])
    assert (counted["rows"][GROUPS], counted["gone"]) == (2, [])


def test_a_large_table_is_left_out(monkeypatch):
    add("a")
    monkeypatch.setattr(creation, "WHOLE", 0)
    counted = Rows([])
    counted.tables = [creation.Table("default", GROUPS)]
    assert counted.count() == {"rows": {}, "gone": []}


def test_tables_that_can_not_be_asked_are_left_out_and_databases_are_named():
    counted = Rows([])
    counted.tables = [creation.Table("default", "nowhere"), creation.Table("other", GROUPS)]
    assert counted.tables[1].title == f"{GROUPS} (in other)"
    counted.tables.pop()
    with transaction.atomic():
        assert counted.count() == {"rows": {}, "gone": []}


def known_as(cookies):
    """Who a visitor with these cookies is."""
    client = Client()
    client.cookies.load(cookies)
    request = client.get("/nowhere/").wsgi_request
    return auth.get_user(request).get_username()


@pytest.mark.parametrize(
    ("rights", "words", "held"),
    [
        ("", "created: ordinary user", (False, False)),
        ("staff", "created: staff", (True, False)),
        ("superuser", "created: superuser", (True, True)),
    ],
)
def test_who_is_not_there_is_made_with_the_rights_that_are_asked_for(rights, words, held):
    with override_settings(SESSION_COOKIE_NAME="card"):
        cookies, told = signed_in("eve", rights)
        assert list(cookies) == ["card"]
        assert known_as(cookies) == "eve"
    assert told == f"as eve ({words})"
    user = User.objects.get()
    assert (user.is_staff, user.is_superuser, user.email) == (*held, "eve@example.com")
    assert rights == "superuser" or not user.has_usable_password()


def test_a_manager_may_want_to_be_told_that_there_is_no_password(monkeypatch):
    """As many a project's own: `def create_user(self, email, password, **fields)`."""
    create = UserManager.create_user

    def wanting(self, username, password, **fields):
        return create(self, username, password=password, **fields)

    monkeypatch.setattr(UserManager, "create_user", wanting)
    assert signed_in("eve")[1] == "as eve (created: ordinary user)"
    assert not User.objects.get().has_usable_password()


@pytest.mark.parametrize("name", ["eve!", "e" * 151])
def test_a_name_that_no_user_can_have(name):
    with pytest.raises(DatabaseError, match=r"auth\.User could not be created"):
        signed_in(name)
    assert not User.objects.exists()


def test_values(golden):
    golden.values()


@pytest.mark.parametrize(("refused", "freed_s"), [(0, 0.0), (3, 60.0)])
def test_a_place_among_all_connections_is_waited_for(monkeypatch, refused, freed_s):
    taken, waited = [OperationalError(1040, "Too many connections")] * refused, []
    monkeypatch.setattr(creation, "FREED_S", freed_s)
    monkeypatch.setattr(creation, "sleep", waited.append)

    @contextmanager
    def opened():
        if taken:
            raise taken.pop()
        yield "a cursor"

    connection = SimpleNamespace(creation=SimpleNamespace(_nodb_cursor=opened))
    with creation._cursor(connection) as cursor:
        assert cursor == "a cursor"
    assert len(waited) == refused


def test_a_place_that_never_comes_is_told_and_so_is_what_fails_there(monkeypatch):
    full = OperationalError(1040, "Too many connections")
    monkeypatch.setattr(creation, "FREED_S", -1.0)
    refusing = SimpleNamespace(creation=SimpleNamespace(_nodb_cursor=Mock(side_effect=full)))
    with pytest.raises(OperationalError, match="Too many"), creation._cursor(refusing):
        pass
    opened = nullcontext("a cursor")
    connection = SimpleNamespace(creation=SimpleNamespace(_nodb_cursor=lambda: opened))
    monkeypatch.setattr(creation, "FREED_S", 60.0)
    with pytest.raises(OperationalError, match="gone"), creation._cursor(connection):
        raise OperationalError("gone")


def test_a_project_may_have_no_default_database(monkeypatch, tmp_path):
    made, handler = [], ConnectionHandler({"default": {}, "logs": {**SQLITE}})
    for place in ("django.test.utils", "benchsuite.isolation.databases.creation"):
        monkeypatch.setattr(f"{place}.connections", handler)

    def note(self, **given):
        made.append(self.connection.alias)

    monkeypatch.setattr(BaseDatabaseCreation, "create_test_db", note)
    creation.Throwaway("feed", tmp_path).migrate()
    assert made == ["logs"]


def test_what_commands_have_left_running_is_ended_before_the_databases_go(monkeypatch):
    told: list[object] = []
    made = SimpleNamespace(make=dict, end=lambda: told.append("end"))
    monkeypatch.setattr(admin, "DatabaseAdmin", lambda *_: made)
    monkeypatch.setattr(process.Instructions, "of_this_process", lambda: None)
    monkeypatch.setattr(process.signal, "signal", lambda *_: None)
    monkeypatch.setattr(process.os, "killpg", lambda *group: told.append(group))
    commands = SimpleNamespace(next=lambda: None, making=True)
    process.keep(SimpleNamespace(left=None), commands, io.StringIO())
    assert told == [(0, signal.SIGTERM), "end"]
