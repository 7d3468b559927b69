"""What the program adds to a command, and where it is."""

import sys
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from benchsuite.cli.main import COMMANDS, OTHERS, VERBS, _serve, main, project_options
from benchsuite.cli.places import as_typed, local_zone
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


def test_files_are_those_of_the_folder_where_a_command_is_typed(tmp_path):
    (tmp_path / "goods.json").touch()
    (tmp_path / "pins.txt").touch()
    (tmp_path / "before").touch()  # which is a label, too
    parser = load_command_class("benchsuite", "runbench").create_parser("manage.py", "runbench")
    words = ["--fixture=users,goods.json", "--env=new=pins.txt", "--json", "out.json", "--html=-"]
    words += ["--label=before", "--option=timeout_s=30", "--path=/shop/?a=b,c", "--locustfile=l.py"]
    assert list(as_typed(words, parser, tmp_path)) == [
        *(f"--fixture=users,{tmp_path}/goods.json", f"--env=new={tmp_path}/pins.txt"),
        *("--json", f"{tmp_path}/out.json", "--html=-", "--label=before", "--option=timeout_s=30"),
        *("--path=/shop/?a=b,c", f"--locustfile={tmp_path}/l.py"),
    ]
