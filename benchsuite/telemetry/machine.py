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
from benchsuite.system.procfs import read_text
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


IF_SO = (0, 1)  #: Limits of what is doubtful if it is so, and never bad.
GOOD_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen")
SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies")
SWAP_BYTES = 2**26  #: Less than this in swap is what nobody wanted back.


def limit_checks(facts: Mapping[str, object], root: Path) -> Iterator[Check]:
    """`facts` is the machine's fingerprint, `root` where /proc is."""
    yield from _of_cpus(facts, root / "proc")
    yield from _of_memory(root / "proc")
    yield from _of_network(facts, root / "proc")


def _of_cpus(facts: Mapping[str, object], proc: Path) -> Iterator[Check]:
    usable = len(os.sched_getaffinity(0))
    advice = "target and load share one CPU: compare, but don't quote"
    yield graded("CPUs", usable < 2, IF_SO, f"{usable} usable", advice)
    quota = str(facts.get("cgroup_cpu_max") or "max")
    limited = quota.split()[0] not in ("max", "-1", "unlimited")
    text = f"limited by the control group: {quota}" if limited else "none"
    advice = "remove it: it holds the run back for the rest of each period"
    yield graded("CPU limit", limited, IF_SO, text, advice)
    governor = facts.get("cpu_governor")
    unsteady, text = governor not in (None, "performance"), str(governor or "not visible")
    advice = "cpupower frequency-set --governor performance"
    yield graded("governor", unsteady, IF_SO, text, advice)
    turbo = facts.get("cpu_turbo")
    text = "not visible" if turbo is None else "on" if turbo else "off"
    advice = "the clock rate depends on heat and neighbours: switch turbo off in the firmware"
    yield graded("turbo", bool(turbo), IF_SO, text, advice)
    clock = str(facts.get("clocksource") or "unknown")
    advice = "reading the time is slow or coarse with it"
    badness = 0 if clock in GOOD_CLOCKS else 2 if clock in SLOW_CLOCKS else 1
    yield graded("clock source", badness, (0, 1), clock, advice)
    cpus, load = os.cpu_count() or 1, read_text(proc / "loadavg").split()[:1]
    if load:
        yield graded(
            "load average",
            float(load[0]) / cpus,
            (0.5, 1.0),
            f"{load[0]} over the last minute, on {cpus} CPUs",
            "something was running just now: wait a minute, or find out what it was",
        )
    yield from _pressure(proc, "cpu", "a CPU", (10, 40), "stop other programs")


def _of_memory(proc: Path) -> Iterator[Check]:
    lines = (line.partition(":") for line in read_text(proc / "meminfo").splitlines())
    info = {name: int(value.split()[0]) * 1024 for name, _, value in lines}
    total, free = info.get("MemTotal"), info.get("MemAvailable")
    if total and free is not None:
        text = f"{format_bytes(free)} of {format_bytes(total)} available"
        advice = "free some: the target must not wait for memory"
        yield graded("memory", 100 * (1 - free / total), (80, 95), text, advice)
    swapped = info.get("SwapTotal", 0) - info.get("SwapFree", 0)
    text = f"{format_bytes(swapped)} in use" if swapped else "not in use"
    advice = "pages that come back from disk take milliseconds: swapoff --all && swapon --all"
    yield graded("swap", swapped > SWAP_BYTES, IF_SO, text, advice)
    yield from _pressure(proc, "memory", "memory", (1, 10), "free memory")


def _of_network(facts: Mapping[str, object], proc: Path) -> Iterator[Check]:
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    many = files == resource.RLIM_INFINITY
    text = "unlimited" if many else f"{format_count(files)} a process"
    advice = "ulimit -n 65536: each connection is an open file"
    yield graded("open files", 0.0 if many else -float(files), (-4096, -1024), text, advice)
    ports = read_text(proc / "sys/net/ipv4/ip_local_port_range") or "32768 60999"
    low, high = map(int, ports.split())
    sockets = read_text(proc / "net/sockstat").split("TCP:")[-1].split()
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
        text = f"at most {backlog} connections may wait to be accepted"
        advice = "sysctl net.core.somaxconn=4096: servers can't have longer queues than this"
        yield graded("listen queue", -float(backlog), (-1024, -128), text, advice)


def _pressure(
    proc: Path, name: str, awaited: str, limits: tuple[float, float], advice: str
) -> Iterator[Check]:
    """By the avg10 of the line "some avg10=1.23 …", in percent."""
    _, separator, rest = read_text(proc / "pressure" / name).partition("some avg10=")
    if separator:
        percent = float(rest.split()[0])
        text = f"something waited for {awaited} {format_percent(percent)} of the last 10 s"
        title = f"{name.upper() if name == 'cpu' else name} pressure"
        yield graded(title, percent, limits, text, advice)


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
    lost_s = 0.0  # in gaps of a loop that only reads the clock
    last = time.monotonic()
    end = last + seconds
    while last < end:
        now = time.monotonic()
        if now - last > GAP_S:
            lost_s += now - last
        last = now
    host.look()
    late = []
    for _ in range(SLEEPS):
        begin = time.monotonic()
        time.sleep(SLEEP_S)
        late.append(time.monotonic() - begin - SLEEP_S)
    return Noise(
        host=host.shares(host.looks[0].at, host.looks[-1].at),
        lost_percent=100 * lost_s / seconds,
        late_s=sorted(late)[int(0.99 * SLEEPS) - 1],
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
        checks = _of_others(self._host.shares(first, time.monotonic()))
        doubts = [check.found for check in checks if check.state is not State.OK]
        return f"The machine is not quiet: {'; '.join(doubts)}. See checkbench." if doubts else ""


def noise_checks(seen: Noise) -> Iterator[Check]:
    yield from _of_others(seen.host)
    text = f"a busy loop did not run for {format_percent(seen.lost_percent)} of the time"
    advice = "other programs or the hypervisor take the CPU: stop them, or use another machine"
    yield graded("lost time", seen.lost_percent, (1, 5), text, advice)
    late = format_duration(seen.late_s)
    text = f"a sleep of {format_duration(SLEEP_S)} lasts up to {late} longer"
    advice = (
        "the scheduler is late: stop other programs; deep sleep states of the CPU cause it, too"
    )
    yield graded("sleep", seen.late_s, (0.001, 0.005), text, advice)


def _of_others(host: HostShares | None) -> Iterator[Check]:
    if host is None:
        return
    rule = noisy.rule
    if (percent := host.others_percent) is not None:
        culprit = f", most of it {host.culprit}" if host.culprit else ""
        text = f"other programs use {format_percent(percent)} of the CPUs{culprit}"
        limits = rule.weak, rule.invalid
        yield graded("other programs", percent, limits, text, "stop them before measuring")
    if (percent := host.steal_percent) is not None:
        text = f"the hypervisor gives {format_percent(percent)} of the CPUs' time to others"
        yield graded("steal", percent, (2, 10), text, "use a machine with dedicated CPUs")
    if (percent := host.throttled_percent) is not None:
        text = f"the CPU limit held this back in {format_percent(percent)} of periods"
        advice = "raise or remove the CPU limit of the container or service"
        yield graded("throttling", percent, (0, rule.invalid), text, advice)


def examine() -> Iterator[Check]:
    """All checks, in the order of putting things right; takes a little more than a second."""
    yield from noise_checks(observe(1.0))
    yield from limit_checks(fingerprint.fingerprint(), Path("/"))
