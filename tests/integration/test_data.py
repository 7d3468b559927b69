"""What data there are for a stranger's pages, and who asks: told, and copied where asked for."""

import hashlib
import os
import sqlite3
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchsuite.core.exceptions import DatabaseError
from benchsuite.core.results import RunResult, Status
from benchsuite.core.specs import DatabaseSpec, VisitorSpec
from benchsuite.isolation.databases import filling
from benchsuite.services.mariadb import MariaDB, connected
from tests.integration.postgres import Cluster, cluster
from tests.integration.runs import Quiet, made, page, written
from tests.integration.stranger import TOKEN, stranger
from tests.needs import needs

MINE = "mine"
SETTINGS = """
INSTALLED_APPS = [
    "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "stall"
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "stall.urls.tenants",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": __file__ + ".sqlite3"}}
LOGIN_URL = "/door/"
"""
MODELS = """
from django.db import models
class Fruit(models.Model):
    name = models.CharField(max_length=20)
"""
URLS = """
from django.contrib.auth.decorators import login_required, permission_required
from django.http import Http404, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import path
from stall.models import Fruit

def fruits(request):
    return JsonResponse({"fruits": list(Fruit.objects.values_list("name", flat=True))})
def home(request):
    return fruits(request) if Fruit.objects.exists() else HttpResponseRedirect("/welcome/")
def fruit(request, pk):
    return HttpResponse(get_object_or_404(Fruit, pk=pk).name)

urlpatterns = [
    path("", home),
    path("fruits/", fruits),
    path("fruits/<int:pk>/", fruit),
    path("best/", lambda request: HttpResponse(Fruit.objects.get().name)),
    path("stock/", permission_required("stall.add_fruit", raise_exception=True)(fruits)),
    path("desk/", login_required(fruits)),
    path("tenant/", fruits),
]

def tenants(get_response):
    def middleware(request):
        if request.path == "/tenant/" and not request.get_host().startswith("north."):
            raise Http404("no tenant")
        return get_response(request)
    return middleware
"""
SOURCES = {"settings": SETTINGS, "models": MODELS, "urls": URLS}
EMPTY = "the database holds no rows but those that `migrate` makes"
SQLITE = """{"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE / "shop.sqlite3"}}"""
ON_SERVER = """{{"default": {{"ENGINE": "django.db.backends.{engine}", "NAME": "shop",
    "USER": "reader", "PASSWORD": "of the test", "HOST": "127.0.0.1", "PORT": "{port}"}}}}"""


Asked = tuple[str, dict[str, Any], dict[str, Any]]
"""A path with what is expected there, fields of the run's database and of its visitor."""


@pytest.fixture
def stall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Makes a run of each, and tells the stages of all."""
    with written(tmp_path, "stall", SOURCES, monkeypatch) as project:

        def run(*asked: Asked) -> tuple[list[RunResult], list[str]]:
            watcher = Quiet()
            specs = [
                page(
                    path.partition("=")[0],
                    "waitress",
                    options={"expect": path.partition("=")[2]},
                    database=DatabaseSpec(**data),
                    visitor=VisitorSpec(**visitor),
                )
                for path, data, visitor in asked
            ]
            return made(project.settings_module, *specs, watcher=watcher), watcher.stages

        yield run


def test_an_empty_database_is_named_where_it_may_be_the_reason_and_only_there(stall):
    named = ("/fruits/1/", "/", "/best/", "/fruits/=plum", "/tenant/")
    others = ("/nowhere/", "/stock/", "/desk/")
    runs, stages = stall(*((path, {}, {}) for path in (*named, *others, "/fruits/")))
    failures = [result.failure for result in runs]
    for failure, status in zip(failures, ("404", "302", "500", "200"), strict=False):
        assert status in failure
        cause = "Beside that" if status == "500" else "Likely cause"
        assert f"{cause}: {EMPTY}" in failure, failure
    for failure in failures[len(named) : -1]:
        assert failure
        assert EMPTY not in failure, failure
    assert "(no URL pattern of the project matches)" in failures[len(named)]
    assert "stall.urls.fruit is routed there and answers so" in failures[0]
    assert "a middleware answers so before stall.urls.fruits" in failures[4]
    assert "--host" in failures[4]
    lists = runs[-1]
    assert (lists.status, lists.failure) == (Status.FINISHED, "")
    assert EMPTY in lists.settings_changed["(data)"]
    assert len([stage for stage in stages if EMPTY in stage]) == 1, (
        "once for all runs on the same data"
    )


def test_advice_looks_at_who_asked(stall: Callable[..., Any]) -> None:
    asked: list[tuple[str, dict[str, object]]] = [
        ("/stock/", {}),
        ("/stock/", {"login": "eve"}),
        ("/stock/", {"login": "eve:staff"}),
        ("/desk/", {"cookies": ("sessionid=x",)}),
        ("/stock/", {"login": "eve:superuser"}),
        ("/desk/", {"login": "eve"}),
    ]
    runs, stages = stall(*((path, {}, visitor) for path, visitor in asked))
    nobody, eve, staff, cookie, *right = [result.failure for result in runs]
    assert "name one with --login=USER" in nobody
    assert "it was asked as eve (created: ordinary user); " in eve
    assert "it was asked as eve (created: staff" in staff
    assert "name one with --login=USER" in cookie
    assert right == ["", ""]
    assert len([stage for stage in stages if "logged in as eve (created: super" in stage]) == 1


def contents(folder: Path) -> dict[str, str]:
    """Every file that lies there, by what is in it."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.is_file()
    }


@pytest.mark.parametrize("journal", ["delete", "wal", "wal, in use"])
def test_a_copy_of_the_projects_own_data_is_measured_and_they_are_only_read(tmp_path, journal):
    own = stranger(tmp_path, databases=SQLITE)
    own.manage("migrate", "-v0")
    file = tmp_path / "shop.sqlite3"
    with ExitStack() as stack:
        writer = stack.enter_context(closing(sqlite3.connect(file)))
        writer.execute(f"PRAGMA journal_mode = {journal.split(',')[0]}")
        writer.executemany("INSERT INTO shop_order (text) VALUES (?)", [("bought",)] * 41)
        writer.commit()
        if "in use" not in journal:
            stack.close()
        before = contents(tmp_path)
        with own.kept(fill_from=MINE) as keeper:
            assert keeper.facts.copied
            assert keeper.facts.empty is False
            with keeper.clone(TOKEN):
                assert keeper.counts(TOKEN) == {"orders": 41 + 3, "logs": 0}
        after = contents(tmp_path)
    for name in ("keeper.log", "shop.sqlite3-shm"):  # readers are entered in the latter
        before.pop(name, None)
        after.pop(name, None)
    assert after == before
    assert ("shop.sqlite3-wal" in before) is ("in use" in journal)


def nothing(file: Path) -> None:
    """It is never made."""


def text(file: Path) -> None:
    file.write_text("this is no database, but a text of some length" * 9)


def large(file: Path) -> None:
    with file.open("wb") as opened:
        opened.truncate(6 * 2**30)


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (nothing, r"there is no file .*shop\.sqlite3: fill it with --fixture"),
        (text, "is damaged or no database"),
        (large, r"copies 5\.00.GiB at most, and your data have 6\.00.GiB: fill it with"),
    ],
)
def test_a_copy_that_can_not_be_made_is_told_in_a_sentence(tmp_path, write, words):
    own = stranger(tmp_path, databases=SQLITE)
    write(tmp_path / "shop.sqlite3")
    before = sorted(path.name for path in tmp_path.iterdir())
    with own.kept(fill_from=MINE) as keeper, pytest.raises(DatabaseError, match=words):
        keeper.wait()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [*before, "keeper.log", "run"]
    )


@pytest.fixture
def server() -> Iterator[Cluster]:
    with cluster() as one:
        yield one


@needs("postgresql", "psycopg")
def test_a_postgresql_is_copied_by_who_may_only_read(tmp_path: Path, server: Cluster) -> None:
    server.execute("CREATE DATABASE shop")
    entry = ON_SERVER.format(engine="postgresql", port=server.port)
    own = stranger(tmp_path, databases=entry.replace("reader", "postgres"))
    own.manage("migrate", "-v0")
    server.execute(
        "INSERT INTO shop_order (text) SELECT 'bought' FROM generate_series(1, 41)", "shop"
    )
    server.execute("CREATE ROLE reader LOGIN IN ROLE pg_read_all_data")
    server.execute("ALTER ROLE reader SET default_transaction_read_only = on")
    (tmp_path / "shop" / "settings.py").write_text(
        (tmp_path / "shop" / "settings.py").read_text().replace('"postgres"', '"reader"')
    )
    before = written_rows(server)
    with own.kept(use=server.users_url, database_url=server.users_url, fill_from=MINE) as keeper:
        with keeper.clone(TOKEN):
            assert keeper.counts(TOKEN) == {"orders": 41 + 3, "logs": 0}
        assert "MiB" in keeper.facts.copied
    assert written_rows(server) == before
    assert server.databases() == ["shop"]


@needs("postgresql", "psycopg")
def test_a_database_of_another_kind_is_told(tmp_path: Path, server: Cluster) -> None:
    own = stranger(tmp_path, databases=SQLITE)
    url = server.users_url
    with (
        own.kept(use=url, database_url=url, fill_from=MINE) as keeper,
        pytest.raises(DatabaseError, match="default is sqlite, the throw-away one postgresql"),
    ):
        keeper.wait()
    assert server.databases() == []


def written_rows(server: Cluster) -> Sequence[tuple[object, ...]]:
    """What was ever inserted, updated and deleted in the tables of the project's own database."""
    server.execute("SELECT pg_stat_force_next_flush()", "shop")
    return server.execute(
        "SELECT relname, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables ORDER BY 1",
        "shop",
    )


@needs("mariadb", "mysqlclient")
def test_a_mariadb_is_copied_by_who_may_only_read(tmp_path: Path) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="maria-") as folder,
        MariaDB(folder=Path(folder), marker=uuid.uuid4().hex, env=dict(os.environ)) as service,
        closing(connected(service.admin_url)) as admin,
    ):
        entry = ON_SERVER.format(engine="mysql", port=service.port)
        own = stranger(tmp_path, databases=entry)
        admin.query("CREATE DATABASE shop")
        admin.query("CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'of the test'")
        admin.query("GRANT ALL ON shop.* TO reader@'127.0.0.1'")
        own.manage("migrate", "-v0")
        admin.query(
            "INSERT INTO shop.shop_order (text) SELECT 'bought' FROM shop.django_migrations"
        )
        admin.query("REVOKE ALL ON shop.* FROM reader@'127.0.0.1'")
        admin.query("GRANT SELECT, SHOW VIEW, TRIGGER ON shop.* TO reader@'127.0.0.1'")
        before = checksums(admin)
        url = service.admin_url
        with (
            own.kept(use="mariadb", database_url=url, fill_from=MINE) as keeper,
            keeper.clone(TOKEN),
        ):
            assert keeper.counts(TOKEN) == {"orders": 1 + 3, "logs": 0}
        assert checksums(admin) == before


def checksums(admin: Any) -> Any:
    with admin.cursor() as cursor:
        cursor.execute("CHECKSUM TABLE shop.shop_order, shop.shop_log, shop.django_migrations")
        return cursor.fetchall()


def test_the_reason_is_told_and_not_what_a_program_says_of_its_name(monkeypatch):
    says = "echo mysqldump: Deprecated program name. >&2; echo Got error: 1045 >&2; exit 2"
    monkeypatch.setattr(filling, "DUMPS", {"mysql": ("sh", "-c", says)})
    monkeypatch.setattr(filling, "_client", lambda one: (["cat"], dict(os.environ)))
    database: Any = SimpleNamespace(vendor="mysql", alias="default")
    with pytest.raises(DatabaseError, match="said: Got error: 1045"):
        filling._dump(database, database)
