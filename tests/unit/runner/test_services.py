"""Services that are asked for are found before the first run, or refused by name."""

import pytest
from django.test import override_settings

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import DatabaseSpec, RunSpec, ServerSpec
from benchsuite.runner import preflight
from benchsuite.runner.planning import resolve
from benchsuite.servers.waitress import Waitress


class Wants(Waitress):
    services = ("carrier-pigeon",)


@pytest.mark.parametrize(
    ("database", "message"),
    [
        ({"use": "mine"}, "--database=mine is not known; write throwaway, keep, postgresql, maria"),
        ({"use": "redis"}, "--database=redis is not known"),
        ({"use": "me:s3cret@host"}, r"--database=me:\*\*\*@host is not known"),
        ({"use": "mariadb", "max_connections": 8}, "MariaDB gives no fewer than 9 connections"),
    ],
)
def test_a_database_that_can_not_be_had_is_refused(database, message):
    spec = RunSpec(server=ServerSpec(server="waitress"), database=DatabaseSpec(**database))
    with pytest.raises(UsageError, match=message):
        preflight.check(resolve(spec))


def test_a_service_that_a_server_wants_must_be_known():
    with (
        override_settings(BENCHSUITE={"SERVERS": {"wants": f"{__name__}.Wants"}}),
        pytest.raises(
            UsageError, match="no service 'carrier-pigeon'; there are: api, cassandra, mariadb"
        ),
    ):
        resolve(RunSpec(server=ServerSpec(server="wants")))
