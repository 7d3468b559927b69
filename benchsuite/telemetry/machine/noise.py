"""Whether the machine is quiet: what a process that wants a CPU sees of others."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass

from benchsuite.core.observations import HostShares
from benchsuite.core.units import format_duration, format_percent
from benchsuite.findings.host import noisy
from benchsuite.telemetry.host import Host
from benchsuite.telemetry.machine.check import Check, State, graded

GAP_S = 0.0001  #: A loop that does nothing else is never held up so long, unless it lost its CPU.

SLEEP_S = 0.001
SLEEPS = 200
SAMPLE_S = 0.3  #: The kernel counts CPU time in hundredths of a second: less would be rounding.


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """What a process that wants a CPU sees of others."""

    host: HostShares | None
    lost_percent: float  #: Share of the time in which a busy loop did not run.
    late_s: float  #: By how much 99 of 100 short sleeps were exceeded at most.


def observe(seconds: float) -> Noise:
    """Keeps one CPU busy so long, and sees what comes between."""
    host = Host(cpus=os.cpu_count() or 1)
    host.look()
    lost_s = _spin(seconds)
    host.look()
    late = sorted(_overshoot() for _ in range(SLEEPS))
    return Noise(
        host=host.shares(host.looks[0].at, host.looks[-1].at),
        lost_percent=100 * lost_s / seconds,
        late_s=late[int(0.99 * SLEEPS) - 1],
    )


class HostSample:
    """A short look at the machine: what others do from its making to `line()`."""

    def __init__(self) -> None:
        self._host = Host(cpus=os.cpu_count() or 1)
        self._host.look()

    def line(self) -> str:
        """What makes the machine unquiet, in a line; empty when nothing does."""
        first = self._host.looks[0].at
        time.sleep(max(0.0, first + SAMPLE_S - time.monotonic()))
        self._host.look()
        checks = _from_host(self._host.shares(first, time.monotonic()))
        told = [check.found for check in checks if check.state is not State.OK]
        return f"The machine is not quiet: {'; '.join(told)}. See checkbench." if told else ""


def checks(seen: Noise) -> Iterator[Check]:
    yield from _from_host(seen.host)
    yield graded(
        "lost time",
        seen.lost_percent,
        (1, 5),
        f"a busy loop did not run for {format_percent(seen.lost_percent)} of the time",
        "other programs or the hypervisor take the CPU: stop them, or use another machine",
    )
    yield graded(
        "sleep",
        seen.late_s,
        (0.001, 0.005),
        f"a sleep of {format_duration(SLEEP_S)} lasts up to {format_duration(seen.late_s)} longer",
        "the scheduler is late: stop other programs; deep sleep states of the CPU cause it, too",
    )


def _from_host(host: HostShares | None) -> Iterator[Check]:
    if host is None:
        return
    rule = noisy.rule
    if host.others_percent is not None:
        culprit = f", most of it {host.culprit}" if host.culprit else ""
        yield graded(
            "other programs",
            host.others_percent,
            (rule.weak, rule.invalid),
            f"other programs use {format_percent(host.others_percent)} of the CPUs{culprit}",
            "stop them before measuring",
        )
    if host.steal_percent is not None:
        yield graded(
            "steal",
            host.steal_percent,
            (2, 10),
            f"the hypervisor gives {format_percent(host.steal_percent)} of the CPUs' time to "
            "others",
            "use a machine with dedicated CPUs",
        )
    if host.throttled_percent is not None:
        yield graded(
            "throttling",
            host.throttled_percent,
            (0, rule.invalid),
            f"the CPU limit held this back in {format_percent(host.throttled_percent)} of periods",
            "raise or remove the CPU limit of the container or service",
        )


def _spin(seconds: float) -> float:
    """Seconds lost in gaps of a loop that only reads the clock."""
    lost_s = 0.0
    last = time.monotonic()
    end = last + seconds
    while last < end:
        now = time.monotonic()
        if now - last > GAP_S:
            lost_s += now - last
        last = now
    return lost_s


def _overshoot() -> float:
    began = time.monotonic()
    time.sleep(SLEEP_S)
    return time.monotonic() - began - SLEEP_S
