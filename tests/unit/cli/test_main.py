"""What the program adds to a command, and where it is."""

import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

from benchsuite.cli.main import COMMANDS, OTHERS, VERBS, _serve, main, project_options
from benchsuite.cli.places import local_zone
from benchsuite.cli.project import Project

PYTHON = "/shop/.venv/bin/python"


@pytest.mark.parametrize(
    ("words", "python", "added"),
    [
        (["--path=/"], PYTHON, ["--label=shop", f"--python={PYTHON}"]),
        ([], PYTHON, ["--label=shop", f"--python={PYTHON}"]),
        (["--path=/"], sys.executable, ["--label=shop"]),
        (["--label=mine", "--python", "3.13"], PYTHON, []),
        (["--again", "0123abcd"], PYTHON, []),
        (["--resume=0123abcd"], PYTHON, []),
    ],
)
def test_a_command_is_told_the_projects_python_and_name(words, python, added, tmp_path):
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    known = {"settings": "shop.settings", "django": "5.2", "environment": {}, "folders": []}
    project = Project(folder=folder, python=Path(python), **known)
    assert project_options(project, words) == added


@pytest.mark.parametrize(
    ("name", "zone"),
    [("Europe/Berlin", "Europe/Berlin"), (":/etc/localtime", "UTC"), ("X/Y", "UTC")],
)
def test_a_zone_that_nobody_knows_is_utc(name, zone, monkeypatch):
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
