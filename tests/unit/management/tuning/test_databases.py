"""What is known of the project's databases before any start."""

from types import SimpleNamespace
from unittest.mock import patch

import pytest
from django.test import override_settings

from benchsuite.core.specs import DatabaseSpec, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.management.options import tune
from benchsuite.runner import environments, planning
from benchsuite.services.mariadb import MariaDB
from benchsuite.tuning import candidates

SQLITE = {"ENGINE": "django.db.backends.sqlite3"}
POSTGRES = {"ENGINE": "django.db.backends.postgresql", "NAME": "a"}
UNREACHED = {**POSTGRES, "HOST": "/nowhere"}  #: A folder without a socket.


def found(*entries, **asked):
    """The first is the default one."""
    named = dict(zip(("default", "other"), entries, strict=False))
    spec = RunSpec(
        server=ServerSpec(server="waitress"),
        workload=WorkloadSpec(workload="io_read"),
        database=DatabaseSpec(**asked),
    )
    settings = SimpleNamespace(DATABASES=named)
    with patch.object(environments, "target_settings", lambda: settings):
        return tune.databases(planning.resolve(spec))


def pooled(pool):
    return {**UNREACHED, "OPTIONS": {"pool": pool}}


def most(server, *entries, **asked):
    """Connections that 2 processes of 16 threads may hold."""
    known = found(*entries, **asked)
    spec = tune.reached(DatabaseSpec(**asked), pool=known.pool, keeps=known.keeps)
    size = candidates.sized(server.name, server, 2, 16, None, spec)
    return size.connections


@pytest.mark.django_db
def test_values(golden):
    golden.values()


class ShopDB(MariaDB):
    name = "shopdb"


def test_a_database_of_the_projects_own_admits_what_it_says() -> None:
    with override_settings(BENCHSUITE={"SERVICES": {"shopdb": f"{__name__}.ShopDB"}}):
        known = found({**SQLITE, "NAME": "a"}, use="shopdb")
    assert (known.limits, known.aliases) == ({"shopdb": 100}, {"shopdb": 1})
