"""What Django's `startproject` makes can be measured and left; the wheel is exactly the package."""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import django
import pytest

import benchsuite
from tests.integration.command import ROOT, Command, measured
from tests.integration.writer import MANAGE
from tests.needs import MODERN, needs, other_python

CONSOLE = """
from testproject.settings.console import *
BENCHSUITE = {"TARGET_SETTINGS": "shop.settings"}
"""
MAILERS = """
MAILERS = {"default": {"BACKEND": "django.core.mail.backends.console.EmailBackend"}}
"""
"""What the startproject of Django 6.1 writes besides; it would not bear an EMAIL_BACKEND."""
LOCK = "django==6.1.3\nwaitress==3.0.2\n"


def startproject(folder):
    own = folder / "project"
    own.mkdir()
    words = [sys.executable, "-m", "django", "startproject", "shop", str(own)]
    subprocess.run(words, check=True, timeout=60)
    return own


@pytest.fixture
def project(tmp_path):
    own = startproject(tmp_path)
    (own / "console.py").write_text(CONSOLE)
    (own / "manage.py").write_text(MANAGE)
    return own


@pytest.fixture
def own_command(project, tmp_path):
    made = Command(tmp_path, project / "manage.py", PYTHONPATH=f"{project}:{ROOT}")
    made.run("migrate", "-v0", status=0)
    return made


def test_a_project_as_this_django_makes_it(project, own_command):
    found = measured(own_command, "--server=waitress --path=/admin/login/")
    assert (found["status"], found["failures"]) == ("finished", 0), found["failures_by_kind"]
    mail = "MAILERS" if django.VERSION >= (6, 1) else "EMAIL_BACKEND"
    assert {"DATABASES", "DEBUG", "MEDIA_ROOT", mail} <= set(found["settings_changed"])
    assert not (project / "db.sqlite3").exists()


@pytest.mark.audit
@needs("another-python")
def test_a_project_of_django_6_1_under_its_own_python(project, own_command):
    with (project / "shop" / "settings.py").open("a") as settings:
        settings.write(MAILERS)
    (project / "lock.txt").write_text(LOCK)
    words = (f"--python={other_python(*MODERN)}", "--env=new=lock.txt")
    found = measured(own_command, "--server=waitress --path=/admin/login/", *words)
    assert (found["status"], found["failures"]) == ("finished", 0), found["failures_by_kind"]
    assert "MAILERS" in found["settings_changed"]
    assert "EMAIL_BACKEND" not in found["settings_changed"]


GRANT = (
    "from django.contrib.auth.models import Group, Permission;"
    "group = Group.objects.create(name='testers');"
    "group.permissions.set(Permission.objects.filter(content_type__app_label='benchsuite'));"
    "assert group.permissions.count() > 3"
)


def content(file):
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


def commands():
    """Those of the section on uninstalling, as they stand there."""
    text = (ROOT / "docs" / "quickstart.md").read_text()
    section = text.partition("\n## Uninstalling\n")[2].partition("\n## ")[0]
    return re.findall(r"`python manage\.py ([^`]+)`", section)


@pytest.mark.audit
def test_what_is_said_of_uninstalling_leaves_the_database_as_it_was(tmp_path):
    own = startproject(tmp_path)
    settings, database = own / "shop" / "settings.py", own / "db.sqlite3"
    bare = settings.read_text()
    command = Command(tmp_path, own / "manage.py", PYTHONPATH=f"{own}:{ROOT}")
    assert command.run("migrate", "-v0").status == 0
    before = content(database)

    settings.write_text(bare.replace("INSTALLED_APPS = [", 'INSTALLED_APPS = [\n    "benchsuite",'))
    assert command.run("migrate", "-v0").status == 0
    words = ["--server=waitress", "--path=/admin/login/", "--users=1", "--warmup=0"]
    command.run("runbench", *words, "--duration=0.5", status=0)
    assert command.run("shell", "-c", GRANT).status == 0
    assert content(database) != before

    while_installed, afterwards = commands()
    command.run(*while_installed.split(), status=0)
    settings.write_text(bare)
    command.run(*afterwards.split(), "--no-input", status=0)
    schema, rows = content(database)
    assert rows["auth_group"]
    rows["auth_group"] = []  # that is the project's own
    assert (schema, rows) == before


PACKAGE = Path(benchsuite.__file__).resolve().parent


def test_the_wheel_is_exactly_the_package(tmp_path):
    """Templates, static files and py.typed, too, of a copy that knows no earlier build."""
    source = tmp_path / "source"
    shutil.copytree(PACKAGE, source / "benchsuite", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("tests", "testproject"):
        shutil.copytree(ROOT / name, source / name)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"),
            *("--no-build-isolation", "--wheel-dir", str(tmp_path), str(source)),
        ],
        env={**os.environ, "PYTHONWARNINGS": "", "PYTHONDEVMODE": ""},
        check=True,
        timeout=120,
    )
    (wheel,) = tmp_path.glob("django_benchsuite-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        contents = set(archive.namelist())
    wanted = {
        f"benchsuite/{path.relative_to(PACKAGE)}"
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted <= contents
    assert {"benchsuite/py.typed", "benchsuite/migrations/0001_initial.py"} <= wanted
    rooms = {name.partition("/")[0].partition("-")[0] for name in contents}
    assert rooms == {"benchsuite", "django_benchsuite"}
