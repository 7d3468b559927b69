"""From what a spec names to the Python that serves: recipes, refusals, the way out."""

import re
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from benchsuite.core.exceptions import UnavailableError
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.management import resuming
from benchsuite.pythons import building
from benchsuite.pythons.interpreter import CPYTHON, OWN, Interpreter, Kind
from benchsuite.runner import environments, preflight
from benchsuite.runner.planning import Plan, resolve

THERE = Path("/pythons/3.13/bin/python")
PYTHON = [(3, 13, 0)]
HAS: dict[str, str] = {}
"""Packages that any Python has which is asked."""


@pytest.fixture(autouse=True)
def machine(monkeypatch, tmp_path):
    """An empty cache, and a Python 3.13 that nobody starts."""
    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(environments, "find", lambda name: THERE)
    monkeypatch.setattr(environments, "kind_of", lambda executable: Kind(CPYTHON, PYTHON[0]))
    monkeypatch.setattr(Interpreter, "version", "3.13.0")
    monkeypatch.setattr(building, "build_of", str)


def lock(folder: Path, text: str = "django==5.2.1\ngunicorn==22.0.0\n", name: str = "new") -> str:
    (folder / f"{name}.txt").write_text(text)
    return environments.environment(f"{name}={folder / f'{name}.txt'}")


def plan(server: str = "gunicorn-sync", **python: str) -> Plan:
    return resolve(RunSpec(server=ServerSpec(server=server, **python)))


@override_settings(BENCHSUITE={})
def test_a_project_with_the_pages_gets_what_the_pages_need(tmp_path):
    recipe = plan(environment=lock(tmp_path)).recipe
    assert "django-tables2" in recipe.steps[1].requirements.lines


def test_a_project_that_can_not_be_loaded_here_has_none_of_the_pages(tmp_path, monkeypatch):
    def fail():
        raise ImportError("No module named 'environ'")

    monkeypatch.setattr(environments, "target_settings", fail)
    recipe = plan("waitress", environment=lock(tmp_path)).recipe
    assert len(recipe.steps) == 1


@pytest.mark.parametrize(
    ("module", "source", "refusal"),
    [
        ("without_apps", "ROOT_URLCONF = 'shop.urls'", ""),
        ("unset", "raise SystemExit('SECRET_KEY is not set')", "SystemExit: SECRET_KEY is not set"),
        ("only_there", "import os; KEY = os.environ['KEY_OF_THE_SERVER']", "KeyError"),
    ],
)
def test_settings_that_name_no_apps_here_have_none_of_the_pages(
    module, source, refusal, tmp_path, monkeypatch
):
    (tmp_path / f"{module}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(resuming, "revision_of", str)
    monkeypatch.setattr(resuming, "untracked_code", lambda folder: "")
    sentence = f"{module} can't be loaded here: {refusal}"
    with override_settings(BENCHSUITE={"TARGET_SETTINGS": module}):
        recipe = plan("waitress", environment=lock(tmp_path)).recipe
        assert resuming.revision() == f"{Path.cwd()}~"
        with pytest.raises(ImproperlyConfigured, match=sentence) if refusal else nullcontext():
            environments.target_settings()
    assert len(recipe.steps) == 1


IMPORTER = """
import os, sys, types

def install():
    sys.modules[os.environ["DJANGO_SETTINGS_MODULE"]] = types.SimpleNamespace(SHOP=3)
"""


def test_settings_are_those_of_the_class_that_the_environment_names(tmp_path, monkeypatch):
    """As the importer of django-configurations makes them of it."""
    (tmp_path / "configurations").mkdir()
    (tmp_path / "configurations/__init__.py").touch()
    (tmp_path / "configurations/importer.py").write_text(IMPORTER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("DJANGO_CONFIGURATION", "Dev")
    with override_settings(BENCHSUITE={"TARGET_SETTINGS": "of_a_class"}):
        assert environments.target_settings().SHOP == 3
    for name in ("configurations.importer", "configurations", "of_a_class"):
        sys.modules.pop(name, None)


def test_each_run_gets_the_python_of_its_environment_and_keeps_its_order(tmp_path, monkeypatch):
    monkeypatch.setattr(
        building, "build", lambda recipe, root, say: Interpreter(f"/{recipe.name}", recipe.name)
    )
    one, two = lock(tmp_path, name="one"), lock(tmp_path, "django==6.0\n", name="two")
    plans = [plan(environment=one), plan(), plan("gunicorn-gthread", environment=two)]
    monkeypatch.setattr(preflight, "check_installed", lambda plan: None)
    found = preflight.prepared(plans, lambda text: None)
    assert [one.server.python for one in found] == [
        Interpreter("/one", "one"),
        OWN,
        Interpreter("/two", "two"),
    ]
    assert [one.python for one in found] == [one.server.python for one in found]
    assert [one.spec for one in found] == [one.spec for one in plans]
    assert found[0].server_at(Path("/run"), {}).python.executable == "/one"


def test_a_cache_that_can_not_be_written_is_told(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(UnavailableError, match="name another folder in BENCHSUITE_CACHE"):
        lock(tmp_path)


def test_values(monkeypatch, tmp_path, golden):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Interpreter, "installed", lambda self, name: HAS.get(name))
    golden.values(replace={re.escape(sys.executable): "<this python>"})
