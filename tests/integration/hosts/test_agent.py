"""An agent beside a target that already runs: what it sees of it, and what becomes of a run whose
agent is lost, has another key, another clock or no network.
"""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Any

import pytest

from benchsuite.load.hosts import keys
from benchsuite.system.network import free_port
from tests.integration.command import Command, measured, wait_for
from tests.integration.hosts.agents import listening, watched
from tests.integration.hosts.network import address_of, namespaces
from tests.integration.test_running_target import MIDDLEWARE, codes, running
from tests.needs import needs

LOAD = ("--rate=40", "--warmup=1")


@contextmanager
def beside(
    command: Command, folder: Path
) -> Iterator[tuple[tuple[str, ...], subprocess.Popen[str]]]:
    """What a command measures a target on loopback with, and the agent there."""
    key, port = folder / "key", free_port()
    keys.write_new(key)
    agent = (f"127.0.0.1:{port}", f"--key-file={key}")
    with running(folder, KNOWS=MIDDLEWARE, TMPDIR=str(folder)) as target:
        words = (f"--port={target.rpartition(':')[2]}", f"--listen={agent[0]}", agent[1])
        options = (f"--target={target}", "--path=/shop/", f"--agent={agent[0]}", agent[1])
        with listening(command, *words) as program:
            yield options, program


def of_target(run: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [one for one in run["stored"]["readings"] if one["part"] == "target"]


def test_a_target_is_watched_as_a_server_that_is_started(command: Command, tmp_path) -> None:
    with beside(command, tmp_path) as (options, _):
        run = measured(command, "", *options, how=(*LOAD, "--duration=4"))
    seconds = of_target(run)
    assert {one["processes"] for one in seconds} == {3}, "a master with two workers"
    counts = {name for one in seconds for name in one["counts"] or ()}
    assert {"busiest_process_percent", "others_percent"} <= counts
    assert sum(0 <= one["second"] <= 5.5 for one in seconds) >= 4
    assert run["cpu_percent"]
    assert run["memory_bytes"]
    found = codes(run)
    assert "B203" not in found.get("B405", "")
    assert "B403" in found, "both are on this machine"
    assert "B406" not in found
    assert "the owner of port" in run["settings_changed"][f"(agent {os.uname().nodename})"]


def test_what_a_killed_agent_told_is_kept_with_the_run(command: Command, tmp_path) -> None:
    with beside(command, tmp_path) as (options, agent):
        assert agent.stdout is not None
        process = command.start("runbench", "--json=-", *LOAD, "--duration=6", *options)
        assert "Watching" in agent.stdout.readline()
        killing = Timer(3.5, agent.kill)
        killing.start()
        ended = command.wait(process)
        killing.join()
    assert ended.status == 0, ended.err
    (run,) = json.loads(ended.out)
    assert "Nothing was heard from the agent" in codes(run)["B406"]
    assert 1 <= len(of_target(run)) <= 5
    assert run["cpu_percent"] is not None
    assert "which processes of the server came and went (B203)" in codes(run)["B405"]
    assert run["requests"] == 240


def test_what_can_not_be_is_one_sentence(command: Command, tmp_path) -> None:
    other = tmp_path / "other"
    keys.write_new(other)

    def said(*words: str, start: int = 0) -> str:
        how = ("--users=1", "--duration=0.5", *words)
        ended = command.run("runbench", *options[start:], *how)
        assert ended.status, ended.out
        return ended.err.strip()

    with beside(command, tmp_path) as (options, agent):
        assert "has another key: copy its key file" in said(f"--key-file={other}")
        assert "may start nothing: give it --may-start" in said(start=1)
        words = (options[2].replace("agent", "listen"), f"--key-file={other}")
        assert "what to watch" in command.run("benchagent", *words).err
        taken = command.run("benchagent", *words, "--process=any").err
        assert "Address already in use" in taken
        agent.kill()
        assert "No agent answers at" in said()


@needs("netns")
@pytest.mark.audit
def test_a_clock_three_seconds_off_is_converted(tmp_path) -> None:
    ahead = ("unshare", "--time", "--monotonic", "3", "--fork", "--kill-child")
    begun = monotonic()
    with watched(tmp_path, before=ahead) as made:
        made.seconds(*[lambda: None] * 3)
        made.ended(begun)
        ended = monotonic()
    agent = made.watching.agent
    assert agent.clock_ahead == pytest.approx(3.0, abs=0.05)
    assert "its clock 3.0" in agent.words
    assert all(begun < one.second < ended for one in made.readings)


@needs("netns")
@pytest.mark.audit
def test_an_agent_without_a_network_for_5_s_tells_the_rest_later(tmp_path) -> None:
    quiet = [lambda: None] * 4
    with (
        namespaces(1) as (network,),  # it sees all processes, and only its network is another
        watched(tmp_path, address_of(network.name), network.before) as made,
    ):
        begun = monotonic()
        made.seconds(*quiet, network.cut, *quiet, network.mend)
        wait_for("the rest", lambda: made.seconds(*quiet[:1]) or len(made.readings) >= 9)
        made.ended(begun)
    agent, seconds = made.watching.agent, [one.second for one in made.readings]
    assert agent.silent_s > 3
    assert not agent.lost
    assert seconds == sorted(set(seconds)), "each once"
    assert made.watching.seen.turnover is not None
