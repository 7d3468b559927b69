"""Starts programs, which end with their block, together with all their descendants.

Nothing here depends on a server. `running` is a context manager: afterwards no process of its tree
is left, whatever the program does with signals, forks and sessions.
"""

import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from benchsuite.core.exceptions import StartError
from benchsuite.system import account, cpus, private
from benchsuite.system.interrupts import held_back
from benchsuite.system.marks import Mark, limited
from benchsuite.system.process import Process
from benchsuite.system.procfs import PART_VARIABLE, RUN_VARIABLE
from benchsuite.system.tree import adopting_orphans

_starts = itertools.count(1)

_ANY_PROGRAM = re.compile(
    r"PATH|HOME|USER|LOGNAME|LANG(UAGE)?|LC_\w+|TZ|TMPDIR|LD_LIBRARY_PATH|JAVA_HOME|PYTHON\w+"
    r"|BENCHSUITE_(?!TOKEN)\w+"
)


def any_program() -> dict[str, str]:
    """Our environment as a program gets it that runs nobody's code but its own: without what the
    shell or the project keep there, secrets among it.
    """
    return {name: value for name, value in os.environ.items() if _ANY_PROGRAM.fullmatch(name)}


@contextmanager
def running(
    argv: Sequence[str],
    *,
    name: str,
    log: Path,
    env: Mapping[str, str],
    cwd: Path | None = None,
    stop_signal: int = signal.SIGTERM,
    grace_s: float = 10.0,
    marker: str,
    on_cpus: Collection[int] | None = None,
    run_as: str = "",
) -> Iterator[Process]:
    """Runs a program in its own session, output to `log`; no process of it outlives the block.

    At the end the leader gets `stop_signal` and its tree `grace_s` seconds; the rest is killed.
    When this process dies first, the kernel sends the leader `stop_signal`. The kernel already does
    so when the *thread* that started it ends, so call this in a thread that lives as long.
    `on_cpus` are the CPUs that the program and its children may use. `run_as` is the user it runs
    as, which only root can choose (see `account`); empty for ours.

    Raises StartError when the program can't be started.
    """
    # With our PID: a child of the run may start programs too.
    mark = Mark(marker, f"{marker}/{os.getpid()}/{next(_starts)}")
    with ExitStack() as stack:
        stack.enter_context(adopting_orphans())
        with held_back(), cpus.given(on_cpus):
            process = _start(argv, name, log, env, cwd, stop_signal, mark, run_as)
            # Twice, because Ctrl-C may arrive between the call and its delay of signals.
            stack.callback(process.end, stop_signal, grace_s)
            stack.callback(process.end, stop_signal, grace_s)
        yield process


def _start(
    argv: Sequence[str],
    name: str,
    log: Path,
    env: Mapping[str, str],
    cwd: Path | None,
    stop_signal: int,
    mark: Mark,
    run_as: str,
) -> Process:
    # Looked up here as execvp will do: the wrapper could only report it in the log.
    local = os.path.join(cwd or "", argv[0]) if os.sep in argv[0] else argv[0]
    if shutil.which(local, path=env.get("PATH", os.defpath)) is None:
        raise StartError(f"{name} can't be started: there is no program {argv[0]}; install it.")
    started_at = time.monotonic()
    try:
        with private.log(log) as output, limited(mark):
            popen = subprocess.Popen(
                [*_dying_with_parent(stop_signal), *argv],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env={**env, RUN_VARIABLE: mark.run, PART_VARIABLE: mark.part},
                start_new_session=True,
                # Before the wrapper requests its signal: a change of user would cancel it.
                **account.rights_of(run_as),
            )
    except OSError as error:
        raise StartError(f"{name} can't be started: {error}.") from error
    return Process(popen, name=name, argv=argv, log=log, started_at=started_at, mark=mark)


_WRAPPER = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, int(sys.argv[1]))
os.execvp(sys.argv[2], sys.argv[2:])
"""


def _dying_with_parent(signum: int) -> list[str]:
    """The start of a command line that requests a signal for the parent's death (PR_SET_PDEATHSIG).

    An exec wrapper instead of preexec_fn, which runs Python in a fork of a process that may have
    threads (sampler, BLAS) and prevents subprocess from using vfork. Measured with a parent of
    150 MB: plain 0.5 ms, setpriv 1.4 ms, preexec_fn 6.4 ms, Python as wrapper 8 ms.
    """
    if _has_setpriv():
        return ["setpriv", "--pdeathsig", signal.Signals(signum).name, "--"]
    return [sys.executable, "-I", "-S", "-c", _WRAPPER, str(int(signum))]


@cache
def _has_setpriv() -> bool:
    """Whether util-linux's setpriv exists; busybox's can't do this.

    Signals by name: not all versions know numbers.
    """
    try:
        tried = subprocess.run(
            ["setpriv", "--pdeathsig", "SIGTERM", "--", "true"],
            capture_output=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0
