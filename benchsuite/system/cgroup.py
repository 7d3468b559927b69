"""The control groups of a process, of versions 1 and 2, and the CPU time that they allow."""

from collections.abc import Iterator
from pathlib import Path

from benchsuite.system.procfs import read_bytes


def folders(controller: str, groups: str, root: Path = Path("/")) -> Iterator[Path]:
    """The folder of each group, from the process's own upwards: what limits one limits all in it.

    `groups` is what /proc/PID/cgroup says; `controller` counts in version 1 alone.
    """
    top = root / "sys" / "fs" / "cgroup"
    for line in groups.splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        parts = [part for part in path.split("/") if part]
        for depth in range(len(parts), -1, -1):
            yield top.joinpath(controller if controllers else "", *parts[:depth])


def own(root: Path = Path("/")) -> str:
    """What the kernel says of this process's groups; empty where it says nothing."""
    return _text(root / "proc" / "self" / "cgroup")


def cpu_quota(root: Path = Path("/")) -> float | None:
    """So many CPUs' time all in this process's groups may take together; None for no limit."""
    quotas = [_quota(folder) for folder in folders("cpu", own(root), root)]
    return min((quota for quota in quotas if quota is not None), default=None)


def _quota(folder: Path) -> float | None:
    """In version 2 "200000 100000", of which the first may be "max"; in version 1 two files, of
    which the first may be -1.
    """
    words = _text(folder / "cpu.max").split() or [
        *_text(folder / "cpu.cfs_quota_us").split(),
        *_text(folder / "cpu.cfs_period_us").split(),
    ]
    if len(words) != 2 or not all(word.isdigit() for word in words) or not int(words[1]):
        return None
    return int(words[0]) / int(words[1])


def _text(path: Path) -> str:
    return (read_bytes(str(path)) or b"").decode(errors="replace")
