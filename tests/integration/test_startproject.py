"""What Django's own `startproject` makes can be measured, under whichever Django."""

import subprocess
import sys
from pathlib import Path

import django
import pytest

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


@pytest.fixture
def project(tmp_path: Path) -> Path:
    own = tmp_path / "project"
    own.mkdir()
    subprocess.run(
        [sys.executable, "-m", "django", "startproject", "shop", str(own)], check=True, timeout=60
    )
    (own / "console.py").write_text(CONSOLE)
    (own / "manage.py").write_text(MANAGE)
    return own


@pytest.fixture
def command(project: Path, tmp_path: Path) -> Command:
    made = Command(tmp_path, project / "manage.py", PYTHONPATH=f"{project}:{ROOT}")
    assert made.run("migrate", "-v0").status == 0
    return made


def test_a_project_as_this_django_makes_it(project: Path, command: Command) -> None:
    found = measured(command, "--server=waitress", "--path=/admin/login/")
    assert (found["status"], found["failures"]) == ("finished", 0), found["failures_by_kind"]
    mail = "MAILERS" if django.VERSION >= (6, 1) else "EMAIL_BACKEND"
    assert {"DATABASES", "DEBUG", "MEDIA_ROOT", mail} <= set(found["settings_changed"])
    assert not (project / "db.sqlite3").exists()


@pytest.mark.audit
@needs("another-python")
def test_a_project_of_django_6_1_under_its_own_python(project: Path, command: Command) -> None:
    with (project / "shop" / "settings.py").open("a") as settings:
        settings.write(MAILERS)
    (project / "lock.txt").write_text(LOCK)
    words = (f"--python={other_python(*MODERN)}", "--env=new=lock.txt")
    found = measured(command, "--server=waitress", "--path=/admin/login/", *words)
    assert (found["status"], found["failures"]) == ("finished", 0), found["failures_by_kind"]
    assert "MAILERS" in found["settings_changed"]
    assert "EMAIL_BACKEND" not in found["settings_changed"]
