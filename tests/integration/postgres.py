"""Throw-away services for tests, and a PostgreSQL which trusts everyone on loopback."""

import os
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from benchsuite.services.base import HOST, USER, Service
from benchsuite.services.postgres import SUPERUSER, PostgreSQL
from tests.integration.left_behind import eventually

TRUST_ALL = f"host all all {HOST}/32 trust\n"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running server that trusts everyone on loopback."""

    service: Service

    @property
    def port(self) -> int | None:
        return self.service.port

    def url(self, name: str = "postgres", user: str = SUPERUSER) -> str:
        return f"postgres://{user}@{HOST}:{self.port}/{name}"

    @property
    def users_url(self) -> str:
        """For an ordinary user, who gets as many connections as were asked for."""
        return self.url(user=USER)

    def execute(self, statement: str, name: str = "postgres") -> list[tuple[object, ...]]:
        """Runs one statement as superuser; its rows, if it has any."""
        with psycopg.connect(self.url(name), autocommit=True, prepare_threshold=None) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def databases(self) -> list[str]:
        """Names of all databases but PostgreSQL's own."""
        rows = self.execute("SELECT datname FROM pg_database WHERE NOT datistemplate ORDER BY 1")
        return [str(row[0]) for row in rows if row[0] != "postgres"]


@contextmanager
def started(kind, **how):
    """A service in a folder of its own, unless it is told another one."""
    with tempfile.TemporaryDirectory(prefix="bst-") as folder:
        usual = {"folder": Path(folder), "marker": uuid.uuid4().hex, "env": dict(os.environ)}
        with kind(**usual | how) as service:
            yield service


@contextmanager
def cluster(max_connections: int = 100) -> Iterator[Cluster]:
    """A throw-away server of its own."""
    with started(PostgreSQL, max_connections=max_connections, fsync=False) as service:
        _trust_all(service)
        yield Cluster(service)


def _trust_all(service: PostgreSQL) -> None:
    (service.data / "pg_hba.conf").write_text(TRUST_ALL)
    with psycopg.connect(service.admin_url, autocommit=True) as connection:
        connection.execute("SET ROLE NONE")
        connection.execute("SELECT pg_reload_conf()")

    def is_trusted() -> bool:
        with suppress(psycopg.OperationalError):
            psycopg.connect(f"postgres://{SUPERUSER}@{HOST}:{service.port}/postgres").close()
            return True
        return False

    assert eventually(is_trusted), "the rules for who may connect were not read anew"
