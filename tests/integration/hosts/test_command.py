"""Whole commands: a server that is started here, loaded from two network namespaces."""

import json

import pytest

from benchsuite.system.network import free_port
from tests.integration.command import Command, wait_for
from tests.integration.hosts.network import HERE, namespaces
from tests.needs import needs

RATE = 30


@needs("netns", "gunicorn")
@pytest.mark.audit
def test_two_hosts_load_a_server_that_is_started_here(command: Command, tmp_path) -> None:
    key = str(tmp_path / "bench.key")
    assert command.run("benchworker", f"--new-key={key}").status == 0
    with namespaces(2) as networks:
        port = free_port(HERE)
        joining = ("benchworker", f"--join={HERE}:{port}", f"--key-file={key}")
        program, workers = command.program, []
        for network in networks:
            # its lock is for commands that measure
            command.program = (*network.before, *program)
            workers.append(command.start(*joining))
        command.program = program
        ended = command.run(
            "runbench",
            "--server=gunicorn-gthread",
            f"--rate={RATE}",
            "--warmup=1",
            "--duration=3",
            "--load-hosts=2",
            f"--listen={HERE}:{port}",
            f"--key-file={key}",
            f"--bind={HERE}",
            "--repeat=2",
            "--json=-",
            limit_s=180,
        )
        ends = [command.wait(worker, 20) for worker in workers]
    assert ended.status == 0, ended.err
    assert [(end.status, end.out.splitlines()[-1]) for end in ends] == [
        (0, "The command has ended.")
    ] * 2
    runs = json.loads(ended.out)
    assert len(runs) == 2
    for run in runs:
        assert run["requests"] == RATE * 3
        assert run["failures"] == 0
        told = {name: text for name, text in run["settings_changed"].items() if "load host" in name}
        assert len(told) == 2
        assert all("50% of the load" in text and "converted" in text for text in told.values())
        assert f"{HERE} added" in json.dumps(run["settings_changed"])
    wait_for("all workers gone", lambda: all(worker.poll() is not None for worker in workers))
