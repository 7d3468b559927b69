"""`manage.py check` of a project: it says what is wrong, and costs the project little."""

import subprocess
import sys

PROJECT = """
import sys
from django.conf import settings
from django.core.management import call_command

settings.configure(
    INSTALLED_APPS=["django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes",
                    "django.contrib.messages", "django.contrib.sessions", "benchsuite"],
    MIDDLEWARE=[f"django.contrib.{one}" for one in (
        "sessions.middleware.SessionMiddleware", "auth.middleware.AuthenticationMiddleware",
        "messages.middleware.MessageMiddleware")],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
                "OPTIONS": {"context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages"]}}],
    ROOT_URLCONF="testproject.urls_console",
    BENCHSUITE=BENCHSUITE_,
)
import django
django.setup()
call_command("check")
print(*sys.modules)
"""
COSTLY = {"numpy", "locust", "gevent", "rich", "django_tables2"}


def checked(benchsuite):
    """`manage.py check` of a project with that setting, in a process of its own."""
    program = PROJECT.replace("BENCHSUITE_", repr(benchsuite))
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_project_that_is_checked_imports_nothing_that_only_pages_and_runs_need():
    ended = checked({"ACCESS": "django.contrib.auth.decorators.login_required"})
    assert ended.returncode == 0, ended.stderr
    imported = set(ended.stdout.split())
    assert "benchsuite.admin" in imported
    assert "benchsuite.urls" in imported
    assert not imported & COSTLY


def test_a_project_with_a_wrong_setting_is_told_by_its_check():
    ended = checked({"CASHE": None})
    assert ended.returncode == 1
    assert "(benchsuite.E002) BENCHSUITE has no key 'CASHE'" in ended.stderr
