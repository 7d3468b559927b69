"""What is known of the project's databases before any start."""

from types import SimpleNamespace
from typing import Any

import pytest

from benchsuite.core.specs import DatabaseSpec, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.management.tuning import databases
from benchsuite.runner import environments, planning
from benchsuite.servers.granian import GranianWsgi
from benchsuite.servers.gunicorn import GunicornGthread
from benchsuite.tuning import candidates

pytestmark = pytest.mark.django_db

POSTGRES = "django.db.backends.postgresql"


def found(
    monkeypatch: pytest.MonkeyPatch, entries: dict[str, Any], **asked: Any
) -> databases.Databases:
    settings = SimpleNamespace(DATABASES=entries)
    monkeypatch.setattr(environments, "target_settings", lambda: settings)
    spec = RunSpec(
        server=ServerSpec(server="waitress"),
        workload=WorkloadSpec(workload="io_read"),
        database=DatabaseSpec(**asked),
    )
    return databases.databases(planning.resolve(spec))


def test_a_database_that_the_run_starts_admits_what_it_is_told_to(monkeypatch):
    entries = {"default": {"ENGINE": "django.db.backends.sqlite3"}}
    known = found(monkeypatch, entries, use="postgresql", max_connections=20)
    assert (known.limits, known.aliases) == ({"postgresql": 20}, {"postgresql": 1})
    assert found(monkeypatch, entries, use="mariadb").limits == {"mysql": 100}


def test_sqlite_has_no_such_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    known = found(monkeypatch, {"default": {"ENGINE": "django.db.backends.sqlite3"}})
    assert (known.limits, known.aliases, known.keeps) == ({}, {}, False)


def test_a_server_that_can_not_be_asked_has_a_limit_that_is_not_known(monkeypatch, tmp_path):
    """A folder without a socket: nothing is connected to."""
    entry = {"ENGINE": POSTGRES, "NAME": "a", "HOST": str(tmp_path), "CONN_MAX_AGE": 60}
    known = found(monkeypatch, {"default": entry, "other": {**entry, "NAME": "b"}})
    (name,) = known.limits
    assert name.startswith("postgresql at ")
    assert (known.limits[name], known.aliases[name], known.keeps) == (None, 2, True)


def test_what_the_run_says_of_kept_connections_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"ENGINE": "django.db.backends.sqlite3", "CONN_MAX_AGE": 60}
    assert not found(monkeypatch, {"default": entry}, conn_max_age_s=0).keeps
    assert found(monkeypatch, {"default": entry}).keeps


@pytest.mark.parametrize(
    ("asked", "options", "pool"),
    [
        ({}, {}, None),
        ({}, {"pool": True}, 4),
        ({}, {"pool": {"min_size": 2}}, 2),
        ({}, {"pool": {"min_size": 2, "max_size": 9}}, 9),
        ({"pool": 5}, {"pool": {"max_size": 9}}, 5),
        ({"use": "postgresql"}, {"pool": {"max_size": 9}}, 9),
    ],
)
def test_a_pool_of_the_project_or_the_run_limits_each_process(
    monkeypatch: pytest.MonkeyPatch,
    asked: dict[str, Any],
    options: dict[str, Any],
    pool: int | None,
    tmp_path: Any,
) -> None:
    entry = {"ENGINE": POSTGRES, "NAME": "a", "HOST": str(tmp_path), "OPTIONS": options}
    known = found(monkeypatch, {"default": entry}, **asked)
    assert known.pool == pool
    spec = databases.reached(DatabaseSpec(**asked), pool=known.pool, keeps=known.keeps)
    gthread = candidates.sized("gunicorn-gthread", GunicornGthread, 2, 16, None, spec)
    assert gthread.connections == (2 * pool if pool else 32)
    assert found(monkeypatch, {"default": entry, "b": {**entry, "OPTIONS": {}}}).pool is None


def test_connections_that_the_project_keeps_have_no_limit_behind_threads_that_end(monkeypatch):
    entry = {"ENGINE": "django.db.backends.sqlite3", "CONN_MAX_AGE": None}
    known = found(monkeypatch, {"default": entry})
    spec = databases.reached(DatabaseSpec(), pool=known.pool, keeps=known.keeps)
    assert candidates.sized("granian-wsgi", GranianWsgi, 1, 4, None, spec).connections is None


def test_what_the_run_starts_keeps_connections_as_the_project_does(monkeypatch):
    entry = {"ENGINE": POSTGRES, "CONN_MAX_AGE": 60}
    assert found(monkeypatch, {"default": entry}, use="postgresql").keeps
    assert not found(monkeypatch, {"default": entry}, use="postgresql", pool=3).keeps
