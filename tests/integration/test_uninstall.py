"""What the documentation says of uninstalling leaves a project's database as it was before."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from tests.integration.command import ROOT, Command

GRANT = (
    "from django.contrib.auth.models import Group, Permission;"
    "group = Group.objects.create(name='testers');"
    "group.permissions.set(Permission.objects.filter(content_type__app_label='benchsuite'));"
    "assert group.permissions.count() > 3"
)


def content(file: Path) -> tuple[list[str], dict[str, list[tuple[object, ...]]]]:
    """Schema and rows of a database; without what it counts for the keys of rows to come."""
    with closing(sqlite3.connect(file)) as connection:
        schema = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master ORDER BY 1")]
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        rows = {
            name: sorted(connection.execute(f'SELECT * FROM "{name}"'), key=repr)
            for (name,) in names
            if name != "sqlite_sequence"
        }
    return schema, rows


def commands() -> list[str]:
    """Those of the section on uninstalling, as they stand there."""
    text = (ROOT / "docs" / "quickstart.md").read_text()
    section = text.partition("\n## Uninstalling\n")[2].partition("\n## ")[0]
    return re.findall(r"`python manage\.py ([^`]+)`", section)


def test_nothing_is_left_in_the_database(tmp_path: Path) -> None:
    own = tmp_path / "project"
    own.mkdir()
    words = [sys.executable, "-m", "django", "startproject", "shop", str(own)]
    subprocess.run(words, check=True, timeout=60)
    settings, database = own / "shop" / "settings.py", own / "db.sqlite3"
    bare = settings.read_text()
    command = Command(tmp_path, own / "manage.py", PYTHONPATH=f"{own}:{ROOT}")
    assert command.run("migrate", "-v0").status == 0
    before = content(database)

    settings.write_text(bare.replace("INSTALLED_APPS = [", 'INSTALLED_APPS = [\n    "benchsuite",'))
    assert command.run("migrate", "-v0").status == 0
    words = ["--server=waitress", "--path=/admin/login/", "--users=1", "--warmup=0"]
    ended = command.run("runbench", *words, "--duration=0.5")
    assert ended.status == 0, ended.err
    assert command.run("shell", "-c", GRANT).status == 0
    assert content(database) != before

    while_installed, afterwards = commands()
    ended = command.run(*while_installed.split())
    assert ended.status == 0, ended.err
    settings.write_text(bare)
    ended = command.run(*afterwards.split(), "--no-input")
    assert ended.status == 0, ended.err
    schema, rows = content(database)
    assert rows["auth_group"]
    rows["auth_group"] = []  # that is the project's own
    assert (schema, rows) == before
