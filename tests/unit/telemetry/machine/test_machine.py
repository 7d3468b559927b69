"""What checkbench looks at before a run."""

import resource
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchsuite.core.observations import HostShares
from benchsuite.telemetry import machine
from benchsuite.telemetry.machine import Check, State

FACTS = {"cgroup_cpu_max": "max 100000", "cpu_governor": "performance", "clocksource": "tsc"}
QUIET = {
    "loadavg": "0.10 0.20 0.30 1/99 5",
    "pressure/cpu": "some avg10=0.50 avg60=1.00 avg300=1.00 total=5",
    "meminfo": "MemTotal: 9000000 kB\nMemAvailable: 8000000 kB",
    "net/sockstat": "sockets: used 9\nTCP: inuse 5 orphan 0 tw 6 alloc 8 mem 1",
    "sys/net/ipv4/ip_local_port_range": "32768\t60999",
}
"""Files of /proc of a machine on which nothing else is at work."""
LIMITS = {"files": 65536, "cpus": 2}


def states(proc: Mapping[str, str] = {}, **facts: Any) -> dict[str, str]:
    """Whatever is not ok, and alone has advice."""
    limits = {name: facts.pop(name, LIMITS[name]) for name in LIMITS}
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for path, text in {**QUIET, **proc}.items():
            file = Path(folder, "proc", path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{text}\n")
        patch.setattr("os.cpu_count", lambda: 2)
        patch.setattr("os.sched_getaffinity", lambda pid: set(range(limits["cpus"])))
        patch.setattr(resource, "getrlimit", lambda which: (limits["files"], 65536))
        checks = list(machine.limit_checks({**FACTS, **facts}, Path(folder)))
    assert len(checks) == 9
    return doubts(checks)


def doubts(checks: Iterable[Check]) -> dict[str, str]:
    found = [check for check in checks if check.state is not State.OK or check.advice]
    assert all(check.advice and check.state is not State.OK for check in found)
    return {check.name: check.state.value for check in found}


def test_values(golden):
    golden.values()


class Host:
    """Says what it is told to."""

    shares_seen: HostShares | None = None

    def __init__(self, *, cpus: int) -> None:
        self.looks: list[object] = []

    def look(self) -> None:
        self.looks.append(type("Look", (), {"at": 0.0})())

    def shares(self, begin: float, end: float) -> HostShares | None:
        return self.shares_seen


def test_a_host_sample_says_nothing_of_a_quiet_machine(monkeypatch):
    monkeypatch.setattr(machine, "Host", Host)
    for quiet in (None, HostShares(others_percent=5.0, steal_percent=2.0)):
        monkeypatch.setattr(Host, "shares_seen", quiet)
        assert machine.HostSample().line() == ""


def test_a_host_sample_names_who_is_busy(monkeypatch):
    monkeypatch.setattr(machine, "Host", Host)
    monkeypatch.setattr(Host, "shares_seen", HostShares(others_percent=40.0, culprit="make (7)"))
    line = machine.HostSample().line()
    assert "The machine is not quiet: other programs use 40.0" in line
    assert "make (7)" in line
