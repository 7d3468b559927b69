"""Examines a machine before anything is measured on it: what would make every run doubtful."""

import os
import re
import resource
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from benchsuite.core.observations import HostShares
from benchsuite.core.units import format_bytes, format_count, format_percent
from benchsuite.findings.host import noisy
from benchsuite.system import cpus, fingerprint
from benchsuite.system.procfs import read_text
from benchsuite.telemetry.host import Host


class State(StrEnum):
    OK = "ok"
    DOUBTFUL = "doubtful"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    name: str
    state: State
    text: str
    advice: str = ""  #: What to do; empty when nothing need be.


def graded(name: str, value: float, limits: tuple[float, float], text: str, advice: str) -> Check:
    """Doubtful above the first limit, bad above the second; negative where less is worse."""
    doubtful, bad = limits
    state = State.BAD if value > bad else State.DOUBTFUL if value > doubtful else State.OK
    return Check(name=name, state=state, text=text, advice="" if state is State.OK else advice)


IF_SO = (0, 1)  #: Limits of what is doubtful if it is so, and never bad.
GOOD_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen")
SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies")
CACHED = re.compile(r"^(?:total_)?inactive_file (\d+)", re.M)  #: Of a group, in bytes.


def limit_checks(facts: Mapping[str, object], root: Path) -> Iterator[Check]:
    """`facts` is the machine's fingerprint, `root` where /proc is."""
    proc = root / "proc"
    usable = len(os.sched_getaffinity(0))
    advice = "target and load share one CPU: compare, but don't quote"
    yield graded("CPUs", usable < 2, IF_SO, f"{usable} usable", advice)
    quota, *period = str(facts.get("cgroup_cpu_max") or "max").split()
    limited = quota.isdecimal()
    whole = float((*period, "100000")[0])  # where only the quota is known, the kernel's own
    text = f"the control group allows {float(quota) / whole:.3g} CPUs" if limited else "none"
    advice = "remove it: it holds the run back for the rest of each period"
    yield graded("CPU limit", limited, IF_SO, text, advice)
    governor = facts.get("cpu_governor")
    unsteady, text = governor not in (None, "performance"), str(governor or "not visible")
    advice = "cpupower frequency-set --governor performance"
    yield graded("governor", unsteady, IF_SO, text, advice)
    clock = str(facts.get("clocksource") or "unknown")
    advice = "reading the time is slow or coarse with it"
    badness = 0 if clock in GOOD_CLOCKS else 2 if clock in SLOW_CLOCKS else 1
    yield graded("clock source", badness, (0, 1), clock, advice)
    count, load = os.cpu_count() or 1, read_text(proc / "loadavg").split()[:1]
    if load:
        text = f"{load[0]} over the last minute, on {count} CPUs"
        advice = "something was running just now: wait a minute, or find out what it was"
        yield graded("load average", float(load[0]) / count, (0.5, 1.0), text, advice)
    # by the avg10 of the line "some avg10=1.23 …", in percent
    _, separator, pressure = read_text(proc / "pressure/cpu").partition("some avg10=")
    if separator:
        percent = float(pressure.split()[0])
        text = f"something waited for a CPU {format_percent(percent)} of the last 10 s"
        yield graded("CPU pressure", percent, (10, 40), text, "stop other programs")
    if memory := min(_memory(root), default=None):
        free, total, within = memory
        text = f"{format_bytes(max(0, free))} of {format_bytes(total)} available{within}"
        advice = "free some: the target must not wait for memory"
        yield graded("memory", 100 * (1 - free / total), (80, 95), text, advice)
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    many = files == resource.RLIM_INFINITY
    text = "unlimited" if many else f"{format_count(files)} a process"
    advice = "ulimit -n 65536: each connection is an open file"
    yield graded("open files", 0.0 if many else -float(files), (-4096, -1024), text, advice)
    ports = read_text(proc / "sys/net/ipv4/ip_local_port_range") or "32768 60999"
    low, high = map(int, ports.split())
    sockets = read_text(proc / "net/sockstat").split("TCP:")[-1].split()
    waiting = int(sockets[sockets.index("tw") + 1]) if "tw" in sockets else 0
    count = high - low + 1
    text = f"{format_count(count)} for outgoing connections"
    text += f", {format_count(waiting)} of them in TIME_WAIT"
    advice = "wait a minute; sysctl net.ipv4.ip_local_port_range='1024 65000' makes more available"
    yield graded("ports", 100 * waiting / count, (25, 75), text, advice)


def _memory(root: Path) -> Iterator[tuple[int, int, str]]:
    """Bytes that are free, and all, of the machine and of each control group that limits them."""
    lines = (line.partition(":") for line in read_text(root / "proc/meminfo").splitlines())
    info = {name: int(value.split()[0]) * 1024 for name, _, value in lines}
    if "MemTotal" in info and "MemAvailable" in info:
        yield info["MemAvailable"], info["MemTotal"], ""
    for folder in cpus.cgroup_folders("memory", cpus.own_cgroup(root), root):
        limit = read_text(folder / "memory.max") or read_text(folder / "memory.limit_in_bytes")
        used = read_text(folder / "memory.current") or read_text(folder / "memory.usage_in_bytes")
        # what was read from files is given back when it is needed
        cached = CACHED.search(read_text(folder / "memory.stat"))
        if limit.strip().isdigit() and used.strip().isdigit():
            free = int(limit) - int(used) + int(cached[1] if cached else 0)
            yield free, int(limit), " in the control group"


GAP_S = 0.0001  #: A loop that does nothing else is never held up so long, unless it lost its CPU.
SAMPLE_S = 0.3  #: The kernel counts CPU time in hundredths of a second: less would be rounding.


def observe(seconds: float) -> tuple[HostShares | None, float]:
    """Keeps one CPU busy so long: what others took, and the percent of time that it lost."""
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
    return host.shares(host.looks[0].at, host.looks[-1].at), 100 * lost_s / seconds


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
        doubts = [check.text for check in checks if check.state is not State.OK]
        return f"The machine is not quiet: {'; '.join(doubts)}. See checkbench." if doubts else ""


def noise_checks(host: HostShares | None, lost_percent: float) -> Iterator[Check]:
    yield from _of_others(host)
    text = f"a busy loop did not run for {format_percent(lost_percent)} of the time"
    advice = "other programs or the hypervisor take the CPU: stop them, or use another machine"
    yield graded("lost time", lost_percent, (1, 5), text, advice)


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
    """All checks, in the order of putting things right; takes a second."""
    yield from noise_checks(*observe(1.0))
    yield from limit_checks(fingerprint.fingerprint(), Path("/"))
