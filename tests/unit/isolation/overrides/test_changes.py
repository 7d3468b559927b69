"""The settings of a project as its module has them, or as django-configurations makes them."""

import os
import runpy
import sys

import pytest
from django.conf import settings
from django.core import mail

from benchsuite.isolation.instructions import SETTINGS_MODULE, Instructions, about_the_project
from benchsuite.isolation.overrides.changes import project_settings

IMPORTER = """
import os

seen = []

def install():
    seen.append(os.environ["DJANGO_SETTINGS_MODULE"])
"""


@pytest.mark.parametrize(("configuration", "seen"), [("Dev", ["class_settings"]), ("", [])])
def test_the_importer_of_django_configurations_sees_the_projects_module(
    configuration, seen, tmp_path, monkeypatch
):
    (tmp_path / "configurations").mkdir()
    (tmp_path / "configurations/__init__.py").touch()
    (tmp_path / "configurations/importer.py").write_text(IMPORTER)
    (tmp_path / "class_settings.py").write_text("SHOP = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("DJANGO_CONFIGURATION", configuration)
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "of.a.run")
    assert project_settings("class_settings")["SHOP"] == 3
    importer = sys.modules.pop("configurations.importer", None)
    assert getattr(importer, "seen", []) == seen
    for name in ("configurations", "class_settings"):
        sys.modules.pop(name, None)


REPLACING = """
import sys
from django.conf import LazySettings
theirs, frame = object(), sys._getframe()
sys.modules["django.conf"] = type(sys)("django.conf")
sys.modules["django.conf"].settings = theirs
while frame := frame.f_back:
    if isinstance(frame.f_globals.get("settings"), LazySettings):
        frame.f_globals["settings"] = theirs
"""


def test_settings_put_in_place_of_djangos_are_taken_away(tmp_path, monkeypatch):
    """As those of dynaconf are, also where they were imported before."""
    own, conf = settings, sys.modules["django.conf"]
    (tmp_path / "replacing_settings.py").write_text(REPLACING)
    monkeypatch.syspath_prepend(tmp_path)
    project_settings("replacing_settings")
    assert settings is own
    assert sys.modules["django.conf"] is conf
    del sys.modules["replacing_settings"]


def test_what_celery_reads_of_the_environment_is_the_projects_value():
    given = {"CELERY_BROKER_URL": "amqp://mine", "CELERY_RESULT_BACKEND": "redis://mine"}
    assert project_settings("math", given) == given


@pytest.mark.parametrize(
    ("overrides", "broker"),
    [
        ({}, "memory://"),
        ({"CELERY_BROKER_URL": ["amqp://a", "amqp://b"]}, None),
        ({"SHOP_BROKER_URL": "redis://staging"}, None),
    ],
)
def test_a_broker_that_the_user_names_is_celerys(overrides, broker, tmp_path, monkeypatch):
    path, given = tmp_path / "instructions.json", {"token": "feed", "folder": str(tmp_path)}
    Instructions(settings_module="math", overrides=overrides, **given).write(path)
    for name, value in {**about_the_project(path), "CELERY_BROKER_URL": ""}.items():
        monkeypatch.setenv(name, value)
    del os.environ["CELERY_BROKER_URL"]
    monkeypatch.setattr(mail, "import_string", mail.import_string)  # is there again afterwards
    runpy.run_module(SETTINGS_MODULE)
    assert os.environ.get("CELERY_BROKER_URL") == broker
