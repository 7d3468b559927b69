"""seedbench on real databases: exact, idempotent, with UUIDs that are ones."""

import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.command import ROOT
from tests.integration.postgres import cluster
from tests.needs import needs

SEEDING = """
import django; django.setup()
from django.core.management import call_command
from benchsuite.target.models import Comment, Post
for rows in (300, 300, 290, 310, 0, 50):
    call_command("seedbench", f"--rows={rows}")
for post in Post.objects.all():
    print("post", post.id, post.created.utcoffset(), post.title)
call_command("seedbench", "--rows=60", "--comments")
numbers = Comment.objects.values_list("number", flat=True)
posts = Comment.objects.values("post").distinct().count()
print("comments", len(numbers), posts, min(numbers), max(numbers))
"""


def python(url: str, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "DATABASE_URL": url}
    env["DJANGO_SETTINGS_MODULE"] = "testproject.settings.console"
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=env, capture_output=True, text=True, timeout=120
    )


def manage(url: str, *words: str) -> subprocess.CompletedProcess[str]:
    return python(url, str(ROOT / "manage.py"), *words)


def migrate(url: str) -> subprocess.CompletedProcess[str]:
    return python(url, "-m", "django", "migrate", "--settings=testproject.settings.target")


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    with cluster() as server:
        yield server.url()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=needs("postgresql", "psycopg"))])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'seed.sqlite3'}"
    return str(request.getfixturevalue("postgresql"))


def test_there_are_exactly_as_many_rows_as_asked_for(url: str) -> None:
    assert migrate(url).returncode == 0
    result = python(url, "-c", SEEDING)
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert re.findall(r"(\d+) added, (\d+) removed", result.stdout)[:6] == [
        *(("300", "0"), ("0", "0"), ("0", "10"), ("20", "0"), ("0", "310"), ("50", "0"))
    ]
    posts = [line.removeprefix("post ") for line in lines if line.startswith("post ")]
    ids = {uuid.UUID(line.split()[0]) for line in posts}
    assert len(posts) == len(ids) == 50
    assert {(one.version, one.variant) for one in ids} == {(4, uuid.RFC_4122)}
    assert all("0:00:00 Post " in line for line in posts)
    assert lines[-1] == "comments 60 60 1 60"


def test_what_is_missing_or_asked_for_wrongly_is_told(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    result = manage(url, "seedbench")
    assert result.returncode == 1
    assert "lacks the tables of this version" in result.stderr
    assert "python manage.py migrate" in result.stderr
    assert "Traceback" not in result.stderr
    assert manage(url, "seedbench", "--rows=-1").returncode == 2
