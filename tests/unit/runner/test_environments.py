"""From what a spec names to the Python that serves: recipes, refusals, the way out."""

import sys
from pathlib import Path

import pytest
from django.test import override_settings

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.pythons import building
from benchsuite.pythons.building import Recipe
from benchsuite.pythons.finding import CPYTHON, Kind
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.runner import environments, preflight
from benchsuite.runner.plan import Plan
from benchsuite.runner.planning import resolve

THERE = Path("/pythons/3.13/bin/python")


@pytest.fixture(autouse=True)
def machine(monkeypatch, tmp_path):
    """An empty cache, and a Python 3.13 that nobody starts."""
    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(environments, "find", lambda name: THERE)
    monkeypatch.setattr(environments, "kind_of", lambda executable: Kind(CPYTHON, (3, 13, 0)))
    monkeypatch.setattr(building, "build_of", str)


def lock(folder: Path, text: str = "django==5.2.1\ngunicorn==22.0.0\n", name: str = "new") -> str:
    (folder / f"{name}.txt").write_text(text)
    return environments.environment(f"{name}={folder / f'{name}.txt'}")


def plan(server: str = "gunicorn-sync", **python: str) -> Plan:
    return resolve(RunSpec(server=ServerSpec(server=server, **python)))


def has(monkeypatch, **packages: str) -> None:
    """Makes these packages the installed ones, of whichever Python is asked."""
    monkeypatch.setattr(Interpreter, "installed", lambda self, name: packages.get(name))
    monkeypatch.setattr(Interpreter, "version", "3.13.0")


def test_this_process_s_own_serves_when_nothing_else_is_asked_for():
    assert plan().python is OWN


def test_an_interpreter_that_has_django_serves_as_it_is(monkeypatch):
    has(monkeypatch, django="5.2.1")
    found = plan(python="3.13")
    environments.ensure_serving(found.server.python)
    assert found.python == found.server.python == Interpreter(str(THERE), "3.13")
    assert found.recipe is None
    assert found.server_at(Path("/run"), {}).python == found.python


def test_one_without_django_is_refused_with_the_way_out(monkeypatch):
    has(monkeypatch)
    with pytest.raises(UnavailableError, match=r"has no Django, .* --env NAME=requirements\.txt"):
        preflight.check_installed(plan(python="3.13"))


def test_one_that_is_too_old_for_benchsuite_is_refused(monkeypatch):
    has(monkeypatch, django="3.2")
    monkeypatch.setattr(environments, "kind_of", lambda executable: Kind(CPYTHON, (3, 9, 18)))
    with pytest.raises(UnavailableError, match=r"3\.9\.18 is too old: .* needs 3\.11 or newer"):
        preflight.check_installed(plan(python="3.9"))


def test_an_environment_is_named_with_the_digest_of_what_it_shall_hold(tmp_path):
    first = lock(tmp_path)
    assert first == lock(tmp_path, "# the same\ndjango==5.2.1\ngunicorn==22.0.0")
    assert first.startswith("new@")
    assert first != lock(tmp_path, "django==5.2.2\n")


@pytest.mark.parametrize("given", ["requirements.txt", "=requirements.txt", "new=", "a b=c"])
def test_an_environment_without_a_name_or_a_file_is_refused(given):
    with pytest.raises(UsageError, match=r"is not of the form name=requirements\.txt"):
        environments.environment(given)


def test_its_recipe_is_the_project_s_requirements_then_what_benchsuite_needs(tmp_path):
    recipe = plan(python="3.13", environment=lock(tmp_path)).recipe
    assert isinstance(recipe, Recipe)
    assert (recipe.name, recipe.python) == ("new", THERE)
    project, ours = recipe.steps
    assert project.requirements.lines == ("django==5.2.1", "gunicorn==22.0.0")
    assert ours.requirements.lines == ("dj-database-url",)
    assert ours.moves_nothing


def test_a_project_that_has_it_already_gets_nothing_more(tmp_path):
    environment = lock(tmp_path, "django==5.2.1\ndj_database_url==2.0\n")
    recipe = plan(environment=environment).recipe
    assert recipe is not None
    assert len(recipe.steps) == 1
    assert recipe.python == Path(sys.executable)


@override_settings(BENCHSUITE={})
def test_a_project_with_the_pages_gets_what_the_pages_need(tmp_path):
    recipe = plan(environment=lock(tmp_path)).recipe
    assert recipe is not None
    assert "django-tables2" in recipe.steps[1].requirements.lines


def test_a_project_that_can_not_be_loaded_here_has_none_of_the_pages(tmp_path, monkeypatch):
    def fail():
        raise ImportError("No module named 'environ'")

    monkeypatch.setattr(environments, "target_settings", fail)
    recipe = plan("waitress", environment=lock(tmp_path)).recipe
    assert recipe is not None
    assert recipe.steps[1].requirements.lines == ("dj-database-url",)


def test_requirements_are_found_again_by_their_digest_when_the_file_is_another(tmp_path):
    environment = lock(tmp_path)
    recipe = plan(environment=environment).recipe
    (tmp_path / "new.txt").write_text("django==99\n")
    assert plan(environment=environment).recipe == recipe


def test_requirements_that_are_lost_are_asked_for(tmp_path):
    with pytest.raises(UsageError, match=r"not in the cache any more; .* --env new=requirements"):
        plan(environment="new@0123456789abcdef")


def test_an_environment_that_was_not_built_is_named_and_does_not_serve(tmp_path):
    found = plan(environment=lock(tmp_path))
    assert found.python is None
    assert environments.unbuilt([found, found]) == ["new"]
    with pytest.raises(UnavailableError, match="new has not been built"):
        found.ensure_built()


def test_each_run_gets_the_python_of_its_environment_and_keeps_its_order(tmp_path, monkeypatch):
    monkeypatch.setattr(
        building, "build", lambda recipe, root, say: Interpreter(f"/{recipe.name}", recipe.name)
    )
    one, two = lock(tmp_path, name="one"), lock(tmp_path, "django==6.0\n", name="two")
    plans = [plan(environment=one), plan(), plan("gunicorn-gthread", environment=two)]
    found = environments.prepared(plans, lambda text: None)
    assert [one.server.python for one in found] == [
        Interpreter("/one", "one"),
        OWN,
        Interpreter("/two", "two"),
    ]
    assert [one.python for one in found] == [one.server.python for one in found]
    assert [one.spec for one in found] == [one.spec for one in plans]
    assert found[0].server_at(Path("/run"), {}).python.executable == "/one"


def test_what_an_environment_lacks_is_to_be_named_in_its_requirements(tmp_path, monkeypatch):
    has(monkeypatch, django="5.2.1")
    monkeypatch.setattr(building, "built", lambda recipe, root: Interpreter(str(THERE), "new"))
    found = plan(environment=lock(tmp_path))
    with pytest.raises(
        UnavailableError,
        match=(
            r"^gunicorn-sync can't run in the environment new: gunicorn is not installed; name it "
            r"in its requirements \(pip install gunicorn\)\.$"
        ),
    ):
        preflight.check_installed(found)


def test_what_another_python_lacks_is_said_of_it(monkeypatch):
    has(monkeypatch, django="5.2.1")
    with pytest.raises(UnavailableError, match=f"can't run under {THERE}: gunicorn is not instal"):
        preflight.check_installed(plan(python="3.13"))


def test_a_cache_that_can_not_be_written_is_told(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(UnavailableError, match="name another folder in BENCHSUITE_CACHE"):
        lock(tmp_path)
