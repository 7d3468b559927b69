"""The machine under a benchmark: which CPU does what, how busy others keep it, what it is."""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from time import monotonic

import psutil

QUIET_SHARE = 0.15
"""Share of all CPU time that others may take while the machine counts as quiet."""


def own_cpus() -> tuple[int, int]:
    """A CPU for the load and one for the target; the same one where there is only one."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[0], allowed[-1]


@contextmanager
def pinned(cpu: int) -> Iterator[None]:
    """What this thread starts meanwhile stays on one CPU."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def wait_until_quiet(patience_s: float) -> float:
    """Waits until the machine is idle enough, or patience ends; the busy share seen last."""
    deadline = monotonic() + patience_s
    while (share := psutil.cpu_percent(interval=1.0) / 100) > QUIET_SHARE:
        if monotonic() >= deadline:
            break
    return share


def description() -> str:
    """CPUs, kernel and versions in general words, for the head of a table."""
    match = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    model = match[1] if match else platform.machine()
    kernel = ".".join(platform.release().split(".")[:2])
    python = f"Python {platform.python_version()}"
    versions = [python, *(f"{name} {version(name)}" for name in ("locust", "gevent"))]
    versions += [text for name in ("wrk", "hey") if (text := _package_version(name))]
    return f"{len(os.sched_getaffinity(0))} CPUs ({model}), Linux {kernel}; " + ", ".join(versions)


def _package_version(name: str) -> str:
    """Of a Debian package; only the name where dpkg is not there or doesn't know it."""
    if shutil.which(name) is None or shutil.which("dpkg-query") is None:
        return name if shutil.which(name) else ""
    asked = ["dpkg-query", "--show", "--showformat=${Version}", name]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=10)
    number = re.search(r"\d+\.\d+(\.\d+)?", answer.stdout)
    return f"{name} {number[0]}" if number else name


def command_line() -> str:
    """How this program was called, without the path of the interpreter."""
    path = Path(sys.argv[0])
    module = path.parent.name if path.stem == "__main__" else path.stem
    return " ".join(["python -m", f"benchmarks.{module}", *sys.argv[1:]])
