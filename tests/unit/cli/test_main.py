"""What the program adds to a command, and where it is."""

import os
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from benchsuite.cli import project as projects
from benchsuite.cli.main import COMMANDS, OTHERS, VERBS, _serve, main, project_options
from benchsuite.cli.places import as_typed, local_zone
from benchsuite.cli.project import Project, find
from benchsuite.views.access import TOKEN_VARIABLE

PYTHON = "/shop/.venv/bin/python"
KNOWN = {"settings": "shop.settings", "django": "5.2", "environment": {}, "folders": []}


def added(verb, *words, python=PYTHON):
    """What a command is told of the project's Python and name."""
    return project_options(Project(folder=Path("/shop"), python=Path(python), **KNOWN), verb, words)


def test_values(golden, capsys):
    golden.values()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("verb", ["run", "tune", "study"])
def test_a_verb_is_told_nothing_that_it_does_not_know(verb):
    parser = load_command_class("benchsuite", COMMANDS[verb]).create_parser("manage.py", verb)
    flags = {word.partition("=")[0] for word in added(verb)}
    assert "--label" in flags
    assert flags <= {*parser._option_string_actions}


def test_a_zone_that_nobody_knows_is_utc(monkeypatch):
    zones = {"Europe/Berlin": "Europe/Berlin", ":/etc/localtime": "UTC", "X/Y": "UTC"}
    for name, zone in zones.items():
        monkeypatch.setenv("TZ", name)
        assert local_zone() == zone


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["--pyth=3.13", "run"], "--pyth=3.13; did you mean --python?"),
        (["serve", "--addr=127.0.0.1:9"], "--addr=127.0.0.1:9; did you mean --address?"),
    ],
)
def test_an_abbreviated_option_of_the_program_is_refused(words, refusal, monkeypatch, capsys):
    monkeypatch.setattr("benchsuite.cli.main._execute", lambda asked, program: _serve(asked.words))
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert f"unrecognized arguments: {refusal}" in capsys.readouterr().err


def test_every_command_is_a_verb_but_what_fills_a_projects_own_database():
    commands = {name for name, app in get_commands().items() if app == "benchsuite"}
    verbs = {COMMANDS.get(verb, verb) for verb in (*VERBS, *OTHERS)}
    assert verbs - {"serve"} == commands - {"seedbench"}


def test_files_are_those_of_the_folder_where_a_command_is_typed(golden, tmp_path):
    for name in ("goods.json", "pins.txt", "before"):
        (tmp_path / name).touch()
    parser = load_command_class("benchsuite", "runbench").create_parser("manage.py", "runbench")
    golden.words(
        lambda *words: list(as_typed(words, parser, tmp_path)), replace={str(tmp_path): "HERE"}
    )


@pytest.fixture
def conda(tmp_path, monkeypatch):
    """A folder with a manage.py, and an active environment of conda's."""
    (tmp_path / "manage.py").touch()
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "conda"))
    return tmp_path / "conda"


@pytest.mark.parametrize("lacks", [True, False])
def test_where_a_python_lacks_what_the_project_imports_others_are_tried(
    tmp_path, conda, monkeypatch, *, lacks
):
    other = tmp_path / "bin" / "python3"
    other.parent.mkdir()
    other.touch(mode=0o755)
    own = f"{Path(sys.prefix, 'bin')}"
    monkeypatch.setenv("PATH", os.pathsep.join([own, str(other.parent)]))
    fault = "ModuleNotFoundError: No module named 'rest_framework'" * lacks
    reports = {sys.executable: {**KNOWN, "fault": fault}, str(other): KNOWN}
    monkeypatch.setattr(
        projects, "_asked", lambda python, *about: reports.get(str(python), {"fault": "no Django"})
    )
    assert find(tmp_path).python == (other if lacks else Path(sys.executable))
    reports[str(other)] = {"fault": "no Django"}
    assert find(tmp_path).fault == fault
    reports[str(conda)] = KNOWN
    assert find(tmp_path).python == conda
    reports[sys.executable], reports[str(conda)] = KNOWN, {**KNOWN, "fault": "of another project"}
    assert find(tmp_path).python == Path(sys.executable)


def test_the_active_environment_comes_first_though_it_is_ours(tmp_path, conda, monkeypatch):
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv/pyvenv.cfg").touch()
    monkeypatch.setattr(projects, "_asked", lambda python, *about: KNOWN)
    assert find(tmp_path).python == tmp_path / ".venv/bin/python"
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    assert find(tmp_path).python == Path(sys.executable)


def test_the_pages_are_shown_at_the_address_that_they_are_served_at(monkeypatch, settings):
    monkeypatch.setattr("django.core.management.call_command", lambda *words, **how: None)
    monkeypatch.setenv(TOKEN_VARIABLE, "")
    settings.ALLOWED_HOSTS = ["localhost"]
    _serve(["--address=10.0.0.5:8765"])
    assert settings.ALLOWED_HOSTS == ["localhost", "10.0.0.5"]
    _serve(["--address=0.0.0.0:8765"])
    assert settings.ALLOWED_HOSTS[-1] == "*"
