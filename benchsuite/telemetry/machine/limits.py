"""What the machine is like: CPUs, memory and limits, as they stand now."""

import os
import resource
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchsuite.core.units import format_bytes, format_count, format_percent
from benchsuite.system.procfs import read_bytes
from benchsuite.telemetry.machine.check import Check, State, graded

GOOD_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen")
SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies")


SWAP_BYTES = 2**26  #: Less than this in swap is what nobody wanted back.

RANGE = "proc/sys/net/ipv4/ip_local_port_range"


def checks(facts: Mapping[str, object], root: Path) -> Iterator[Check]:
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
    _, found, rest = _text(path).partition("some avg10=")
    return float(rest.split()[0]) if found else None


def _text(path: Path) -> str:
    return (read_bytes(str(path)) or b"").decode()
