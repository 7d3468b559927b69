"""Which CPUs a program may use, how much of their time groups allow, and how long work takes."""

import hashlib
import json
import math
import os
import platform
import re
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import thread_time
from timeit import repeat

from benchsuite.core.exceptions import UsageError
from benchsuite.core.units import LONGEST
from benchsuite.system import folders
from benchsuite.system.procfs import read_text


def cgroup_folders(controller: str, groups: str, root: Path = Path("/")) -> Iterator[Path]:
    """Of each group from the process's own upwards: what limits one limits all in it. `groups` is
    what /proc/PID/cgroup says; `controller` counts in version 1 alone.
    """
    top = root / "sys" / "fs" / "cgroup"
    for line in groups.splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        parts = [part for part in path.split("/") if part]
        for depth in range(len(parts), -1, -1):
            yield top.joinpath(controller if controllers else "", *parts[:depth])


def own_cgroup(root: Path = Path("/"), pid: int | None = None) -> str:
    """What the kernel says of the groups of a process, else of this one; empty where nothing."""
    return read_text(root / "proc" / str(pid or "self") / "cgroup")


def cpu_quota(root: Path = Path("/")) -> float | None:
    """So many CPUs' time all in this process's groups may take together; None for no limit."""
    quotas = []
    for folder in cgroup_folders("cpu", own_cgroup(root), root):
        # In version 2 "200000 100000", of which the first may be "max"; in version 1 two files, of
        # which the first may be -1.
        words = read_text(folder / "cpu.max").split() or [
            *read_text(folder / "cpu.cfs_quota_us").split(),
            *read_text(folder / "cpu.cfs_period_us").split(),
        ]
        if len(words) == 2 and all(word.isdigit() for word in words) and int(words[1]):
            quotas.append(int(words[0]) / int(words[1]))
    return min(quotas, default=None)


RANGE = re.compile(r"(?P<first>[0-9]{1,4})(-(?P<last>[0-9]{1,4}))?")
MOST = 8192  #: CPUs that Linux may know (CONFIG_NR_CPUS).
Cpus = tuple[int, ...]


def available() -> Cpus:
    return tuple(sorted(os.sched_getaffinity(0)))


def usable(on: Collection[int] | None = None) -> int:
    """How many of these CPUs (None for all) the quota lets be busy; a part counts as one."""
    count = len(available() if on is None else on)
    quota = cpu_quota()
    return count if quota is None else max(1, min(count, math.ceil(quota)))


@contextmanager
def given(cpus: Collection[int] | None) -> Iterator[None]:
    """This thread and programs that it starts stay on these CPUs in the block; None for any."""
    if cpus is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def siblings(cpu: int) -> frozenset[int]:
    """The hardware threads of this CPU's core, including itself."""
    text = read_text(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    return frozenset({cpu, *(parse(text) if text else ())})


def split(
    cpus: Cpus, load_processes: int, siblings_of: Callable[[int], frozenset[int]] = siblings
) -> tuple[Cpus, Cpus] | None:
    """CPUs for the server and for the load; None if there is only one. The load gets the last
    cores, one for each process and at most half. Hardware threads of a core stay together, because
    they slow each other down, unless there is only one core.
    """
    if len(cpus) < 2:
        return None
    cores = sorted({siblings_of(cpu) & set(cpus) for cpu in cpus}, key=min)
    if len(cores) < 2:
        cores = [frozenset({cpu}) for cpu in cpus]
    count = min(load_processes, len(cores) // 2)
    load = tuple(sorted(cpu for core in cores[-count:] for cpu in core))
    return tuple(cpu for cpu in cpus if cpu not in load), load


def beside(
    load: Collection[int] | None, target: Collection[int] | None, everything: Collection[int]
) -> Cpus | None:
    """CPUs for monitors: those of neither or, if there are none, all but the load's, one timer in a
    hundred of which a reading would delay (B102). None if the load is not pinned or has them all.
    """
    if load is None:
        return None
    rest = set(everything) - set(load)
    return tuple(sorted(rest - set(target or rest) or rest)) or None


def parse(text: str) -> Cpus:
    """CPU numbers from "0", "0,2" or "0-3,8"; raises UsageError."""
    cpus: set[int] = set()
    for part in text.strip().split(","):
        match = RANGE.fullmatch(part.strip())
        first = int(match["first"]) if match else 0
        last = int(match["last"] or first) if match else -1
        if not first <= last < MOST:
            raise UsageError(
                f"{text.strip()[:LONGEST]!r} is no list of CPUs; write numbers: 0, 0,2 or 0-3."
            )
        cpus.update(range(first, last + 1))
    return tuple(sorted(cpus))


def check(cpus: Collection[int] | None, whose: str) -> None:
    """Raises UsageError when this machine can't give these CPUs."""
    if missing := sorted(set(cpus or ()) - set(available())):
        raise UsageError(
            f"{whose} can't run on {words(tuple(missing))}: this machine has {words(available())}; "
            "choose from these, or give --no-pin."
        )


def words(cpus: Cpus) -> str:
    """ "CPU 0", "CPUs 0–2, 5"."""
    return f"CPU{'s' * (len(cpus) > 1)} {ranges(cpus, '–', ', ')}"


def ranges(cpus: Cpus, dash: str, comma: str) -> str:
    """Their numbers, in order, with neighbours joined."""
    parts: list[list[int]] = []
    for cpu in cpus:
        if parts and parts[-1][1] == cpu - 1:
            parts[-1][1] = cpu
        else:
            parts.append([cpu, cpu])
    return comma.join(f"{a}" if a == b else f"{a}{dash}{b}" for a, b in parts)


FIRST = 100_000  #: The size that is tried first.
TRIES = 6  #: Until a size takes the wanted time.
TIMES = 3  #: That each is timed; the fastest counts, as others can only slow it down.
NEAR = 0.02  #: A size that is so near is kept.
DIGITS = 3  #: Of a size that is found: more would be noise.


def size_for(seconds: float, work: Callable[[int], object], *, name: str) -> int:
    """The size of work that takes that much CPU time here, in this Python; kept by that name."""
    cpuinfo = read_text("/proc/cpuinfo").splitlines()
    models = {line.partition(":")[2].strip() for line in cpuinfo if line.startswith("model name")}
    # what another size may come of
    here = [name, seconds, platform.machine(), *sorted(models), sys.executable, sys.version]
    digest = hashlib.sha256(json.dumps(here).encode()).hexdigest()[:16]
    known = folders.cache_folder() / "calibrations" / f"{digest}.json"
    with suppress(OSError, ValueError, KeyError):
        return int(json.loads(known.read_text())["size"])
    size = FIRST
    for _ in range(TRIES):
        times_s = repeat(partial(work, size), timer=thread_time, number=1, repeat=TIMES)
        took_s = max(min(times_s), 1e-6)
        before, size = size, max(1, round(size * seconds / took_s))
        if abs(size - before) <= NEAR * before:
            break
    size = round(size, DIGITS - len(str(size)))
    with suppress(OSError):  # where it can't be kept, it is found anew each time
        known.parent.mkdir(parents=True, exist_ok=True)
        folders.replace_private(known, json.dumps({"size": size}))
    return size
