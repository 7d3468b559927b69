"""Servers that an agent starts in a network of its own, and loads that come from here."""

import json
from collections.abc import Iterator
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
def agent(command: Command, folder: Path) -> Iterator[tuple[tuple[str, ...], Path]]:
    """What a command is told of it, and the folder of what it starts."""
    keys.write_new(folder / "key")
    there = folder / "there" / "tmp"
    there.mkdir(parents=True)
    with namespaces(1) as (network,):
        address = f"{address_of(network.name)}:{free_port()}"
        key = f"--key-file={folder / 'key'}"
        own = copy(command)
        own.program = (*network.before, *command.program)
        own.env = {**command.env, "TMPDIR": str(there)}
        own.env["DATABASE_URL"] = f"sqlite:///{there}/results.sqlite3"
        assert own.run("migrate", "--verbosity=0").status == 0
        with listening(own, f"--listen={address}", key, "--may-start"):
            yield (f"--agent={address}", key), there
    assert not programs_of(folder)


def test_a_server_there_is_measured_from_here(command: Command, tmp_path) -> None:
    load = ("--rate=30", "--warmup=0.5", "--duration=2", "--repeat=2")
    with agent(command, tmp_path) as (options, there):
        ended = command.run("runbench", "--server=gunicorn-gthread", *load, *options, limit_s=180)

    assert ended.status == 0, ended.err
    dumped = command.run("dumpbench", "-")
    runs = json.loads(dumped.out)
    assert [run["requests"] for run in runs] == [60, 60]
    assert all("load host" in json.dumps(run["settings_changed"]) for run in runs)
    assert not [*there.glob("benchsuite-*")]


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
