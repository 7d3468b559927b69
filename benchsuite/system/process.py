"""Programs: started, awaited, watched, and ended with all their descendants, whatever these do."""

import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from benchsuite.core.exceptions import StartError
from benchsuite.system import account, cpus, folders, logfile, programs
from benchsuite.system.interrupts import held_back
from benchsuite.system.procfs import PART_VARIABLE, RUN_VARIABLE, Key, send_signal
from benchsuite.system.tree import Mark, ProcessTree, adopting_orphans, limited


def ending_in_words(status: int) -> str:
    """ "ended with status 1", "was ended by SIGKILL (out of memory?)"."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:  # one of those without a name
        name = f"signal {-status}"
    guess = " (out of memory?)" if -status == signal.SIGKILL else ""
    return f"was ended by {name}{guess}"


POLL_S = 0.02
KILL_S = 5.0  #: How long processes may take to vanish after SIGKILL before an error is raised.
ORPHAN_S = 0.5
"""How long the children of an ended leader may take to end before they get the signal too."""


@dataclass(eq=False)
class Process:
    """A program started by `running`, with all its descendants."""

    _popen: subprocess.Popen[bytes] = field(repr=False)
    name: str
    argv: tuple[str, ...]
    log: Path
    started_at: float  #: When it was started, by `time.monotonic()`.
    tree: ProcessTree = field(repr=False)
    _ended: bool = field(default=False, init=False)

    @property
    def pid(self) -> int:
        return self._popen.pid

    def poll(self) -> int | None:
        """The leader's exit status (negative: the signal that ended it), None while it runs. It is
        not reaped: its zombie keeps the PID, so that signals to its group reach no other process.
        """
        if self._popen.returncode is not None:
            return self._popen.returncode
        try:
            ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # reaped elsewhere, with its status
            return self._popen.poll()
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def wait(self, timeout_s: float) -> int | None:
        """The leader's exit status once it has ended; None when it still runs after that time."""
        deadline = time.monotonic() + timeout_s
        while (status := self.poll()) is None and time.monotonic() < deadline:
            time.sleep(POLL_S)
        return status

    def log_tail(self, lines: int = 20) -> str:
        """The last lines of its standard output and error."""
        return logfile.tail(self.log, lines)

    def living(self) -> list[int]:
        """PIDs of its whole tree with runaways, without zombies; empty once it has ended."""
        return [] if self._ended else [stat.pid for stat in self.tree.living()]

    def end(self, stop_signal: int, grace_s: float) -> None:
        """Ends the whole tree within `grace_s` + `KILL_S`, once; sooner after Ctrl-C."""
        if self._ended:
            return
        with held_back() as interrupted:
            try:
                self._ask(stop_signal, time.monotonic() + grace_s, interrupted)
                self._kill(time.monotonic() + KILL_S)
            finally:
                self._ended = True

    def _ask(self, stop_signal: int, deadline: float, interrupted: Callable[[], bool]) -> None:
        orphans_from = 0.0
        asked = set[Key]()
        if self.poll() is None:
            os.kill(self.pid, stop_signal)
            orphans_from = deadline
        pause_s = 0.005
        while (left := self.tree.living()) and not interrupted():
            now = time.monotonic()
            if now >= deadline:
                return
            if self.poll() is not None:
                orphans_from = min(orphans_from, now + ORPHAN_S)
                for stat in left if now >= orphans_from else ():
                    if stat.key not in asked:
                        asked.add(stat.key)
                        send_signal(stat, stop_signal)
            time.sleep(pause_s)
            pause_s = min(pause_s * 1.5, 0.05)

    def _kill(self, deadline: float) -> None:
        while True:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            left = self.tree.living(thorough=True)
            if not left and self.poll() is not None:
                self.tree.settle()
                self._popen.wait()
                return
            for stat in left:
                send_signal(stat, signal.SIGKILL)
            if time.monotonic() >= deadline:
                pids = ", ".join(str(stat.pid) for stat in left) or str(self.pid)
                message = f"{self.name} can't be ended: SIGKILL had no effect on {pids}."
                warnings.warn(message, RuntimeWarning, stacklevel=2)
                return
            time.sleep(0.005)


_starts = itertools.count(1)
_ANY_PROGRAM = re.compile(
    r"PATH|HOME|USER|LOGNAME|LANG(UAGE)?|LC_\w+|TZ|TMPDIR|LD_LIBRARY_PATH|JAVA_HOME|PYTHON\w+"
    r"|BENCHSUITE_(?!TOKEN)\w+|DOCKER_(CERT_PATH|CONFIG|CONTEXT|HOST|TLS_VERIFY)|SSL_CERT_(DIR|FILE)"
)


def any_program() -> dict[str, str]:
    """Our environment for what runs nobody's code: without secrets and such of shell or project."""
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
    """Runs a program in its own session, output to `log`; no process of it outlives the block. At
    the end the leader gets `stop_signal` and its tree `grace_s` seconds; the rest is killed. So
    does the kernel when the *thread* that started it ends first. `on_cpus` are the CPUs that the
    tree may use, `run_as` its user (see `account`). Raises StartError when it can't be started.
    """
    # Looked up here as execvp will do: the wrapper could only report it in the log.
    local = os.path.join(cwd or "", argv[0]) if os.sep in argv[0] else argv[0]
    if shutil.which(local, path=env.get("PATH", os.defpath)) is None:
        raise StartError(f"{name} can't be started: there is no program {argv[0]}; install it.")
    # With our PID: a child of the run may start programs too.
    mark = Mark(marker, f"{marker}/{os.getpid()}/{next(_starts)}")
    with ExitStack() as stack:
        stack.enter_context(adopting_orphans())
        with held_back(), cpus.given(on_cpus):
            started_at = time.monotonic()
            try:
                with folders.private_log(log) as output, limited(mark):
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
            tree = ProcessTree({popen.pid}, mark)
            process = Process(popen, name, tuple(argv), log, started_at, tree)
            # Twice, because Ctrl-C may arrive between the call and its delay of signals.
            stack.callback(process.end, stop_signal, grace_s)
            stack.callback(process.end, stop_signal, grace_s)
        yield process


_WRAPPER = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, int(sys.argv[1]))
os.execvp(sys.argv[2], sys.argv[2:])
"""


def _dying_with_parent(signum: int) -> list[str]:
    """The start of a command line that requests a signal for the parent's death (PR_SET_PDEATHSIG).
    preexec_fn would fork a process that may have threads, and takes longer: with a parent of 150 MB
    plain 0.5 ms, setpriv 1.4 ms, preexec_fn 6.4 ms, Python as wrapper 8 ms.
    """
    if _has_setpriv():
        return ["setpriv", "--pdeathsig", signal.Signals(signum).name, "--"]
    return [sys.executable, "-I", "-S", "-c", _WRAPPER, str(int(signum))]


@cache
def _has_setpriv() -> bool:
    """Whether util-linux's setpriv exists, and not busybox's. Not all know signals by number."""
    tried = programs.ran("setpriv", "--pdeathsig", "SIGTERM", "--", "true")
    return tried is not None and tried.returncode == 0


SLOW_S = 5.0


class Patience:
    """Tells of what takes longer than 5 s, and again whenever it has taken twice as long."""

    def __init__(self, tell: Callable[[str], None], doing: Callable[[], str], limit_s: float):
        """`doing` says what it is, and since when."""
        self._tell, self._doing, self._limit_s = tell, doing, limit_s
        self._step_s = SLOW_S
        self.due = time.monotonic() + SLOW_S

    def look(self) -> None:
        if time.monotonic() >= self.due:
            self.due += self._step_s
            self._step_s *= 2
            self._tell(f"{self._doing()}, {self._limit_s:g} s at most")


def wait_until_ready(
    process: Process,
    answers: Callable[[], bool],
    *,
    timeout_s: float,
    heard: Callable[[], str] = str,
    cause: Callable[[], str | None] = lambda: None,
) -> float:
    """Returns the seconds from its start to its answer. `heard` says what came instead of an
    answer, `cause` gives a reason that the log lacks. Raises StartError, with the end of its log,
    when its leader ends, with any status, or does not answer in time.
    """
    deadline = time.monotonic() + timeout_s
    while (status := process.poll()) is None:
        if answers():
            return time.monotonic() - process.started_at
        if time.monotonic() >= deadline:
            instead = heard()
            what = f"{process.name} did not answer within {timeout_s:g} s"
            what = f"{what}: {instead}" if instead else what
            break
        time.sleep(POLL_S)
    else:
        what = f"{process.name} {ending_in_words(status)} before it answered"
        # Children of a failed server may still be ending: they are not the cause.
        failed = status != 0 or logfile.first_error(process.log) is not None
        if not failed and (left := len(process.living())):
            what = f"{what} and left {left} running (it must stay in the foreground)"
    error = cause() or logfile.first_error(process.log)
    raise StartError(f"{what}{f' ({error})' if error else ''}", process.log_tail())
