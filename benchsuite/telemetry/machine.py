"""Examines a machine before anything is measured on it: what would make every run doubtful."""

import os
import resource
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from benchsuite.core.observations import HostShares
from benchsuite.core.units import format_bytes, format_count, format_duration, format_percent
from benchsuite.findings.host import noisy
from benchsuite.system import fingerprint
from benchsuite.system.procfs import read_bytes
from benchsuite.telemetry.host import Host


class State(StrEnum):
    OK = "ok"
    DOUBTFUL = "doubtful"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: State
    found: str
    advice: str = ""  #: What to do; empty when nothing need be.


def graded(name: str, value: float, limits: tuple[float, float], text: str, advice: str) -> Check:
    """Doubtful above the first limit, bad above the second; negative where less is worse."""
    doubtful, bad = limits
    state = State.BAD if value > bad else State.DOUBTFUL if value > doubtful else State.OK
    return Check(name=name, state=state, found=text, advice="" if state is State.OK else advice)


GOOD_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen")
SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies")


SWAP_BYTES = 2**26  #: Less than this in swap is what nobody wanted back.

RANGE = "proc/sys/net/ipv4/ip_local_port_range"


def limit_checks(facts: Mapping[str, object], root: Path) -> Iterator[Check]:
    """`facts` is the machine's fingerprint, `root` where /proc is."""
    yield from _cpus(facts)
    yield from _busy(root)
    yield from _memory(root)
    yield from _limits(facts, root)


def _cpus(facts: Mapping[str, object]) -> Iterator[Check]:
    usable = len(os.sched_getaffinity(0))
    yield Check(
        name="CPUs",
        state=State.OK if usable > 1 else State.DOUBTFUL,
        found=f"{usable} usable",
        advice="" if usable > 1 else "target and load share one CPU: compare, but don't quote",
    )
    quota = str(facts.get("cgroup_cpu_max") or "max")
    limited = quota.split()[0] not in ("max", "-1", "unlimited")
    yield Check(
        name="CPU limit",
        state=State.DOUBTFUL if limited else State.OK,
        found=f"limited by the control group: {quota}" if limited else "none",
        advice="remove it: it holds the run back for the rest of each period" if limited else "",
    )
    governor = facts.get("cpu_governor")
    steady = governor in (None, "performance")
    yield Check(
        name="governor",
        state=State.OK if steady else State.DOUBTFUL,
        found=str(governor or "not visible"),
        advice="" if steady else "cpupower frequency-set --governor performance",
    )
    turbo = facts.get("cpu_turbo")
    yield Check(
        name="turbo",
        state=State.DOUBTFUL if turbo else State.OK,
        found="not visible" if turbo is None else "on" if turbo else "off",
        advice="the clock rate depends on heat and neighbours: switch turbo off in the firmware"
        if turbo
        else "",
    )
    clock = str(facts.get("clocksource") or "unknown")
    yield Check(
        name="clock source",
        state=State.OK
        if clock in GOOD_CLOCKS
        else State.BAD
        if clock in SLOW_CLOCKS
        else State.DOUBTFUL,
        found=clock,
        advice="" if clock in GOOD_CLOCKS else "reading the time is slow or coarse with it",
    )


def _busy(root: Path) -> Iterator[Check]:
    cpus = os.cpu_count() or 1
    load = _text(root / "proc/loadavg").split()[:1]
    if load:
        yield graded(
            "load average",
            float(load[0]) / cpus,
            (0.5, 1.0),
            f"{load[0]} over the last minute, on {cpus} CPUs",
            "something was running just now: wait a minute, or find out what it was",
        )
    pressure = _pressure(root / "proc/pressure/cpu")
    if pressure is not None:
        yield graded(
            "CPU pressure",
            pressure,
            (10, 40),
            f"something waited for a CPU {format_percent(pressure)} of the last 10 s",
            "stop other programs",
        )


def _memory(root: Path) -> Iterator[Check]:
    info = {
        name: int(value.split()[0]) * 1024
        for name, _, value in (
            line.partition(":") for line in _text(root / "proc/meminfo").splitlines()
        )
    }
    total, free = info.get("MemTotal"), info.get("MemAvailable")
    if total and free is not None:
        yield graded(
            "memory",
            100 * (1 - free / total),
            (80, 95),
            f"{format_bytes(free)} of {format_bytes(total)} available",
            "free some: the target must not wait for memory",
        )
    swapped = info.get("SwapTotal", 0) - info.get("SwapFree", 0)
    yield Check(
        name="swap",
        state=State.DOUBTFUL if swapped > SWAP_BYTES else State.OK,
        found=f"{format_bytes(swapped)} in use" if swapped else "not in use",
        advice="pages that come back from disk take milliseconds: swapoff --all && swapon --all"
        if swapped > SWAP_BYTES
        else "",
    )
    waiting = _pressure(root / "proc/pressure/memory")
    if waiting is not None:
        yield graded(
            "memory pressure",
            waiting,
            (1, 10),
            f"something waited for memory {format_percent(waiting)} of the last 10 s",
            "free memory",
        )


def _limits(facts: Mapping[str, object], root: Path) -> Iterator[Check]:
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    many = files == resource.RLIM_INFINITY
    yield graded(
        "open files",
        0.0 if many else -float(files),
        (-4096, -1024),
        "unlimited" if many else f"{format_count(files)} a process",
        "ulimit -n 65536: each connection is an open file",
    )
    low, high = (int(part) for part in (_text(root / RANGE) or "32768 60999").split())
    sockets = _text(root / "proc/net/sockstat").split("TCP:")[-1].split()
    waiting = int(sockets[sockets.index("tw") + 1]) if "tw" in sockets else 0
    yield graded(
        "ports",
        100 * waiting / (high - low + 1),
        (25, 75),
        f"{format_count(high - low + 1)} for outgoing connections, {format_count(waiting)} of "
        "them in TIME_WAIT",
        "wait a minute; sysctl net.ipv4.ip_local_port_range='1024 65000' makes more available",
    )
    backlog = facts.get("somaxconn")
    if isinstance(backlog, str) and backlog.isdigit():
        yield graded(
            "listen queue",
            -float(backlog),
            (-1024, -128),
            f"at most {backlog} connections may wait to be accepted",
            "sysctl net.core.somaxconn=4096: servers can't have longer queues than this",
        )


def _pressure(path: Path) -> float | None:
    """The avg10 of the line "some avg10=1.23 …", in percent."""
    _, separator, rest = _text(path).partition("some avg10=")
    return float(rest.split()[0]) if separator else None


def _text(path: Path) -> str:
    return (read_bytes(str(path)) or b"").decode()


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
        noise_checks = _from_host(self._host.shares(first, time.monotonic()))
        doubts = [check.found for check in noise_checks if check.state is not State.OK]
        return f"The machine is not quiet: {'; '.join(doubts)}. See checkbench." if doubts else ""


def noise_checks(seen: Noise) -> Iterator[Check]:
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


__all__ = ["Check", "HostSample", "State", "examine"]


def examine(*, seconds: float = 1.0, root: Path = Path("/")) -> Iterator[Check]:
    """All checks, in the order in which one would put things right; takes a little more than
    `seconds`.
    """
    yield from noise_checks(observe(seconds))
    yield from limit_checks(fingerprint.fingerprint(), root)
