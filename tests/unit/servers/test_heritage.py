"""Servers of another time: command lines, configuration, recipes, and what is said where they can't
run.
"""

import re
import sys
from pathlib import Path

import pytest
from django.utils.module_loading import import_string

from benchsuite import conf
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.pythons import building
from benchsuite.pythons.interpreter import CPYTHON, Interpreter, Kind
from benchsuite.runner import planning, preflight
from benchsuite.servers.base import Application, Place
from benchsuite.servers.heritage import BUILTIN, adapters

ENVIRONMENT = Path("/cache/environments/feed")
PYTHON = Interpreter(str(ENVIRONMENT / "bin/python"), "heritage")
FOLDER = Path("/tmp/benchsuite-1/1/server-0")
CLASSES = {name: import_string(path) for name, path in BUILTIN.items()}


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """A machine with a compiler, with libevent, and with the old Pythons that are named."""

    def has(*versions):
        def find(name):
            if name not in versions:
                raise UnavailableError(f"--python={name} is not on this machine")
            return Path(f"/pythons/{name}/bin/python")

        monkeypatch.setattr(adapters, "find", find)

    def kind_of(executable):
        numbers = Path(executable).parents[1].name.split(".")
        return Kind(CPYTHON, tuple(int(number) for number in numbers))

    monkeypatch.setattr(adapters, "kind_of", kind_of)
    monkeypatch.setattr(building, "build_of", str)
    monkeypatch.setattr(adapters, "_is_header", lambda name: True)
    monkeypatch.setattr(adapters.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(Interpreter, "script", lambda self, name: f"{ENVIRONMENT}/bin/{name}")
    has("2.7", "3.6")
    return has


def make(name, *, services=None, **given):
    place = Place(folder=FOLDER, interpreter=PYTHON, services=services or {})
    return CLASSES[name](ServerSpec(server=name, **given), Application(), place)


def command(name, **given):
    words = make(name, **given).argv("127.0.0.1", 8123)
    return " ".join(words).replace(f"{ENVIRONMENT}/bin/", "").replace(f"{FOLDER}/", "")


def ini(name, **given):
    """The lines of circus.ini that hold an equals sign."""
    text = make(name, **given).config_files("127.0.0.1", 8123)["circus.ini"]
    pairs = (line.partition(" = ") for line in text.splitlines() if " = " in line)
    return {key: value.replace(f"{ENVIRONMENT}/bin/", "") for key, _, value in pairs}


@pytest.mark.parametrize("name", BUILTIN)
def test_it_goes_by_its_name_and_brings_its_own_target(name):
    assert CLASSES[name].name == name
    assert not CLASSES[name].serves_project
    assert conf.server_class(name) is CLASSES[name]
    files = make(name).config_files("127.0.0.1", 8123)
    assert all(path.startswith("target/") or "/" not in path for path in files)
    assert make(name).env()["PYTHONPATH"] == str(FOLDER / "target")


def test_command_lines(golden):
    golden.cases(command, replace={re.escape(sys.executable): "PYTHON"})


def test_each_start_has_its_own_layer():
    ipc = make("heritage-channels0-ipc")
    elsewhere = Place(folder=FOLDER.with_name("server-1"), interpreter=PYTHON)
    other = type(ipc)(ipc.spec, Application(), elsewhere)
    assert other.shared_memory() != ipc.shared_memory() == ipc.env()["HERITAGE_PREFIX"]


def test_everything_is_pinned_and_nothing_else_is_installed():
    for name in BUILTIN:
        recipe = CLASSES[name].recipe("")
        installed = [line for step in recipe.steps for line in step.requirements.lines]
        assert sorted(installed) == sorted(CLASSES[name].pins().lines)
        assert all("==" in line for line in installed)
        assert all("--no-deps" in step.options for step in recipe.steps)


def test_the_first_python_that_is_here_is_taken_and_none_of_another_time(machine):
    machine("3.6")
    python = CLASSES["heritage-channels0-ipc"].recipe("").python
    assert python == Path("/pythons/3.6/bin/python")
    machine("2.7", "3.6", "3.13")
    with pytest.raises(UsageError, match=r"runs under Python 2\.7 or 3\.6, and --python=3\.13 is"):
        CLASSES["heritage-channels0-ipc"].recipe("3.13")


def test_says_what_is_missing(machine, monkeypatch, golden):
    def available(name, missing):
        with monkeypatch.context() as patched:
            if missing == "compiler":
                patched.setattr(adapters.shutil, "which", lambda name: None)
            elif missing == "header":
                patched.setattr(adapters, "_is_header", lambda name: False)
            elif missing == "circus":
                patched.setattr(Interpreter, "installed", lambda self, name: None)
            else:
                machine()
            return CLASSES[name].available()

    golden.cases(available)


def spec(name="heritage-channels0-ipc", **given):
    return RunSpec(server=ServerSpec(server=name), **given)


def test_an_environment_can_not_be_given_to_it(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path))
    run = RunSpec(server=ServerSpec(server="heritage-channels0-ipc", environment="new@feed"))
    with pytest.raises(UsageError, match="brings its own environment, so --env can't change it"):
        preflight.check(planning.resolve(run))


def test_values(golden):
    golden.values()
