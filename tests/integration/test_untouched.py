"""No process of a run sees what is the project's: not its databases, and none of its files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.command import measured
from tests.integration.postgres import Cluster, cluster
from tests.integration.writer import writer
from tests.needs import needs

SQLITE = (
    """{"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE_DIR / "shop.sqlite3"}}"""
)
POSTGRES = """{{"default": {{"ENGINE": "django.db.backends.postgresql", "NAME": "shop",
    "USER": "postgres", "HOST": "127.0.0.1", "PORT": "{port}"}}}}"""
OF_USE = {"shop.sqlite3", "shop.log", "media/ready.txt", "private/import.txt", "bucket/ready.txt"}
OF_USE |= {"static/all.css"}
OF_USE |= {"index/all.txt", "queue/all.txt", "media/thumbnails/all.txt"}


@pytest.fixture
def server() -> Iterator[Cluster]:
    with cluster() as one:
        yield one


@pytest.mark.parametrize(
    "words",
    [
        ("--server=waitress", "--workload=reading"),
        ("--server=waitress", "--locustfile=locustfile.py"),
    ],
)
def test_a_project_that_writes_everywhere_is_as_it_was(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    project = writer(tmp_path, databases=SQLITE)
    before = project.contents()
    assert set(before) >= OF_USE  # it does write when it is used
    found = measured(project.command, *words)
    assert found["status"] == "finished", found
    assert found["requests"] > 0
    assert found["failures"] == 0, found["failures_by_kind"]
    assert project.contents() == before
    assert found["settings_changed"]["(environment)"].startswith("SHOP_DSN: ")


@needs("postgresql", "psycopg")
def test_a_projects_postgresql_is_as_it_was(tmp_path: Path, server: Cluster) -> None:
    server.execute("CREATE DATABASE shop")
    inherited = {"PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGUSER": "postgres"}
    inherited |= {"PGDATABASE": "shop", "SHOP_DSN": server.url("shop")}
    project = writer(tmp_path, databases=POSTGRES.format(port=server.port), **inherited)
    marks = server.execute("SELECT count(*) FROM mark", "shop")
    found = measured(project.command, "--server=waitress", "--workload=reading")
    assert found["status"] == "finished", found
    assert server.execute("SELECT count(*) FROM mark", "shop") == marks
    assert server.databases() == ["shop"]
