"""What checkbench looks at before a run."""

import resource
from pathlib import Path
from typing import Any

import pytest

from benchsuite.core.observations import HostShares
from benchsuite.telemetry import machine
from benchsuite.telemetry.machine import Noise, State, graded

FACTS = {
    "cgroup_cpu_max": "max 100000",
    "cpu_governor": "performance",
    "cpu_turbo": False,
    "clocksource": "tsc",
    "somaxconn": "4096",
}


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A quiet machine of two CPUs."""
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0, 1})
    monkeypatch.setattr(resource, "getrlimit", lambda which: (65536, 65536))
    write(tmp_path, "loadavg", "0.10 0.20 0.30 1/99 5")
    write(tmp_path, "pressure/cpu", "some avg10=0.50 avg60=1.00 avg300=1.00 total=5")
    write(tmp_path, "pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5")
    memory(tmp_path)
    write(tmp_path, "net/sockstat", "sockets: used 9\nTCP: inuse 5 orphan 0 tw 6 alloc 8 mem 1")
    write(tmp_path, "sys/net/ipv4/ip_local_port_range", "32768\t60999")
    return tmp_path


def write(root: Path, path: str, text: str) -> None:
    file = root / "proc" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + "\n")


def memory(root: Path, *, available: int = 8_000_000, swap_free: int = 1_000_000) -> None:
    lines = (
        "MemTotal: 9000000 kB",
        f"MemAvailable: {available} kB",
        "SwapTotal: 1000000 kB",
        f"SwapFree: {swap_free} kB",
    )
    write(root, "meminfo", "\n".join(lines))


def states(root: Path, **facts: Any) -> dict[str, State]:
    """Whatever is not ok."""
    checks = list(machine.limit_checks({**FACTS, **facts}, root))
    assert all(bool(check.advice) == (check.state is not State.OK) for check in checks)
    return {check.name: check.state for check in checks if check.state is not State.OK}


def test_a_good_machine(root):
    assert states(root) == {}
    assert len(list(machine.limit_checks(FACTS, root))) == 13


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"cgroup_cpu_max": "150000 100000"}, {"CPU limit": State.DOUBTFUL}),
        ({"cgroup_cpu_max": "-1"}, {}),
        ({"cgroup_cpu_max": None}, {}),
        ({"cpu_governor": "powersave"}, {"governor": State.DOUBTFUL}),
        ({"cpu_governor": None, "cpu_turbo": None}, {}),
        ({"cpu_turbo": True}, {"turbo": State.DOUBTFUL}),
        ({"clocksource": "hpet"}, {"clock source": State.BAD}),
        ({"clocksource": "something"}, {"clock source": State.DOUBTFUL}),
        ({"somaxconn": "1023"}, {"listen queue": State.DOUBTFUL}),
        ({"somaxconn": "100"}, {"listen queue": State.BAD}),
    ],
)
def test_facts(root, facts, expected):
    assert states(root, **facts) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("loadavg", "1.01 1 1 1/9 1", {"load average": State.DOUBTFUL}),
        ("loadavg", "2.01 1 1 1/9 1", {"load average": State.BAD}),
        ("pressure/cpu", "some avg10=10.1 avg60=0", {"CPU pressure": State.DOUBTFUL}),
        ("pressure/memory", "some avg10=10.1 avg60=0", {"memory pressure": State.BAD}),
        ("net/sockstat", "TCP: inuse 5 orphan 0 tw 9000 alloc 8", {"ports": State.DOUBTFUL}),
        ("net/sockstat", "TCP: inuse 5 orphan 0 tw 25000 alloc 8", {"ports": State.BAD}),
    ],
)
def test_counters(root, path, text, expected):
    write(root, path, text)
    assert states(root) == expected


def test_memory_and_swap(root):
    memory(root, available=1_000_000, swap_free=900_000)
    assert states(root) == {"memory": State.DOUBTFUL, "swap": State.DOUBTFUL}
    memory(root, available=100_000, swap_free=990_000)
    assert states(root) == {"memory": State.BAD}


def test_open_files_and_one_cpu(root, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda which: (1024, 4096))
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0})
    assert states(root) == {"open files": State.DOUBTFUL, "CPUs": State.DOUBTFUL}
    monkeypatch.setattr(resource, "getrlimit", lambda which: (1023, 4096))
    assert states(root)["open files"] is State.BAD


def test_a_machine_that_tells_little(tmp_path):
    names = {check.name for check in machine.limit_checks({}, tmp_path)}
    assert names == {
        "CPUs",
        "CPU limit",
        "governor",
        "turbo",
        "clock source",
        "swap",
        "open files",
        "ports",
    }


@pytest.mark.parametrize(
    ("value", "state"),
    [(1, State.OK), (1.1, State.DOUBTFUL), (5, State.DOUBTFUL), (5.1, State.BAD)],
)
def test_grades(value, state):
    check = graded("lag", value, (1, 5), "found", "do this")
    assert check.state is state
    assert check.advice == ("" if state is State.OK else "do this")


def states_noise(seen: Noise) -> dict[str, State]:
    return {one.name: one.state for one in machine.noise_checks(seen) if one.state is not State.OK}


def test_a_quiet_machine():
    host = HostShares(steal_percent=0.5, others_percent=4.0, throttled_percent=0.0)
    assert states_noise(Noise(host=host, lost_percent=0.5, late_s=0.0002)) == {}
    assert states_noise(Noise(host=None, lost_percent=0.5, late_s=0.0002)) == {}


def test_a_noisy_machine():
    host = HostShares(steal_percent=3, others_percent=30, culprit="make (7)", throttled_percent=1)
    seen = Noise(host=host, lost_percent=6.0, late_s=0.002)
    assert states_noise(seen) == {
        "other programs": State.BAD,
        "steal": State.DOUBTFUL,
        "throttling": State.DOUBTFUL,
        "lost time": State.BAD,
        "sleep": State.DOUBTFUL,
    }
    assert any("make (7)" in check.found for check in machine.noise_checks(seen))


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
