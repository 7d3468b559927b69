"""What a test must not leave: processes of its run."""

import time
from collections.abc import Callable
from pathlib import Path

SOON_S = 20.0
"""More than anything takes that is on its way; only a failing test waits that long."""


def processes_with(marker: str) -> list[int]:
    """PIDs of the living processes whose environment says `BENCHSUITE_RUN=marker`.

    Read without benchsuite's own code, which is what is tested.
    """
    return [pid for pid in _pids() if _state(pid) not in "ZX" and _carries(pid, marker)]


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _carries(pid: int, marker: str) -> bool:
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return f"BENCHSUITE_RUN={marker}".encode() in variables


def _state(pid: int) -> str:
    """One letter; "X" for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def eventually(is_so: Callable[[], bool], within_s: float = SOON_S) -> bool:
    """Whether it becomes true in time."""
    deadline = time.monotonic() + within_s
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
