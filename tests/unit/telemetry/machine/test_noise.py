"""What others take, told as checks and in a line."""

import pytest

from benchsuite.core.observations import HostShares
from benchsuite.telemetry import machine
from benchsuite.telemetry.machine import Noise, State


def states(seen: Noise) -> dict[str, State]:
    return {one.name: one.state for one in machine.noise_checks(seen) if one.state is not State.OK}


def test_a_quiet_machine() -> None:
    host = HostShares(steal_percent=0.5, others_percent=4.0, throttled_percent=0.0)
    assert states(Noise(host=host, lost_percent=0.5, late_s=0.0002)) == {}
    assert states(Noise(host=None, lost_percent=0.5, late_s=0.0002)) == {}


def test_a_noisy_machine() -> None:
    host = HostShares(steal_percent=3, others_percent=30, culprit="make (7)", throttled_percent=1)
    seen = Noise(host=host, lost_percent=6.0, late_s=0.002)
    assert states(seen) == {
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


def test_a_host_sample_says_nothing_of_a_quiet_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "Host", Host)
    for quiet in (None, HostShares(others_percent=5.0, steal_percent=2.0)):
        monkeypatch.setattr(Host, "shares_seen", quiet)
        assert machine.HostSample().line() == ""


def test_a_host_sample_names_who_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "Host", Host)
    monkeypatch.setattr(Host, "shares_seen", HostShares(others_percent=40.0, culprit="make (7)"))
    line = machine.HostSample().line()
    assert "The machine is not quiet: other programs use 40.0" in line
    assert "make (7)" in line
