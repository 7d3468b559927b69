"""The fingerprint of a machine and its software: whatever may change what a benchmark gives.

Everything is read without starting a process and without importing what is described, in well under
0.1 s. What can't be read is None.
"""

import hashlib
import json
import locale
import os
import platform
import re
import resource
import socket
import sqlite3
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchsuite.system import cpus, installed

VOLATILE = frozenset(
    {"load_1m", "memory_available_bytes", "boot_id", "uptime_s", "memory_total_bytes"}
)
"""Fields that differ between two boots or two minutes of the same machine; `digest` leaves them
out. The total of memory is one of them: kernels keep some more or less for themselves; `memory_gib`
stays."""

DISTRIBUTIONS = (
    "django-benchsuite",
    "locust",
    "gevent",
    "geventhttpclient",
    "greenlet",
)
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

KERNEL_SETTINGS = {
    "aslr": "kernel/randomize_va_space",
    "file_max": "fs/file-max",
    "nr_open": "fs/nr_open",
    "swappiness": "vm/swappiness",
    "overcommit_memory": "vm/overcommit_memory",
    "somaxconn": "net/core/somaxconn",
    "netdev_max_backlog": "net/core/netdev_max_backlog",
    "ip_local_port_range": "net/ipv4/ip_local_port_range",
    "tcp_max_syn_backlog": "net/ipv4/tcp_max_syn_backlog",
    "tcp_tw_reuse": "net/ipv4/tcp_tw_reuse",
    "tcp_fin_timeout": "net/ipv4/tcp_fin_timeout",
    "tcp_congestion_control": "net/ipv4/tcp_congestion_control",
    "tcp_slow_start_after_idle": "net/ipv4/tcp_slow_start_after_idle",
    "tcp_rmem": "net/ipv4/tcp_rmem",
    "tcp_wmem": "net/ipv4/tcp_wmem",
}
"""Fields and where they stand below /proc/sys."""


_UNLIMITED = ("max", "-1", str(2**63 - os.sysconf("SC_PAGE_SIZE")))
"""How control groups say that there is no limit: version 2, and two ways of version 1."""


def fingerprint() -> dict[str, Any]:
    """Flat, JSON-ready facts about this machine, its kernel, this Python and the installed
    software."""
    return {
        **_system(),
        **_cpu(),
        **_memory(),
        **_limits(),
        **_kernel(),
        **_python(),
        **_software(),
    }


def digest(data: Mapping[str, Any]) -> str:
    """SHA-256 in hex of what stays between boots: equal digests mean the same environment."""
    stable = {name: value for name, value in data.items() if name not in VOLATILE}
    text = json.dumps(stable, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _system() -> dict[str, Any]:
    release = _pairs("/etc/os-release", "=")
    return {
        "hostname": socket.gethostname(),
        "system": platform.system(),
        "kernel": platform.release(),
        "kernel_build": os.uname().version,
        "machine": platform.machine(),
        "distribution": release.get("PRETTY_NAME", "").strip('"') or None,
        "libc": " ".join(platform.libc_ver()).strip() or None,
        "virtualisation": _virtualisation(),
        "container": _container(),
        "boot_id": _text("/proc/sys/kernel/random/boot_id"),
        "uptime_s": _number((_text("/proc/uptime") or "").split(" ")[0]),
        "load_1m": _number((_text("/proc/loadavg") or "").split(" ")[0]),
    }


def _virtualisation() -> str | None:
    """The hypervisor's name for itself; None on bare metal and where that is not known."""
    vendor = _text("/sys/class/dmi/id/sys_vendor")
    hypervisor = _text("/sys/hypervisor/type")
    is_guest = "hypervisor" in _first_cpu().get("flags", "").split()
    return hypervisor or ((vendor or "unknown hypervisor") if is_guest else None)


def _container() -> str | None:
    """What kind of container this process is in, where there is a sign of one."""
    if Path("/.dockerenv").exists():
        return "docker"
    if Path("/run/.containerenv").exists():
        return "podman"
    return _text("/run/systemd/container") or (
        "kubernetes" if "KUBERNETES_PORT" in os.environ else None
    )


def _cpu() -> dict[str, Any]:
    first = _first_cpu()
    policy = "/sys/devices/system/cpu/cpu0/cpufreq"
    flags = first.get("flags") or first.get("Features")
    return {
        "cpu_model": first.get("model name") or first.get("CPU part"),
        "cpu_family_model_stepping": _joined(first, "cpu family", "model", "stepping"),
        "cpu_microcode": first.get("microcode"),
        "cpu_logical": os.cpu_count(),
        "cpu_physical": _physical_cpus(),
        "cpu_usable": len(os.sched_getaffinity(0)),
        "cpu_affinity": _ranges(os.sched_getaffinity(0)),
        "cpu_flags_digest": hashlib.sha256(flags.encode()).hexdigest()[:16] if flags else None,
        "cpu_bugs": first.get("bugs"),
        "cpu_smt": _text("/sys/devices/system/cpu/smt/control"),
        **{f"cache_{name}": size for name, size in _caches().items()},
        "cpu_governor": _text(f"{policy}/scaling_governor"),
        "cpu_frequency_driver": _text(f"{policy}/scaling_driver"),
        "cpu_max_khz": _number(_text(f"{policy}/cpuinfo_max_freq")),
        "cpu_turbo": _turbo(),
        "numa_nodes": _text("/sys/devices/system/node/online"),
    }


def _first_cpu() -> dict[str, str]:
    return _pairs("/proc/cpuinfo", ":", until_blank=True)


def _physical_cpus() -> int | None:
    cores = {
        path.read_text().strip()
        for path in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list")
    }
    return len(cores) or None


def _caches() -> dict[str, str | None]:
    sizes: dict[str, str | None] = {"l1d": None, "l1i": None, "l2": None, "l3": None}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index[0-9]*")):
        kind = (_text(index / "type") or "")[:1].lower()
        level = f"l{_text(index / 'level')}"
        sizes[level + kind if level == "l1" else level] = _text(index / "size")
    return sizes


def _turbo() -> bool | None:
    no_turbo = _text("/sys/devices/system/cpu/intel_pstate/no_turbo")
    if no_turbo is not None:
        return no_turbo == "0"
    boost = _text("/sys/devices/system/cpu/cpufreq/boost")
    return None if boost is None else boost == "1"


def _memory() -> dict[str, Any]:
    info = {name: _number(value.split()[0]) for name, value in _pairs("/proc/meminfo", ":").items()}

    def amount(name: str) -> int | None:
        kibibytes = info.get(name)
        return None if kibibytes is None else int(kibibytes) * 1024

    total = amount("MemTotal")
    return {
        "memory_total_bytes": total,
        "memory_gib": None if total is None else round(total / 2**30, 1),
        "memory_available_bytes": amount("MemAvailable"),
        "swap_total_bytes": amount("SwapTotal"),
        "huge_pages": _chosen("/sys/kernel/mm/transparent_hugepage/enabled"),
        "page_size_bytes": os.sysconf("SC_PAGE_SIZE"),
    }


def _limits() -> dict[str, Any]:
    return {
        "nofile_soft": _limit(resource.RLIMIT_NOFILE, 0),
        "nofile_hard": _limit(resource.RLIMIT_NOFILE, 1),
        "nproc_soft": _limit(resource.RLIMIT_NPROC, 0),
        "cgroup_cpu_max": _cgroup("cpu.max", "cpu/cpu.cfs_quota_us"),
        "cgroup_memory_max": _cgroup("memory.max", "memory/memory.limit_in_bytes"),
        "cgroup_pids_max": _cgroup("pids.max", "pids/pids.max"),
        "cgroup_cpus": _cgroup("cpuset.cpus.effective", "cpuset/cpuset.effective_cpus"),
    }


def _limit(which: int, position: int) -> int | str:
    value = resource.getrlimit(which)[position]
    return "unlimited" if value == resource.RLIM_INFINITY else value


def _cgroup(unified: str, divided: str) -> str | None:
    """The limit of this process's control groups, the innermost that has one; `divided` names
    controller and file of version 1.
    """
    controller, _, name = divided.partition("/")
    values = [
        value
        for folder in cpus.cgroup_folders(controller, cpus.own_cgroup())
        if (value := _text(folder / unified) or _text(folder / name)) is not None
    ]
    limits = [value for value in values if value.partition(" ")[0] not in _UNLIMITED]
    return limits[0] if limits else "unlimited" if values else None


def _kernel() -> dict[str, Any]:
    clock = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    return {
        **{name: _spaced(_text(f"/proc/sys/{path}")) for name, path in KERNEL_SETTINGS.items()},
        "clocksource": _text(clock),
        "psi": _text("/proc/pressure/cpu") is not None,
        "cpu_isolated": _text("/sys/devices/system/cpu/isolated") or None,
        "clock_ticks_per_s": os.sysconf("SC_CLK_TCK"),
    }


def _python() -> dict[str, Any]:
    return {
        **{f"python_{name}": value for name, value in installed.facts().items()},
        "python_optimize_level": sys.flags.optimize,
        "python_dev_mode": sys.flags.dev_mode,
        "python_utf8_mode": bool(sys.flags.utf8_mode),
        "locale": locale.setlocale(locale.LC_CTYPE),
        "encoding": sys.getfilesystemencoding(),
        **{
            f"env_{name}": value
            for name, value in sorted(os.environ.items())
            if VARIABLES.fullmatch(name) and not _ABOUT_IMAGES.fullmatch(name)
        },
    }


def _software() -> dict[str, Any]:
    return {
        **{f"version_{name.replace('-', '_')}": installed.version(name) for name in DISTRIBUTIONS},
        "version_sqlite": sqlite3.sqlite_version,
    }


def _text(path: str | Path) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip("\0\n ")
    except OSError:
        return None


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _spaced(text: str | None) -> str | None:
    return None if text is None else " ".join(text.split())


def _chosen(path: str) -> str | None:
    """The word in brackets of "always [madvise] never"."""
    text = _text(path) or ""
    return text.partition("[")[2].partition("]")[0] or None


def _pairs(path: str, separator: str, *, until_blank: bool = False) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for line in (_text(path) or "").splitlines():
        name, separated, value = line.partition(separator)
        if separated:
            pairs[name.strip()] = value.strip()
        elif until_blank and not line.strip():
            break
    return pairs


def _joined(pairs: Mapping[str, str], *names: str) -> str | None:
    values = [pairs[name] for name in names if name in pairs]
    return "/".join(values) or None


def _ranges(numbers: set[int]) -> str:
    """0-3,6: CPU numbers as the kernel writes them."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)
