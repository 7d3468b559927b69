"""Every option of every command against nonsense: a sentence that names it, or accepted on purpose.

What a command would do is left out; what it makes of its options is not.
"""

import argparse
import contextlib
import io
import re
from functools import cache
from pathlib import Path

import pytest
import zmq
from django.core.management import BaseCommand, load_command_class

from benchsuite import conf
from benchsuite.load.hosts import keys
from benchsuite.management import commands
from benchsuite.management.commands import checkbench, completesurvey, runbench
from benchsuite.management.options.parsing import BriefCommand
from benchsuite.pythons import interpreter as finding
from benchsuite.servers.peers import adapters
from benchsuite.telemetry.machine import HostSample
from tests.factories import make_run
from tests.study_factories import make_study_run, write

NUMBERS = ["nan", "inf", "-inf", "1e308", "-1e308", "1e999", "9" * 400, "0x10", "-1", "1.5.2"]
WORDS = ["none", "[]", "{}", "%s", "=", "a=", "=b", ",", "a,,b", "../..", "ü/ä", "\udcff", "a\x1bb"]
NOTHING = ["", " ", "\t", "--"]

COMMANDS = {
    "runbench": ["--dry-run"],
    "comparebench": ["uvicorn", "daphne"],
    "checkbench": [],
    "listbench": [],
    "loadbench": ["no-such-file.json"],
    "dumpbench": ["runs.json"],
    "seedbench": [],
    "buildheritage": ["channels0"],
    "buildpeer": ["node"],
    "completesurvey": ["http://127.0.0.1:9/"],
    "runstudy": ["shop", "--dry-run"],
    "benchworker": ["--join=127.0.0.1:9", "--key-file=no-such-file"],
    "benchagent": ["--listen=127.0.0.1:9", "--key-file=key", "--may-start"],
    "tunebench": ["--objective=p95 < 200ms", "--dry-run"],
}
"""With what each has to be told."""

ANY_WORD = {
    "--process": "a program may have any name",
    "--unit": "and so may a unit",
    "--label": "any text finds runs again",
    "--login": "who is not there is made",
    "--host": "a machine may have any name",
    "--path": "a page may have any path",
    "--fill": "the project knows its commands, and is asked when data are made",
    "--fixture": "as --fill",
    "--json": "a file may have any name",
    "--html": "as --json",
    "--junit": "as --json",
    "--markdown": "as --json",
    "--answer": "a form may ask anything",
    "--done": "a page may have any text",
    "--yes-this-host": "no such host was named",
    "--yes-load": "as --yes-this-host",
}
BY_VALUE = ("--baseline", "--servers")
"""Told by what was given for them: names as others."""
ACCEPTED = {("--seed", "-1"), ("--cookie", "a="), ("--front", "none"), ("--agent", "none")}


def command(name):
    return load_command_class("benchsuite", name)


DJANGO = BaseCommand().create_parser("manage.py", "any")._option_string_actions
"""Options of every command of Django's, which are not ours to check."""


def options(name):
    """The long options of a command, and whether each takes a value."""
    parser = command(name).create_parser("manage.py", name)
    return [
        (option, action.nargs != 0)
        for action in parser._actions
        for option in action.option_strings
        if option.startswith("--")
        and option not in DJANGO
        and not isinstance(action, argparse._HelpAction)
        and option != "--version"
    ]


TAKING = [(name, option) for name in COMMANDS for option, takes in options(name) if takes]


class Reached(Exception):
    """A command would do now what it is for."""


@pytest.fixture(autouse=True)
def nothing_is_done(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def reached(*_, **__):
        raise Reached

    monkeypatch.setattr(conf, "study_files", lambda: {"shop": write(tmp_path)})
    monkeypatch.setattr(runbench, "session", reached)
    monkeypatch.setattr(checkbench, "examine", list)
    monkeypatch.setattr(completesurvey.Command, "_complete", reached)
    monkeypatch.setattr(completesurvey, "ensure_installed", lambda: None)
    monkeypatch.setattr("benchsuite.target.seed.seed", reached)
    monkeypatch.setattr("benchsuite.target.survey.definitions.load_surveys", reached)
    monkeypatch.setattr(adapters, "build", reached)
    monkeypatch.setattr(finding, "kind_of", lambda path: None)
    monkeypatch.setattr(HostSample, "__init__", lambda sample: None)
    monkeypatch.setattr(zmq, "Context", reached)
    keys.write_new(tmp_path / "key")


@cache
def parser(name):
    """Made once: a hundred options take longer to declare than to parse."""
    made = command(name)
    made._called_from_command_line = True
    return made.create_parser("manage.py", name)


def said(name, *words):
    """Exit status and standard error; 0 for a command that would have gone to work."""
    status = 0
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        made = command(name)
        made.create_parser = lambda *_, **__: parser(name)
        made.requires_system_checks = []  # which look at no option
        made.stderr._out = errors
        try:
            option = words[0].partition("=")[0]
            needed = [one for one in COMMANDS[name] if one.partition("=")[0] != option]
            made.run_from_argv(["manage.py", name, *needed, *words])
        except SystemExit as ended:
            status = int(ended.code or 0)
        except Reached:
            status = 0
    return status, errors.getvalue()


def lines(text):
    return [line for line in text.splitlines() if line and not line.startswith("usage:")]


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "option"), TAKING, ids=lambda value: str(value))
def test_an_option_refuses_nonsense(name, option):
    if name == "comparebench":
        for server in ("uvicorn", "daphne"):
            make_run(server)
    if name == "runstudy":
        make_study_run(rates={}, measured=False)
    wrong = []
    for value in [*NOTHING, *NUMBERS, *WORDS]:
        status, text = said(name, f"{option}={value}")
        found = lines(text)
        if status == 0 and value not in NOTHING and option in ANY_WORD:
            continue
        if status == 0:
            if (option, value) not in ACCEPTED:
                wrong.append(f"{option}={value[:20]!r} is accepted")
        elif status != 2 or len(found) != 1:
            wrong.append(f"{option}={value[:20]!r}: status {status}, {found}")
        elif option in BY_VALUE and f"{value!r}" in text:
            continue
        elif option not in text and option.removeprefix("--") not in text:
            wrong.append(f"{option}={value[:20]!r} is not named: {found}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.django_db
def test_what_argparse_would_pass_over_is_refused(golden):
    def case(name, words):
        status, text = said(name, *words)
        assert status == 2
        (line,) = lines(text)
        return line

    golden.cases(case)


@pytest.mark.parametrize("text", ["می\u200cخواهم", "検索\u3000結果", "👩\u200d💻", "a\tb\u202fc"])
@pytest.mark.django_db
def test_text_of_any_language_is_read(text):
    assert said("runbench", "--path=/", f"--expect={text}") == (0, "")


def test_every_command_is_here_and_reads_its_options_alike():
    folder = Path(commands.__file__).parent
    found = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert {name for name in found if isinstance(command(name), BriefCommand)} == found
    assert found == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_no_abbreviation_stands_for_an_option(name, capsys):
    """It may become another one's, as --python was --pythonpath where there is no --python."""
    options = parser(name)._option_string_actions
    for option in options:
        short = option[:-1]
        if not option.startswith("--") or len(option) < 6 or short in options:
            continue
        with pytest.raises(SystemExit) as ended:
            parser(name).parse_args([*COMMANDS[name], short])
        assert ended.value.code == 2
        refusal = " ".join(capsys.readouterr().err.split())
        assert re.search(rf"unrecognized arguments: {short}; did you mean .*{option}", refusal)
