"""An agent beside a target that already runs: what it sees of it, and what becomes of a run whose
agent is lost, has another key or another clock.
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest

from benchsuite.load.hosts import keys
from benchsuite.system.network import free_port
from tests.integration.command import Command, measured, wait_for
from tests.integration.hosts.network import address_of, namespaces
from tests.integration.hosts.workers import Worker
from tests.integration.test_running_target import MIDDLEWARE, codes, running
from tests.needs import needs

LOAD = ("--rate=40", "--warmup=1", "--duration=4")


@dataclass
class Beside:
    """A target on loopback, its agent, and how a command finds both."""

    command: Command
    folder: Path
    target: str
    address: str
    agents: list[Worker] = field(default_factory=list)

    @property
    def options(self) -> tuple[str, ...]:
        key = f"--key-file={self.folder / 'key'}"
        return (f"--target={self.target}", "--path=/shop/", f"--agent={self.address}", key)

    def start(self, *words: str, before: Sequence[str] = ()) -> None:
        program = [*before, *self.command.program, "benchagent", *words]
        program += [f"--listen={self.address}", f"--key-file={self.folder / 'key'}"]
        path = self.folder / "agent.log"
        with path.open("wb") as log:
            agent = subprocess.Popen(
                program,
                cwd=self.command.directory,
                env=self.command.env,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.agents.append(Worker(agent, path))
        wait_for("the agent", lambda: "listens on" in self.agents[0].words)

    def measured(self, *how: str) -> dict[str, Any]:
        return measured(self.command, "", *self.options, how=how or LOAD)

    def when_watching(self, *steps: Any) -> None:
        """Takes these steps while a run lasts, each after its seconds."""

        def follow() -> None:
            wait_for("the watch", lambda: "Watching" in self.agents[0].words, 60)
            for seconds, step in steps:
                sleep(seconds)
                step()

        Thread(target=follow, daemon=True).start()


@contextmanager
def beside(command: Command, folder: Path, host: str = "127.0.0.1") -> Iterator[Beside]:
    keys.write_new(folder / "key")
    with running(folder, KNOWS=MIDDLEWARE, TMPDIR=str(folder)) as target:
        made = Beside(command, folder, target, f"{host}:{free_port()}")
        try:
            yield made
        finally:
            for agent in made.agents:
                if agent.process.poll() is None:
                    agent.kill(signal.SIGTERM)
                    agent.ended(20)


def of_target(run: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in run["stored"]["readings"] if one["part"] == "target"]


def test_a_target_is_watched_as_a_server_that_is_started(command: Command, tmp_path) -> None:
    with beside(command, tmp_path) as made:
        made.start(f"--port={made.target.rpartition(':')[2]}")
        run = made.measured()
        again = made.measured("--users=2", "--warmup=0.5", "--duration=1.5")
    assert all(one["cpu_percent"] and one["memory_bytes"] for one in (run, again))
    seconds = of_target(run)
    assert {one["processes"] for one in seconds} == {3}, "a master with two workers"
    assert all(
        {"busiest_process_percent", "others_percent"} <= {*one["counts"]} for one in seconds[2:]
    )
    assert 4 <= sum(0 <= one["second"] <= 5.5 for one in seconds)
    found = codes(run)
    assert "B203" not in found.get("B405", "")
    assert "B403" in found, "both are on this machine"
    assert "B406" not in found
    assert "the owner of port" in run["settings_changed"][f"(agent {os.uname().nodename})"]
    assert run["environment"]["boot_id"] == again["environment"]["boot_id"]
    assert made.agents[0].words.count("Watched until now.") == 2


@needs("netns")
def test_a_clock_three_seconds_off_is_converted(command: Command, tmp_path) -> None:
    ahead = ("unshare", "--time", "--monotonic", "3", "--fork", "--kill-child")
    with beside(command, tmp_path) as made:
        made.start("--process=gunicorn", before=ahead)
        run = made.measured()
    (words,) = (words for name, words in run["settings_changed"].items() if "(agent" in name)
    assert "its clock 3.0" in words
    assert "s ahead" in words
    assert max(one["second"] for one in of_target(run)) < 8
    assert run["cpu_percent"]


def test_what_a_killed_agent_told_is_kept(command: Command, tmp_path) -> None:
    with beside(command, tmp_path) as made:
        made.start("--process=gunicorn")
        made.when_watching((3.5, lambda: made.agents[0].kill()))
        run = made.measured("--rate=40", "--warmup=1", "--duration=6")
    assert "Nothing was heard from the agent" in codes(run)["B406"]
    assert 2 <= len(of_target(run)) <= 5
    assert run["cpu_percent"] is not None
    assert "which processes of the server came and went (B203)" in codes(run)["B405"]
    assert run["requests"] == 240


@needs("netns")
def test_an_agent_without_a_network_for_4_s_tells_the_rest_later(
    command: Command, tmp_path
) -> None:
    with namespaces(1) as (network,), beside(command, tmp_path, address_of(network.name)) as made:
        # it sees the target's processes, and only its network is another
        made.start("--process=gunicorn", before=network.before)
        made.when_watching((2.0, network.cut), (4.5, network.mend))
        run = made.measured("--rate=40", "--warmup=1", "--duration=8")
    assert "was silent for" in codes(run)["B406"]
    assert len(of_target(run)) >= 9, "each second"
    assert run["requests"] == 320
    assert "B203" not in codes(run).get("B405", "")


def test_what_can_not_be_is_one_sentence(command: Command, tmp_path) -> None:
    def said(*words: str) -> str:
        ended = command.run("runbench", *made.options, "--users=1", "--duration=0.5", *words)
        assert ended.status, ended.out
        return ended.err.strip()

    with beside(command, tmp_path) as made:
        assert "No agent answers at" in said()
        made.start("--process=nobody-is-called-so")
        other = tmp_path / "other"
        keys.write_new(other)
        assert "has another key: copy its key file" in said(f"--key-file={other}")
        assert "sees nothing of processes named nobody-is-called-so" in said()
        refused = command.run("benchagent", f"--listen={made.address}", f"--key-file={other}")
        assert "give one" in refused.err
        taken = command.run(
            "benchagent", f"--listen={made.address}", f"--key-file={other}", "--port=80"
        )
        assert "Address already in use" in taken.err
