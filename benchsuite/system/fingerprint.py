"""The fingerprint of a machine and its software: whatever may change what a benchmark gives. It is
read without starting a process, in well under 0.1 s. What can't be read is None.
"""

import hashlib
import json
import os
import platform
import re
import resource
import socket
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchsuite.core.printable import hidden
from benchsuite.system import cpus, installed
from benchsuite.system.procfs import read_text

VOLATILE = frozenset(
    {"load_1m", "memory_available_bytes", "boot_id", "uptime_s", "memory_total_bytes"}
)
"""Fields that differ between two boots or minutes of one machine, which `digest` leaves out.
Kernels keep some more or less memory for themselves; `memory_gib` stays."""
DISTRIBUTIONS = ("django-benchsuite", "locust", "gevent", "geventhttpclient", "greenlet")
"""What drives the load. What is measured has all its distributions in each run."""
VARIABLES = re.compile(
    r"(PYTHON|MALLOC|MIMALLOC_|TCMALLOC_|GEVENT_)\w*|GLIBC_TUNABLES|LD_PRELOAD|LD_LIBRARY_PATH"
    r"|OMP_NUM_THREADS|WEB_CONCURRENCY|DJANGO_ALLOW_ASYNC_UNSAFE|ASGI_THREADS"
)
"""Environment variables that change speed or behaviour."""
_ABOUT_IMAGES = re.compile(
    r"PYTHON_(VERSION|SHA256|PIP_VERSION|SETUPTOOLS_VERSION|GET_PIP_\w+)|PYTHONANYWHERE\w*"
    r"|PYTHON_?(STARTUP|HISTORY|COLORS|BASIC_REPL|BREAKPOINT)|\w*(TOKEN|KEY|SECRET|PASS)\w*"
)
"""Those that only begin like them: of images and hosts, of consoles, and secrets."""

FILES = {
    "boot_id": "/proc/sys/kernel/random/boot_id",
    "cpu_smt": "/sys/devices/system/cpu/smt/control",
    "cpu_governor": "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "clocksource": "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "swappiness": "/proc/sys/vm/swappiness",
    "somaxconn": "/proc/sys/net/core/somaxconn",
    "ip_local_port_range": "/proc/sys/net/ipv4/ip_local_port_range",
    "tcp_max_syn_backlog": "/proc/sys/net/ipv4/tcp_max_syn_backlog",
    "tcp_tw_reuse": "/proc/sys/net/ipv4/tcp_tw_reuse",
    "tcp_congestion_control": "/proc/sys/net/ipv4/tcp_congestion_control",
}
"""Fields that are what a file holds, with single spaces."""
_UNLIMITED = ("max", "-1", str(2**63 - os.sysconf("SC_PAGE_SIZE")))
"""How control groups say that there is no limit: version 2, and two ways of version 1."""


def fingerprint(pid: int | None = None) -> dict[str, Any]:
    """Flat, JSON-ready facts; CPUs and control groups are those of a process, else of this one."""
    return {
        **{name: " ".join((_text(path) or "").split()) or None for name, path in FILES.items()},
        **_system(),
        **_cpu(pid),
        **_memory(),
        **_limits(pid),
        **{f"python_{name}": value for name, value in installed.facts().items()},
        **{f"version_{name.replace('-', '_')}": installed.version(name) for name in DISTRIBUTIONS},
        "version_sqlite": sqlite3.sqlite_version,
        **{
            f"env_{name}": hidden(value)
            for name, value in sorted(os.environ.items())
            if VARIABLES.fullmatch(name) and not _ABOUT_IMAGES.fullmatch(name)
        },
    }


def digest(data: Mapping[str, Any]) -> str:
    """SHA-256 in hex of what stays between boots: equal digests mean the same environment."""
    stable = {name: value for name, value in data.items() if name not in VOLATILE}
    text = json.dumps(stable, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _system() -> dict[str, Any]:
    release = _pairs("/etc/os-release", "=")
    flags = _pairs("/proc/cpuinfo", ":").get("flags", "").split()
    hypervisor = "hypervisor" in flags and (_text("/sys/class/dmi/id/sys_vendor") or "unknown")
    return {
        "hostname": socket.gethostname(),
        "system": platform.system(),
        "kernel": platform.release(),
        "kernel_build": os.uname().version,
        "machine": platform.machine(),
        "distribution": release.get("PRETTY_NAME", "").strip('"') or None,
        "libc": " ".join(platform.libc_ver()).strip() or None,
        "virtualisation": hypervisor or None,
        "uptime_s": time.clock_gettime(time.CLOCK_BOOTTIME),
        "load_1m": os.getloadavg()[0],
    }


def _cpu(pid: int | None) -> dict[str, Any]:
    first = _pairs("/proc/cpuinfo", ":")
    folder = Path("/sys/devices/system/cpu")
    cores = folder.glob("cpu[0-9]*/topology/thread_siblings_list")
    no_turbo, boost = _text(folder / "intel_pstate/no_turbo"), _text(folder / "cpufreq/boost")
    turbo = None if boost is None else boost == "1"
    usable = os.sched_getaffinity(pid or 0)
    return {
        "cpu_model": first.get("model name") or first.get("CPU part"),
        "cpu_logical": os.cpu_count(),
        "cpu_physical": len({path.read_text().strip() for path in cores}) or None,
        "cpu_usable": len(usable),
        "cpu_affinity": cpus.ranges(tuple(sorted(usable)), "-", ","),
        "cpu_turbo": turbo if no_turbo is None else no_turbo == "0",
    }


def _memory() -> dict[str, Any]:
    kibibytes = _pairs("/proc/meminfo", ":")
    total, available = (
        int(kibibytes[name].split()[0]) * 1024 if name in kibibytes else None
        for name in ("MemTotal", "MemAvailable")
    )
    # the word in brackets of "always [madvise] never"
    huge = _text("/sys/kernel/mm/transparent_hugepage/enabled") or ""
    return {
        "memory_total_bytes": total,
        "memory_gib": None if total is None else round(total / 2**30, 1),
        "memory_available_bytes": available,
        "huge_pages": huge.partition("[")[2].partition("]")[0] or None,
    }


def _limits(pid: int | None) -> dict[str, Any]:
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    groups = cpus.own_cgroup(pid=pid)
    return {
        "nofile_soft": "unlimited" if files == resource.RLIM_INFINITY else files,
        "cgroup_cpu_max": _cgroup(groups, "cpu.max", "cpu/cpu.cfs_quota_us"),
        "cgroup_memory_max": _cgroup(groups, "memory.max", "memory/memory.limit_in_bytes"),
    }


def _cgroup(groups: str, unified: str, divided: str) -> str | None:
    """The innermost limit of these groups; `divided` is controller and file of version 1."""
    controller, _, name = divided.partition("/")
    values = [
        value
        for folder in cpus.cgroup_folders(controller, groups)
        if (value := _text(folder / unified) or _text(folder / name)) is not None
    ]
    limits = [value for value in values if value.partition(" ")[0] not in _UNLIMITED]
    return limits[0] if limits else "unlimited" if values else None


def _text(path: str | Path) -> str | None:
    return read_text(path).strip("\0\n ") or None


def _pairs(path: str, separator: str) -> dict[str, str]:
    """Name → value; of names that come again the last one."""
    parts = (line.partition(separator) for line in (_text(path) or "").splitlines())
    return {name.strip(): value.strip() for name, separated, value in parts if separated}
