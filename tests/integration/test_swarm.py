"""Runs in a swarm, where an engine has an image of this repository, named in SWARM_IMAGE."""

import os
import signal
import subprocess

import pytest

from tests.integration.command import SHORT, Command, measured
from tests.integration.left_behind import eventually
from tests.needs import needs

pytestmark = [pytest.mark.alone, needs("docker-swarm")]

IMAGE = f"--front-option=image={os.environ.get('SWARM_IMAGE')}"


def stacks() -> str:
    """What is left of any run."""
    said = ""
    for kind in ("stack ls", "ps --all", "network ls"):
        form = "{{.Name}}" if kind != "ps --all" else "{{.Names}}"
        words = ["docker", *kind.split(), "--format", form]
        said += subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return "\n".join(line for line in said.splitlines() if "benchsuite-" in line)


@pytest.mark.parametrize("server", ["gunicorn-gthread", "uvicorn"])
def test_a_replica_is_measured_and_nothing_of_it_stays(command: Command, server: str) -> None:
    one = measured(command, f"--server={server}", "--front=swarm", IMAGE, "--workload=io_read")
    assert one["failures"] == 0
    assert one["requests"] > 10
    assert [program["part"] for program in one["programs"]] == ["target"]
    assert stacks() == ""


def test_a_replica_that_does_not_start_is_told(command: Command) -> None:
    """An image with nothing in it has no Python either."""
    empty = "benchsuite-test-empty:1"
    subprocess.run(["docker", "import", "-", empty], input=b"\0" * 1024, check=True)
    try:
        image = f"--front-option=image={empty}"
        ended = command.run("runbench", *SHORT, "--server=uvicorn", "--front=swarm", image)
    finally:
        subprocess.run(["docker", "rmi", empty], check=True)
    assert ended.status != 0
    assert "a replica ended: " in ended.err
    assert "executable file not found" in ended.err
    assert stacks() == ""


def test_a_run_that_is_killed_leaves_no_stack(command: Command) -> None:
    words = ["--server=uvicorn", "--front=swarm", IMAGE, "--duration=60"]
    with command.start("runbench", *words) as running:
        assert eventually(lambda: "benchsuite-" in stacks())
        running.send_signal(signal.SIGKILL)
    assert eventually(lambda: stacks() == "", within_s=60)
