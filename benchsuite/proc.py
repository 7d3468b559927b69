"""Starts programs, watches them come up and ends them with all that came from them.

Nothing here knows a server. Every start has its end written beside it: `running` is a context
manager, and when it is left no process of its tree is left, whatever the program does with signals,
forks and sessions.
"""

import errno
import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path

from benchsuite import account, cpus, guard, logfile
from benchsuite.exceptions import StartError
from benchsuite.interrupts import held_back
from benchsuite.procfs import RUN_VARIABLE, send_signal
from benchsuite.tree import ProcessTree

PART_VARIABLE = "BENCHSUITE_PART"
"""Marks the processes of one start. The run's own mark is shared by its target, its load and its
services, and ending one of them must not end the others."""

KILL_S = 5.0
"""How long processes may take to vanish after SIGKILL before they are given up, loudly."""

ORPHAN_S = 0.5
"""How long the children of a leader that has ended may take by themselves before they are asked
too."""

_starts = itertools.count(1)


class Process:
    """A program that `running` started, and everything that came from it."""

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        *,
        name: str,
        argv: Sequence[str],
        log: Path,
        started_at: float,
        mark: str,
    ) -> None:
        self.name = name
        self.argv = tuple(argv)
        self.log = log
        self.pid = popen.pid
        self.started_at = started_at
        """When it was started, by `time.monotonic()`."""
        self._popen = popen
        self._tree = ProcessTree({popen.pid}, mark)
        self._ended = False

    def poll(self) -> int | None:
        """The leader's exit status (negative: the signal that ended it), None while it runs.

        It is not reaped by this: its zombie keeps its PID, so that signals to its group reach
        nobody else.
        """
        if self._popen.returncode is not None:
            return self._popen.returncode
        try:
            ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # somebody else has reaped it, and its status with it
            return self._popen.poll()
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def log_tail(self, lines: int = 20) -> str:
        """The last lines of its standard output and error."""
        return logfile.tail(self.log, lines)

    def living(self) -> list[int]:
        """PIDs of its whole tree, runaways included, zombies not; empty once it was ended."""
        return [] if self._ended else [stat.pid for stat in self._tree.living()]

    def end(self, stop_signal: int, grace_s: float) -> None:
        """End the whole tree within `grace_s` + `KILL_S`; a second call does nothing.

        Ctrl-C meanwhile cuts the grace short and is delivered afterwards.
        """
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
        asked: set[tuple[int, int]] = set()
        if self.poll() is None:
            os.kill(self.pid, stop_signal)
            orphans_from = deadline
        pause_s = 0.005
        while (left := self._tree.living()) and not interrupted():
            now = time.monotonic()
            if now >= deadline:
                return
            if self.poll() is not None:
                orphans_from = min(orphans_from, now + ORPHAN_S)
                for stat in left if now >= orphans_from else ():
                    if (stat.pid, stat.started) not in asked:
                        asked.add((stat.pid, stat.started))
                        send_signal(stat, stop_signal)
            time.sleep(pause_s)
            pause_s = min(pause_s * 1.5, 0.05)

    def _kill(self, deadline: float) -> None:
        while True:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            left = self._tree.living(thorough=True)
            if not left and self.poll() is not None:
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
    """Run a program in its own session, output to `log`; nothing of it outlives the block.

    At the end the leader gets `stop_signal` and its tree `grace_s` seconds; what is left then is
    killed. When this process dies without its end, the kernel sends the leader `stop_signal`. The
    kernel does so already when the *thread* that started it ends, so call this in a thread that
    lives as long. `on_cpus` are the CPUs that the program and its children may use. `run_as` names
    the user whose rights it gets, which only root can give (`benchsuite.account`); empty for ours.

    Raises StartError when the program can't be started.
    """
    # With our PID: a child of the run may start programs for it too.
    part = f"{marker}/{os.getpid()}/{next(_starts)}"
    with ExitStack() as stack:
        with held_back(), cpus.given(on_cpus):
            process = _start(
                argv, name, log, {**env, RUN_VARIABLE: marker}, cwd, stop_signal, part, run_as
            )
            guard.announce(marker, process.pid)
            stack.callback(guard.withdraw, marker, process.pid)
            # Twice, because Ctrl-C may strike between the call and its holding signals back.
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
    part: str,
    run_as: str,
) -> Process:
    # Looked up here as execvp will: the wrapper could only complain in the log.
    local = os.path.join(cwd or "", argv[0]) if os.sep in argv[0] else argv[0]
    if shutil.which(local, path=env.get("PATH", os.defpath)) is None:
        raise StartError(f"{name} can't be started: there is no program {argv[0]}.")
    started_at = time.monotonic()
    try:
        with log.open("wb") as output:
            popen = subprocess.Popen(
                [*_dying_with_parent(stop_signal), *argv],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env={**env, PART_VARIABLE: part},
                start_new_session=True,
                # Before the wrapper asks for its signal: a change of user would take it back.
                **account.rights_of(run_as),
            )
    except OSError as error:
        raise StartError(f"{name} can't be started: {error}.") from error
    mark = f"{PART_VARIABLE}={part}"
    return Process(popen, name=name, argv=argv, log=log, started_at=started_at, mark=mark)


_WRAPPER = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, int(sys.argv[1]))
os.execvp(sys.argv[2], sys.argv[2:])
"""


def _dying_with_parent(signum: int) -> list[str]:
    """The start of a command line that asks for a signal when the parent dies (PR_SET_PDEATHSIG).

    An exec wrapper and not preexec_fn, which runs Python in a fork of a process that may have
    threads (sampler, BLAS) and keeps subprocess from using vfork. Measured with a parent of 150 MB:
    plain 0.5 ms, setpriv 1.4 ms, preexec_fn 6.4 ms, Python as wrapper 8 ms.
    """
    if _has_setpriv():
        return ["setpriv", "--pdeathsig", signal.Signals(signum).name, "--"]
    return [sys.executable, "-I", "-S", "-c", _WRAPPER, str(int(signum))]


@cache
def _has_setpriv() -> bool:
    """Whether there is util-linux's setpriv; busybox has one that can't do this.

    Signals by their names: numbers are not known to all versions.
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


def wait_until_ready(
    process: Process, answers: Callable[[], bool], *, timeout_s: float, interval_s: float = 0.02
) -> float:
    """Ask until the process answers; returns the seconds from its start to its answer.

    Raises StartError, with the end of its log, when its leader ends (with whatever status: some
    servers end with 0 when they can't import the application) or when it does not answer in time.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        status = process.poll()
        if status is not None:
            raise StartError(_with_log(process, f"{process.name} {_ended(process, status)}"))
        if answers():
            return time.monotonic() - process.started_at
        if time.monotonic() >= deadline:
            raise StartError(
                _with_log(process, f"{process.name} did not answer within {timeout_s:g} s")
            )
        time.sleep(interval_s)


def _ended(process: Process, status: int) -> str:
    if status < 0:
        return f"was ended by {_signal_name(-status)} before it answered"
    ended = f"ended with status {status} before it answered"
    # Children of a server that failed may be on their way out: they are not what went wrong.
    if status == 0 and logfile.first_error(process.log) is None:
        left = len(process.living())
        if left:
            return f"{ended} and left {left} running (it must stay in the foreground)"
    return ended


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _with_log(process: Process, what: str) -> str:
    error = logfile.first_error(process.log)
    cause = f" ({error})" if error else ""
    tail = process.log_tail()
    log = f"its log ends with:\n{tail}" if tail else "its log is empty."
    return f"{what}{cause}; {log}"


def free_port(host: str = "127.0.0.1") -> int:
    """A TCP port that nobody listens on now."""
    with _socket(host, 0) as (listener, address):
        listener.bind(address)
        return int(listener.getsockname()[1])


def ensure_port_free(host: str, port: int) -> None:
    """Raises StartError when nobody could listen there, naming the process that does if it can be
    known."""
    with _socket(host, port) as (listener, address):
        try:
            listener.bind(address)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise StartError(
                    f"Nothing can listen on {host}:{port}: {error.strerror}."
                ) from error
            raise StartError(
                f"Port {port} of {host} is taken{_holder(port)}; end that or choose another port."
            ) from error


@contextmanager
def _socket(host: str, port: int) -> Iterator[tuple[socket.socket, tuple[object, ...]]]:
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise StartError(f"There is no host {host!r}: {error.strerror}.") from error
    with socket.socket(family, kind) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        yield listener, address


def _holder(port: int) -> str:
    import psutil  # only for this message; its import would cost every start 20 ms

    with suppress(psutil.Error):
        for connection in psutil.net_connections("tcp"):
            address = connection.laddr
            if not address or address.port != port or connection.pid is None:
                continue
            if connection.status == psutil.CONN_LISTEN:
                command = " ".join(psutil.Process(connection.pid).cmdline())
                return f" by process {connection.pid} ({command[:100]})"
    return ""
