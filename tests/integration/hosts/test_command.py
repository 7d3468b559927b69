"""Whole commands: a server that is started here, or one that runs, loaded from two namespaces."""

import json

import pytest

from benchsuite.system.network import free_port
from tests.integration.command import Command, wait_for
from tests.integration.hosts.network import HERE, namespaces
from tests.integration.stubs_http import Responder, after
from tests.needs import needs

RATE = 30


@needs("netns", "gunicorn")
@pytest.mark.audit
@pytest.mark.parametrize("runs", [False, True])
def test_two_hosts_load_a_server_that_is_started_here_or_runs(command: Command, tmp_path, runs):
    key = str(tmp_path / "bench.key")
    assert command.run("benchworker", f"--new-key={key}").status == 0
    command.env["BENCHSUITE_TARGETS"] = json.dumps({HERE: RATE})
    with namespaces(2) as networks, Responder({"/": after(0.002)}, host=HERE) as responder:
        port = free_port(HERE)
        joining = ("benchworker", f"--join={HERE}:{port}", f"--key-file={key}")
        program, workers = command.program, []
        for network in networks:
            # its lock is for commands that measure
            command.program = (*network.before, *program)
            workers.append(command.start(*joining))
        command.program = program
        words = ("--server=gunicorn-gthread", f"--bind={HERE}")
        if runs:
            words = (f"--target={responder.base_url}", f"--yes-load={HERE}", "--path=/")
        ended = command.run(
            "runbench",
            *words,
            f"--rate={RATE}",
            "--warmup=1",
            "--duration=3",
            "--load-hosts=2",
            f"--listen={HERE}:{port}",
            f"--key-file={key}",
            "--repeat=2",
            "--json=-",
            limit_s=180,
        )
        ends = [command.wait(worker, 20) for worker in workers]
    assert ended.status == 0, ended.err
    assert [(end.status, end.out.splitlines()[-1]) for end in ends] == [
        (0, "The command has ended.")
    ] * 2
    made = json.loads(ended.out)
    assert len(made) == 2
    for run in made:
        assert run["requests"] == RATE * 3
        assert run["failures"] == 0
        told = {name: text for name, text in run["settings_changed"].items() if "load host" in name}
        assert len(told) == 2
        assert all("50% of the load" in text and "converted" in text for text in told.values())
        assert (f"{HERE} added" in json.dumps(run["settings_changed"])) is not runs
    wait_for("all workers gone", lambda: all(worker.poll() is not None for worker in workers))
