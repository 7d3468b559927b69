"""`runbench --flame` with the real profiler, and with ones that hang, die, or are refused."""

import json
import signal
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest

from benchsuite.core.results import Status
from benchsuite.core.specs import WorkloadSpec
from benchsuite.runner import explaining
from tests.integration.command import wait_for
from tests.integration.runs import made, page
from tests.needs import audited, needs

WORK = ("--server=gunicorn-sync", "--workload=cpu", "--workload-option=size=2000000")
BRIEF = ("--users=1", "--warmup=0", "--duration=0.5", "--timeout=5")


def is_refused(command):
    """Whether no process can be looked at here, which must be said then."""
    look = [explaining.ensure_profiler(), "dump", "--nonblocking", "--pid"]
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        time.sleep(1)
        refused = subprocess.run([*look, str(process.pid)], check=False).returncode != 0
    if refused:
        ended = command.run("runbench", "--flame", *WORK, *BRIEF, status=1)
        assert "which the kernel refuses" in ended.err
    return refused


def profilers(of):
    """Those among what came from a process."""
    seen = []
    for child in psutil.Process(of).children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it may have ended since
            if child.name() == explaining.PROFILER:
                seen.append(child)
    return seen


@needs("py-spy", "gunicorn")
@pytest.mark.alone
def test_the_burning_function_is_on_top_and_nothing_stays(command):
    if is_refused(command):
        return
    ended = command.run("runbench", "--flame", "--json=-", *WORK, *BRIEF, status=0)
    counted, start = json.loads(ended.out)
    assert counted["flame"] is None
    flame = start["flame"]
    assert flame["samples"] > 300, "10 s of one process that does nothing but Python"
    top = flame["functions"][0]
    assert "target/views" in top["place"], flame
    assert top["is_project"]
    assert top["own_percent"] > 50
    assert [one["code"] for one in start["findings"] if one["level"] == "invalid"] != []
    assert "CPU time of gunicorn-sync by own time" in ended.err
    assert command.left_in_temporary_folder() == []


@needs("py-spy", "gunicorn")
def test_ctrl_c_in_the_profile_leaves_nothing(command):
    if is_refused(command):
        return
    with command.start("runbench", "--flame", *WORK, *BRIEF) as process:
        at_work: list[psutil.Process] = []
        wait_for("a profiler", lambda: at_work.extend(profilers(process.pid)) or at_work, 60)
        process.send_signal(signal.SIGINT)
        ended = command.wait(process)
    assert ended.status == 130, ended.err
    assert not any(map(psutil.Process.is_running, at_work))
    assert command.left_in_temporary_folder() == []


STUBS = {
    "hangs": "trap '' INT TERM; while :; do sleep 0.1; done",
    "dies": "echo 'Error: Failed to find python version from target process' >&2; exit 1",
    "sees nothing": 'while [ $# -gt 1 ]; do shift; done; : > "$1"; exec sleep 60',
}
SAID = {
    "hangs": "wrote nothing within 0.5 s and was killed",
    "dies": "can't read the server's processes (Failed to find python version from target process)",
    "sees nothing": "saw no Python code at work",
}


@needs("waitress")
@pytest.mark.parametrize("how", audited(STUBS, "hangs"))
def test_a_profiler_that_fails_is_told_in_a_sentence_and_ended(how, tmp_path, monkeypatch):
    stub = tmp_path / "py-spy"
    stub.write_text(f"#!/bin/sh\n{STUBS[how]}\n")
    stub.chmod(0o755)
    monkeypatch.setattr(explaining, "ensure_profiler", lambda: str(stub))
    monkeypatch.setattr(explaining, "WRITE_S", 0.5)
    monkeypatch.setattr("benchsuite.core.specs.run.FLAME_S", 2.0)
    spec = page(server="waitress", duration_s=1.0, workload=WorkloadSpec(workload="plain")).profiled
    (result,) = made("testproject.settings.target", spec, start_timeout_s=30.0)
    assert result.status is Status.FAILED
    assert SAID[how] in result.failure
    assert result.diagnosis is None
