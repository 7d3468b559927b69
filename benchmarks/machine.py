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
from time import monotonic, sleep

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
    while (share := _busy_share(1.0)) > QUIET_SHARE and monotonic() < deadline:
        pass
    return share


def _busy_share(seconds: float) -> float:
    begin = _ticks()
    sleep(seconds)
    end = _ticks()
    return (end[0] - begin[0]) / max(1, end[1] - begin[1])


def _ticks() -> tuple[int, int]:
    """(busy, all) clock ticks of all CPUs since the boot; stolen time is busy."""
    user, nice, system, idle, waiting, *others = (
        int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    )
    busy = user + nice + system + sum(others)
    return busy, busy + idle + waiting


def description() -> str:
    """CPUs, kernel and versions in general words, for the head of a table."""
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    model = found[1] if found else platform.machine()
    kernel = ".".join(platform.release().split(".")[:2])
    programs = [
        f"Python {platform.python_version()}",
        *(f"{name} {version(name)}" for name in ("locust", "gevent")),
        *(text for name in ("wrk", "hey", "nginx") if (text := _program_version(name))),
    ]
    return f"{len(os.sched_getaffinity(0))} CPUs ({model}), Linux {kernel}; " + ", ".join(programs)


def _program_version(name: str) -> str:
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if path is None:
        return ""
    if name == "hey":  # it does not tell its version
        asked = ["dpkg-query", "--show", "--showformat=${Version}", "hey"]
        if shutil.which(asked[0]) is None:
            return "hey"
    else:
        asked = [path, "-v"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=10)
    number = re.search(r"\d+\.\d+(\.\d+)?", said.stdout + said.stderr)
    return f"{name} {number[0]}" if number else name


def command_line() -> str:
    """How this program was called, without the path of the interpreter."""
    path = Path(sys.argv[0])
    module = path.parent.name if path.stem == "__main__" else path.stem
    return " ".join(["python -m", f"benchmarks.{module}", *sys.argv[1:]])
