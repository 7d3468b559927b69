"""The settings of a project as its module has them, or as django-configurations makes them."""

import sys

import pytest

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
