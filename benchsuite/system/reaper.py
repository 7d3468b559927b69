"""The child of `guard`: waits for its parent's end and cleans up if necessary. Runs without
site-packages, so it imports only the standard library and what reads /proc.
"""

import os
import select
import signal
import sys
import time
from contextlib import suppress

from benchsuite.system import sharedmemory
from benchsuite.system.procfs import send_signal
from benchsuite.system.tree import Mark, ProcessTree

TERM_S = 5.0  #: How long the run's processes may take to end after SIGTERM.
KILL_S = 5.0
REMOVE_S = TERM_S + KILL_S  #: How long the removal of a folder in use may take.


def main() -> None:
    """Arguments: the parent's PID, the run's marker, the run's folder, the parent's directory."""
    parent, marker, folder, working = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_IGN)
    prefixes = _listen(parent)
    if prefixes is not None:
        end_all(ProcessTree((), Mark(marker)))
        remove(folder, working)
        for prefix in prefixes:
            sharedmemory.remove(prefix)


def _listen(parent: int) -> list[str] | None:
    """Waits for "bye" (None) or the parent's end (prefixes of shared memory to remove)."""
    prefixes: list[str] = []
    poll = select.poll()
    poll.register(0, select.POLLIN | select.POLLHUP)
    # Also wakes up when the parent ends: a fork of it may keep the pipe open.
    with suppress(OSError):  # it has ended, which the pipe shows, or this kernel lacks pidfd
        handle = os.pidfd_open(parent)
        if os.getppid() == parent:
            poll.register(handle, select.POLLIN)
    pending = b""
    while True:
        ready = {handle for handle, _ in poll.poll()}
        # The pipe first: "bye" counts even if the parent then died.
        data = os.read(0, 4096) if 0 in ready else b""
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            if line == b"bye":
                return None
            prefixes.append(line.decode())
        if not data:
            return prefixes


def remove(folder: str, working: str) -> None:
    """Removes the run's folder, if it is one; for a while, as others may still write into it."""
    # Imported here, because a child that is dismissed never needs them.
    import shutil
    from pathlib import Path

    from benchsuite.system.folders import why_kept

    limit = time.monotonic() + REMOVE_S
    while why_kept(Path(folder), working=Path(working) if working else None) is None:
        sharedmemory.remove_of_clusters(Path(folder))
        shutil.rmtree(folder, ignore_errors=True)
        if time.monotonic() > limit:
            return
        time.sleep(0.1)


def end_all(tree: ProcessTree) -> None:
    """Ends all processes of the tree: SIGTERM, then SIGKILL; bounded."""
    asked: set[tuple[int, int]] = set()
    began = time.monotonic()
    while True:
        elapsed = time.monotonic() - began
        left = tree.living(thorough=True)
        if not left or elapsed > TERM_S + KILL_S:
            return
        for stat in left:
            if elapsed > TERM_S:
                send_signal(stat, signal.SIGKILL)
            elif (stat.pid, stat.started) not in asked:
                asked.add((stat.pid, stat.started))
                send_signal(stat, signal.SIGTERM)
        time.sleep(0.02)
