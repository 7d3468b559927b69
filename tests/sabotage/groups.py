"""Control groups with a limit of CPU time, of either version, where this user may make them."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PERIOD_US = 100_000
ROOT = Path("/sys/fs/cgroup")


@contextmanager
def limited(percent: int) -> Iterator[Callable[..., None] | None]:
    """Gives what puts processes, or the calling one, into a group that gets so much of one CPU;
    None where no group can be made.
    """
    made = _made(PERIOD_US * percent // 100)
    if made is None:
        yield None
        return
    members = made / "cgroup.procs"

    def join(*pids: int) -> None:
        for pid in pids or (os.getpid(),):
            members.write_text(str(pid))

    try:
        yield join
    finally:
        for pid in members.read_text().split():
            (made.parent / "cgroup.procs").write_text(pid)
        made.rmdir()


def _made(quota_us: int) -> Path | None:
    for parent in (ROOT / "cpu", ROOT):
        group = parent / f"benchsuite-test-{os.getpid()}"
        limits = {"cpu.cfs_quota_us": str(quota_us), "cpu.max": f"{quota_us} {PERIOD_US}"}
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            name = next(name for name in limits if (group / name).exists())
            (group / name).write_text(limits[name])
        except (OSError, StopIteration):
            group.rmdir()
            continue
        return group
    return None
