"""Environments that are really built: once, whole or not at all, and served from."""

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.pythons.building import MARK, Recipe, Requirements, Slot, Step, build, built
from benchsuite.pythons.interpreter import Interpreter, find, import_path
from benchsuite.runner.environments import CONSOLE
from tests.integration.command import ROOT, SHORT, Command, measured, wait_for
from tests.integration.left_behind import eventually
from tests.needs import MODERN, needs, other_python

pytestmark = pytest.mark.audit

SMALL = "six==1.16.0"
LOCK = "django==5.2.1\ngunicorn==22.0.0\n"

BUILDER = """
import sys
from pathlib import Path
from benchsuite.pythons.building import build
from tests.integration.test_environments import small
print("begun", flush=True)
build(small({text!r}), Path({root!r}), lambda text: print(text, flush=True))
"""


def small(text=SMALL, **changes):
    steps = (Step(requirements=Requirements.parse(text)),)
    return Recipe(name="small", python=Path(sys.executable), steps=steps, **changes)


@pytest.fixture
def command(tmp_path, cache):
    made = Command(tmp_path, BENCHSUITE_CACHE=str(cache))
    made.run("migrate", "--verbosity=0", status=0)
    yield made
    assert made.left_in_temporary_folder() == []


def builder(root, text=SMALL):
    """A process of its own that builds, to be interrupted and killed."""
    return subprocess.Popen(
        [sys.executable, "-c", BUILDER.format(text=text, root=str(root))],
        env={**os.environ, "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def folders(root):
    return [one for one in (root / "environments").glob("*") if one.is_dir()]


@pytest.mark.parametrize("by", [pytest.param("uv", marks=needs("uv")), "pip"])
def test_an_environment_holds_what_was_asked_for_and_is_built_once(tmp_path, monkeypatch, by):
    if by == "pip":
        monkeypatch.setattr(Interpreter, "script", lambda self, name: "")  # there is no uv
    said: list[str] = []
    recipe = small(proof="import six", files={"extra.pth": "import six\n"})
    assert built(recipe, tmp_path) is None
    python = build(recipe, tmp_path, said.append)
    assert said[0].startswith("small: making an environment of ")
    assert said[1:] == ["small: installing 1 package", "small: trying it"]
    assert python.installed("six") == "1.16.0"
    assert python.installed("django") is None
    assert (python.installed("pip") is None) == (by == "uv")
    assert list(tmp_path.glob("logs/*")) == []

    assert build(recipe, tmp_path, said.append) == python
    assert built(recipe, tmp_path) == python
    assert len(said) == 3
    assert (Path(python.executable).parents[1] / MARK).is_file()


def test_what_does_not_resolve_is_told_in_a_sentence_and_leaves_nothing(tmp_path):
    refusal = (
        r"^The environment small can't be built: (No matching distribution found for|Because "
        r"there is no version of) six==999.* \(the whole log: .*\.log\); take six==1\.17\.0\.$"
    )
    with pytest.raises(UnavailableError, match=refusal) as caught:
        build(replace(small("six==999"), needed="take six==1.17.0"), tmp_path)
    log = Path(str(caught.value).partition("log: ")[2].partition(")")[0])
    assert "six==999" in log.read_text()
    assert folders(tmp_path) == []


def test_a_proof_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(UnavailableError, match="No module named 'no_such_module'"):
        build(small(proof="import no_such_module"), tmp_path)
    assert folders(tmp_path) == []


def test_ctrl_c_leaves_no_half_of_an_environment(tmp_path):
    slot = Slot(small(), tmp_path)
    with builder(tmp_path) as process:
        wait_for("the build", slot.python.exists)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert "KeyboardInterrupt" in err
    assert folders(tmp_path) == []
    assert built(small(), tmp_path) is None


def test_what_a_killed_build_left_does_not_count_and_is_replaced(tmp_path):
    slot = Slot(small(), tmp_path)
    with builder(tmp_path) as process:
        wait_for("the build", slot.python.exists)
        process.kill()
        process.communicate(timeout=30)
    assert eventually(lambda: not installing(tmp_path))
    assert slot.folder.exists()
    (slot.folder / "left").write_text("")
    assert built(small(), tmp_path) is None
    assert build(small(), tmp_path).installed("six") == "1.16.0"
    assert not (slot.folder / "left").exists()


def installing(root):
    """Processes that run a program of this cache."""
    running = psutil.process_iter(["cmdline"])
    words = (" ".join(process.info["cmdline"] or []) for process in running)
    return [line for line in words if line.startswith(str(root))]


def test_two_that_want_the_same_build_it_once(tmp_path):
    with builder(tmp_path) as one, builder(tmp_path) as two:
        said = [process.communicate(timeout=90)[0].splitlines() for process in (one, two)]
        assert (one.returncode, two.returncode) == (0, 0)
    assert sum("small: installing 1 package" in lines for lines in said) == 1
    assert sum("small: another process is building it; waiting" in lines for lines in said) <= 1


def printed(python, code, **env):
    """What this Python prints for the code, and its errors."""
    command = [python, "-c", code]
    done = subprocess.run(command, env=env, cwd="/", capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


def test_another_python_imports_the_project_and_benchsuite_and_none_of_our_packages(tmp_path):
    python = build(small(), tmp_path)
    code = (
        "import benchsuite.isolation.instructions, testproject, six\n"
        "try:\n    import locust\nexcept ImportError as error:\n    print(error)\n"
    )
    env = {"PYTHONPATH": import_path(python, tmp_path / "run"), "PATH": os.defpath}
    assert printed(python.executable, code, **env) == ("No module named 'locust'\n", "")


def test_what_a_server_imports_of_ours_is_installed_in_its_environment():
    """Whatever else benchsuite depends on is kept away: for load, drawings, tests of figures."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    ours = {re.split(r"[>=<\[]", one)[0] for one in project["dependencies"]}
    away = sorted(ours - {*CONSOLE, "dj-database-url", "django"})
    assert {"locust", "websockets"} <= set(away)
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({away}))\n"
        "import django; django.setup()\n"
        "import benchsuite.urls, benchsuite.admin, benchsuite.isolation.overrides.applied"
    )
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "testproject.settings.console"}
    assert printed(sys.executable, code, **{**env, "PYTHONPATH": str(ROOT)}) == ("", "")


def test_the_project_is_served_from_an_environment_and_the_run_says_from_which(command, tmp_path):
    lock = tmp_path / "lock.txt"
    lock.write_text(LOCK)
    one = measured(command, f"--server=gunicorn-sync --workload=io_read --rows=50 --env=old={lock}")
    assert one["failures"] == 0
    assert one["server_version"] == "22.0.0"
    assert one["packages"]["django"] == "5.2.1"
    assert "locust" not in one["packages"]
    assert one["python_chosen"] == "environment old"
    assert one["argv"][0].startswith(command.env["BENCHSUITE_CACHE"])

    lock.write_text("django==99\n")
    again = measured(command, f"--again={one['id']}", how=())
    assert again["packages"] == one["packages"]
    assert again["spec"]["server"] == one["spec"]["server"]


def test_a_lock_that_does_not_resolve_ends_the_command_before_the_first_run(command, tmp_path):
    lock = tmp_path / "lock.txt"
    lock.write_text("six==999\n")
    words = ("--server=gunicorn-sync", f"--env=bad={lock}")
    ended = command.run("runbench", "--json=-", *SHORT, *words, status=1)
    assert "The environment bad can't be built: " in ended.err
    assert "six==999" in ended.err
    assert json.loads(ended.out) == []


@needs("another-python")
def test_another_python_serves_the_project(command, tmp_path):
    version = other_python(*MODERN)
    assert version is not None
    lock = tmp_path / "lock.txt"
    lock.write_text(LOCK)
    one = measured(command, f"--server=gunicorn-gthread --python={version} --env=old={lock}")
    assert one["python_version"].startswith(f"{version}.")
    assert one["server_version"] == "22.0.0"
    assert one["failures"] == 0


@needs("another-python")
def test_a_bare_python_is_refused_with_the_way_out(command):
    version = other_python(*MODERN)
    if Interpreter(str(find(str(version)))).installed("django"):
        pytest.skip(f"Python {version} has Django here")
    words = ("--server=gunicorn-sync", f"--python={version}")
    ended = command.run("runbench", *SHORT, *words, status=2)
    assert "has no Django" in ended.err
