"""py-spy beside the processes of a target: what their Python code was doing, 100 times a second."""

import math
import shutil
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from benchsuite.core.exceptions import UnavailableError
from benchsuite.core.specs import LoadProfile
from benchsuite.pythons.interpreter import OWN
from benchsuite.system.process import Process, running

PROGRAM = "py-spy"
RATE_HZ = 100
WRITE_S = 10.0  #: How long it may take to write what it has seen.
DENIED = ("permission denied", "operation not permitted")


def ensure_installed() -> str:
    """The program; raises UnavailableError without it."""
    path = shutil.which(OWN.script(PROGRAM))
    if path is None:
        raise UnavailableError(
            f"--flame needs {PROGRAM}, which is not installed: "
            "pip install 'django-benchsuite[profile]'."
        )
    return path


def is_installed() -> bool:
    return shutil.which(OWN.script(PROGRAM)) is not None


def refusal(reason: str) -> str:
    """The sentence for what it says when it can't look at a process."""
    if any(sign in reason.lower() for sign in DENIED):
        return (
            "--flame reads the memory of the server's processes, which the kernel refuses "
            "(ptrace): run as root, or: sudo sysctl kernel.yama.ptrace_scope=0; in a container, "
            "start that with --cap-add=SYS_PTRACE."
        )
    lines = [line for line in reason.splitlines() if line.strip()]
    first = next((line for line in lines if line.startswith("Error")), lines[0] if lines else "")
    first = first.removeprefix("Error: ").rstrip(".")
    return (
        f"{PROGRAM} {OWN.installed(PROGRAM) or ''} can't read the server's processes ({first}): "
        f"take another --python or --server, upgrade {PROGRAM}, or leave --flame out."
    )


class Profiler:
    """Looks at some processes, with all their children, while the window of a load lasts; what it
    starts ends with the stack.
    """

    def __init__(self, stack: ExitStack, folder: Path, load: LoadProfile, marker: str) -> None:
        self._stack = stack
        self._folder = folder
        self._load = load
        self._marker = marker
        self._begun: dict[Path, Process] = {}  #: By the files in which they write.

    def tick(self, elapsed_s: float, leaders: Sequence[int]) -> None:
        """The load has come to that second, and these processes serve: begins with the window."""
        if elapsed_s < self._load.window_start_s or self._begun:
            return
        for number, pid in enumerate(leaders):
            seen = self._folder / f"profile-{number}.txt"
            options = (
                # Halted, threads that wait are woken, and taken for busy: of a pool's idle
                # threads it then saw five times as much.
                *("--pid", str(pid), "--subprocesses", "--nonblocking"),
                *("--format", "raw", "--function", "--full-filenames", "--rate", str(RATE_HZ)),
                *("--duration", str(math.ceil(self._load.duration_s)), "--output", str(seen)),
            )
            looking = running(
                [ensure_installed(), "record", *options],
                name=PROGRAM,
                log=seen.with_suffix(".log"),
                env={"LC_ALL": "C.UTF-8"},
                stop_signal=signal.SIGINT,  # it writes what it has seen
                grace_s=WRITE_S,
                marker=self._marker,
                on_cpus=self._load.cpus,
            )
            self._begun[seen] = self._stack.enter_context(looking)

    def end(self) -> str:
        """What was seen, as lines of stacks; raises UnavailableError where it saw nothing."""
        self._stack.close()
        if not self._begun:
            raise UnavailableError("The load ended before its window, so nothing was profiled.")
        stacks = []
        for seen, process in self._begun.items():
            try:
                stacks.append(seen.read_text(errors="replace"))
            except FileNotFoundError:
                default = f"It wrote nothing within {WRITE_S:g} s and was killed."
                raise UnavailableError(refusal(process.log_tail() or default)) from None
        return "".join(stacks)
