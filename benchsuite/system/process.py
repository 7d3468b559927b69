"""Watches and ends a program with all its descendants."""

import os
import signal
import subprocess
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from benchsuite.system import logfile
from benchsuite.system.interrupts import held_back
from benchsuite.system.marks import Mark
from benchsuite.system.procfs import send_signal
from benchsuite.system.tree import ProcessTree

KILL_S = 5.0  #: How long processes may take to vanish after SIGKILL before an error is raised.

ORPHAN_S = 0.5
"""How long the children of an ended leader may take to end before they get the signal too."""


class Process:
    """A program started by `running`, with all its descendants."""

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        *,
        name: str,
        argv: Sequence[str],
        log: Path,
        started_at: float,
        mark: Mark,
    ) -> None:
        self.name = name
        self.argv = tuple(argv)
        self.log = log
        self.pid = popen.pid
        self.started_at = started_at  #: When it was started, by `time.monotonic()`.
        self._popen = popen
        self.tree = ProcessTree({popen.pid}, mark)
        self._ended = False

    def poll(self) -> int | None:
        """The leader's exit status (negative: the signal that ended it), None while it runs.

        This does not reap it: its zombie keeps the PID, so that signals to its group reach no other
        process.
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

    def log_tail(self, lines: int = 20) -> str:
        """The last lines of its standard output and error."""
        return logfile.tail(self.log, lines)

    def living(self) -> list[int]:
        """PIDs of its whole tree with runaways, without zombies; empty once it has ended."""
        return [] if self._ended else [stat.pid for stat in self.tree.living()]

    def end(self, stop_signal: int, grace_s: float) -> None:
        """Ends the whole tree within `grace_s` + `KILL_S`; a second call does nothing.

        Ctrl-C meanwhile shortens the grace period and is delivered afterwards.
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
        while (left := self.tree.living()) and not interrupted():
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
