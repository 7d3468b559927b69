"""Runs that the machine disturbs: B102 again, B401 and B402."""

import psutil
import pytest

from benchsuite.core.results import Level
from benchsuite.telemetry import devices, host
from benchsuite.telemetry.devices import Memory
from tests.sabotage.apart import Task, run_apart
from tests.sabotage.groups import limited
from tests.sabotage.runs import findings, found, message, only, told
from tests.sabotage.saboteurs import (
    clock_set,
    held_back,
    load_process,
    neighbours,
    server_processes,
)

pytestmark = pytest.mark.alone

STEP_S = 30.0


def test_b401_neighbours_take_the_cpus(lab):
    with neighbours():
        result = lab.run()
    only(result, "B401", Level.INVALID, "went to other programs")


def test_b401_a_control_group_holds_everything_back(lab, tmp_path, monkeypatch):
    """The group is a real one where groups can be made; elsewhere its counters are written by the
    test.
    """
    with limited(percent=30) as join:
        if join is not None:
            result = run_apart(Task.PLAIN, tmp_path, join)
        else:
            result = _counted_as_throttled(lab, tmp_path, monkeypatch)
    assert findings(result, "B401")[0].level is Level.INVALID, told(result)
    assert "held the run back in" in message(result, "B401")


def test_b401_a_control_group_holds_the_server_back(lab):
    """A group of its own, as a container or a unit of systemd has it."""
    with limited(percent=15) as join:
        if join is None:
            pytest.skip("needs a control group with a limit of CPU time")
        acts = {"at_ready": lambda: join(*(one.pid for one in server_processes()))}
        result = lab.run(path="/well/?ms=0", duration_s=3.0, **acts)
    assert findings(result, "B401")[0].level is Level.INVALID, told(result)
    assert "held the run back in" in message(result, "B401")


def _counted_as_throttled(lab, tmp_path, monkeypatch):
    counters = tmp_path / "cpu.stat"
    seconds = iter(range(1000))

    def write():
        second = next(seconds)
        counters.write_text(f"nr_periods {10 * second}\nnr_throttled {9 * second}\n")

    write()
    monkeypatch.setattr(host.cpus, "cgroup_folders", lambda *_: [tmp_path])
    return lab.run(at_second={0.1 + second: write for second in range(5)})


def test_b401_somebody_limits_the_server(lab):
    """As cpulimit does: by stopping it for a part of each tenth of a second."""
    result = _with_limit(lab, lambda: server_processes()[-1].pid)
    assert "stopped" in message(result, "B401"), told(result)


def test_b102_somebody_limits_the_generator(lab):
    result = _with_limit(lab, lambda: load_process().pid)
    assert findings(result, "B102")[0].level is Level.INVALID, told(result)


def _with_limit(lab, pid):
    with held_back() as limit:
        return lab.run(duration_s=3.5, at_second={0.0: lambda: limit(pid())})


def test_b402_the_wall_clock_is_set(lab):
    with clock_set(STEP_S) as act:
        result = lab.run(duration_s=2.0, at_second={1.5: act})
    only(result, "B402", Level.WEAK, "the wall clock was set by 30")


def test_b402_the_machine_is_paused(tmp_path):
    """The run's own process is stopped for longer than a busy machine would hold it up."""
    result = run_apart(Task.PAUSE, tmp_path)
    only(result, "B402", Level.WEAK, "no reading came for")


def test_b405_something_can_not_be_read(lab, monkeypatch):
    def refuse(device, snapshot):
        raise PermissionError("smaps_rollup is not for you")

    monkeypatch.setattr(Memory, "sample", refuse)
    result = lab.run()
    only(result, "B405", Level.INFO, "target, Memory: PermissionError: smaps_rollup")
    assert {one.memory_bytes for one in result.readings} == {None}
    assert any(one.cpu_percent is not None for one in result.readings), "the others were read"


def test_b404_the_cpus_become_slower(lab, monkeypatch):
    """Nobody can be made to slow down a machine: the piece of work becomes a longer one."""

    def slower():
        monkeypatch.setattr(devices, "EXPONENT", (1 << 160) - 1)

    words = "on the CPUs of the target it rose by"
    found("B404", lambda: lab.run(duration_s=11.0, at_second={6.0: slower}), words=words)


def test_what_a_daemon_of_the_target_uses_is_the_targets(lab):
    """It is in the target's figures, no program beside it, and ended with it."""
    daemons: list[int] = []

    def look():
        for process in psutil.process_iter(["cmdline"]):
            if any("DAEMON = " in word for word in process.info["cmdline"] or ()):
                daemons.append(process.pid)

    result = lab.run(path="/daemon/", processes=1, duration_s=3.0, at_second={2.0: look})
    [daemon] = daemons
    readings = [one for one in result.readings if one.part == "target"]
    assert max(one.processes or 0 for one in readings) == 3, "a master, a worker and the daemon"
    assert max(one.cpu_percent or 0 for one in readings) > 25, told(result)
    assert f"({daemon})" not in message(result, "B401"), told(result)
    assert not psutil.pid_exists(daemon)
