"""Ends a run whose parent was killed. Its child, the `reaper`, holds one end of a pipe; the kernel
closes the other one when the parent dies, however it dies.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchsuite.core.exceptions import UsageError
from benchsuite.system.folders import why_kept
from benchsuite.system.interrupts import held_back
from benchsuite.system.programs import isolated_python
from benchsuite.system.reaper import remove_memory

LEAVE_S = 2.0  #: How long the child may take to leave when it is told that all is well.
LEAST_MARKER = 8
"""Shorter markers could be found by chance in the environment of somebody else's process."""
_pipes: dict[str, int] = {}


@contextmanager
def guarded(marker: str, folder: Path) -> Iterator[None]:
    """While the block runs, the run with this marker does not survive this process. When it dies
    without leaving the block, all that bears the run's mark is ended (SIGTERM, then SIGKILL), and
    `folder` is removed, which is refused for one that is not plainly a run's.
    """
    if len(marker) < LEAST_MARKER:
        raise UsageError(
            f"A run's marker has at least {LEAST_MARKER} characters; {marker!r} has not."
        )
    working = None
    with suppress(FileNotFoundError):
        working = Path.cwd()
    if reason := why_kept(folder, working=working):
        raise UsageError(
            f"A run's folder is removed when its parent is killed, and {folder} {reason}; "
            "give a folder of the run's own, as tempfile makes them."
        )
    arguments = [str(os.getpid()), marker, str(folder.resolve()), str(working or "")]
    child = None
    try:
        with held_back():
            child = subprocess.Popen(
                [*isolated_python("benchsuite.system.reaper"), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"LC_ALL": "C.UTF-8", "TMPDIR": tempfile.gettempdir()},
                start_new_session=True,
                bufsize=0,
            )
            assert child.stdin is not None
            _pipes[marker] = child.stdin.fileno()
        yield
    finally:
        if child is not None and child.stdin is not None:
            with held_back():
                _tell(marker, "bye")
                _pipes.pop(marker, None)
                child.stdin.close()
                try:
                    child.wait(LEAVE_S)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()


@contextmanager
def without_shared_memory(marker: str, prefix: str) -> Iterator[None]:
    """Shared memory with that prefix is removed before and after the block, else by the guard."""
    remove_memory(prefix)
    _tell(marker, prefix)
    try:
        yield
    finally:
        remove_memory(prefix)


def _tell(marker: str, line: str) -> None:
    if marker in _pipes:
        with suppress(BrokenPipeError):  # one that was killed can't guard; the run goes on without
            os.write(_pipes[marker], f"{line}\n".encode())
