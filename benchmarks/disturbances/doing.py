"""One run, disturbed as its case says, and how it ended."""

import fcntl
import os
import random
import re
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import sleep

import psutil

from benchmarks.disturbances.cases import KINDS, PARENT, ROLES, Case

CHECKOUT = Path(__file__).resolve().parents[2]
END_S = 60.0
"""How long the command may take to end when it was disturbed."""
STOPPED_S = 1.0
SIGNALS = {
    "Ctrl-C": signal.SIGINT,
    "Ctrl-C twice": signal.SIGINT,
    "SIGTERM": signal.SIGTERM,
    "SIGHUP": signal.SIGHUP,
    "SIGKILL": signal.SIGKILL,
    "stopped for a second": signal.SIGSTOP,
    KINDS[-1]: signal.SIGKILL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a disturbed command ended."""

    status: int | None
    """None when it didn't, and had to be killed."""
    was_disturbed: bool
    """False when it had ended before the moment came."""
    output: str


class Run:
    """A command under way, in a session of its own, on a terminal or with its output in a pipe."""

    def __init__(self, case: Case, process: subprocess.Popen[bytes], reading: int) -> None:
        self._case = case
        self._process = process
        self._reading = reading
        self._hang_up = Event()
        self._output = bytearray()
        self._reader = Thread(target=self._read)
        self._reader.start()

    def befall(self, strangers: Callable[[], list[psutil.Process]]) -> Ending:
        case = self._case
        while case.stage.encode() not in self._output and self._process.poll() is None:
            sleep(0.02)
        self._wait(case.moment_s)
        disturbed = self._process.poll() is None and self._disturb(strangers)
        status: int | None = None
        with suppress(subprocess.TimeoutExpired):
            status = self._process.wait(END_S)
        self._process.kill()
        self._process.wait()
        self._hang_up.set()
        self._reader.join()
        return Ending(
            status=status,
            was_disturbed=disturbed,
            output=self._output.decode(errors="replace"),
        )

    def _disturb(self, strangers: Callable[[], list[psutil.Process]]) -> bool:
        """Whether there was something to disturb."""
        case = self._case
        if case.kind in ("terminal closed", "pipe closed"):
            self._hang_up.set()
            return True
        victim = self._victim(strangers)
        if victim is None:
            return False
        signum = SIGNALS[case.kind]
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if signum == signal.SIGINT:  # as a terminal does it: to all of its foreground
                os.killpg(self._process.pid, signum)
            else:
                victim.send_signal(signum)
            if case.kind == "Ctrl-C twice":
                self._wait(case.gap_s)
                os.killpg(self._process.pid, signum)
            if signum == signal.SIGSTOP:
                sleep(STOPPED_S)
                victim.send_signal(signal.SIGCONT)
        return True

    def _victim(self, strangers: Callable[[], list[psutil.Process]]) -> psutil.Process | None:
        """Who has the role; waits until somebody has it or the command ends."""
        if self._case.role == PARENT:
            return psutil.Process(self._process.pid)
        while self._process.poll() is None:
            there = [one for one in strangers() if one.pid != self._process.pid]
            found = [one for one in there if role(one) == self._case.role]
            if found:
                return random.Random(self._case.number).choice(found)
            sleep(0.05)
        return None

    def _wait(self, seconds: float) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def _read(self) -> None:
        """Takes what the command says until it ends, or until the terminal or pipe is closed."""
        try:
            while not self._hang_up.is_set():
                if select.select([self._reading], [], [], 0.05)[0]:
                    told = os.read(self._reading, 65536)
                    if not told:
                        return
                    self._output += told
        except OSError:  # a terminal that nobody holds any more
            return
        finally:
            os.close(self._reading)


@contextmanager
def started(case: Case, env: Mapping[str, str]) -> Iterator[Run]:
    """The command of this case, begun; the caller lets its fate befall it."""
    if case.kind == "terminal closed":
        reading, writing = os.openpty()
        prepare = partial(fcntl.ioctl, 0, termios.TIOCSCTTY, 0)
    else:
        reading, writing = os.pipe()
        prepare = None
    process = subprocess.Popen(
        [sys.executable, "manage.py", "runbench", *case.words],
        cwd=CHECKOUT,
        env=env,
        stdin=writing if prepare else subprocess.DEVNULL,
        stdout=writing,
        stderr=writing,
        start_new_session=True,
        preexec_fn=prepare,
    )
    os.close(writing)
    try:
        yield Run(case, process, reading)
    finally:
        process.kill()
        process.wait()


def role(process: psutil.Process) -> str:
    """What this process is in the run, by its command line."""
    with suppress(psutil.Error):
        words = " ".join(process.cmdline())
        return next(name for name, pattern in ROLES.items() if re.search(pattern, words))
    return ""
