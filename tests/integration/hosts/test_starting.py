"""Servers that an agent starts in a network of its own, and loads that come from here."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from pathlib import Path

import pytest

from benchsuite.load.hosts import keys
from benchsuite.system.network import free_port
from tests.integration.command import Command, wait_for
from tests.integration.hosts.agents import listening
from tests.integration.hosts.network import address_of, namespaces
from tests.integration.hosts.workers import programs_of
from tests.needs import needs

AGENT = 1  #: Programs while nothing is started.

pytestmark = [needs("netns", "gunicorn"), pytest.mark.audit]


@contextmanager
def agent(
    command: Command, folder: Path, env: Mapping[str, str] = {}
) -> Iterator[tuple[tuple[str, ...], Path]]:
    """What a command is told of it, and the folder of what it starts."""
    keys.write_new(folder / "key")
    there = folder / "there" / "tmp"
    there.mkdir(parents=True)
    with namespaces(1) as (network,):
        address = f"{address_of(network.name)}:{free_port()}"
        key = f"--key-file={folder / 'key'}"
        own = copy(command)
        own.program = (*network.before, *command.program)
        own.env = {**command.env, "TMPDIR": str(there), **env}
        own.env["DATABASE_URL"] = f"sqlite:///{there}/results.sqlite3"
        assert own.run("migrate", "--verbosity=0").status == 0
        with listening(own, f"--listen={address}", key, "--may-start"):
            yield (f"--agent={address}", key), there
    assert not programs_of(folder)


def test_a_server_there_is_measured_from_here(command: Command, tmp_path) -> None:
    # no arrival falls on an end of the window, where a rounding counts it in or out
    load = ("--rate=30", "--warmup=0.49", "--duration=2", "--repeat=2")
    with agent(command, tmp_path) as (options, there):
        files = ("--json=-", f"--html={tmp_path / 'page.html'}")
        words = ("--server=gunicorn-gthread", *load, *files, *options)
        ended = command.run("runbench", *words, limit_s=180)

    assert ended.status == 0, ended.err
    runs = json.loads(ended.out)
    assert [run["requests"] for run in runs] == [60, 60]
    assert json.loads(command.run("dumpbench", "-").out) == runs
    assert "gunicorn" in (tmp_path / "page.html").read_text()
    assert all("load host" in json.dumps(run["settings_changed"]) for run in runs)
    assert not [*there.glob("benchsuite-*")]


STUDY = """
format = 1
name = "modes"
question = "Which mode?"
[every]
server = "gunicorn-gthread"
users = 2
warmup = "0.3s"
duration = "1s"
[axis.threads]
one = { threads = 1 }
two = { threads = 2 }
[figures]
rate = { of = "goodput" }
"""


SETTINGS = """
import json
from pathlib import Path
from testproject.settings.console import *
HERE = Path(__file__).parent
BENCHSUITE = {"PLACE": json.loads((HERE / "place.json").read_text()), "STUDIES": [HERE]}
"""


def test_a_study_and_a_tuning_are_made_there_and_stored_here(command: Command, tmp_path) -> None:
    (tmp_path / "modes.toml").write_text(STUDY)
    (tmp_path / "with_place.py").write_text(SETTINGS)
    place = tmp_path / "place.json"
    place.write_text("{}")
    how = {"DJANGO_SETTINGS_MODULE": "with_place", "PYTHONPATH": str(tmp_path)}
    with agent(command, tmp_path, how) as (options, _):
        place.write_text(json.dumps(dict(word.removeprefix("--").split("=") for word in options)))
        command.env |= how
        studied = command.run("runstudy", "modes", limit_s=180)
        tuned = command.run(
            *("tunebench", "--objective=p95 < 2s", "--server=gunicorn-gthread", "--budget=40s"),
            *("--threads=2", "--window=1", f"--json={tmp_path / 'tuning.json'}"),
            limit_s=180,
        )

    assert studied.status == 0, studied.err
    assert "2 runs loaded" in studied.out
    runs = json.loads(command.run("dumpbench", "-", "--study=modes").out)
    assert [run["spec"]["load"]["hosts"] for run in runs] == [1, 1]
    assert tuned.status in (0, 3), tuned.err
    trials = json.loads((tmp_path / "tuning.json").read_text())["trials"]
    assert trials
    assert all(trial["run"] for trial in trials), "each run is stored here, too"


def test_all_that_was_started_ends_with_the_measuring_side(command: Command, tmp_path) -> None:
    load = ("--users=2", "--warmup=0.5", "--duration=60")
    with agent(command, tmp_path) as (options, there):
        process = command.start("runbench", "--server=gunicorn-gthread", *load, *options)
        assert process.stdout is not None
        while "ready in" not in process.stdout.readline():
            assert process.poll() is None
        processes = len(programs_of(there.parent))
        process.kill()
        process.communicate(timeout=20)
        wait_for("the end of all", lambda: len(programs_of(there.parent)) == AGENT, 20)
        assert processes > 4, "the agent, the command and its keeper, the server, its worker"
        wait_for("an empty folder", lambda: not [*there.glob("benchsuite-*")])
