"""Reads /proc: a process that vanishes while it is read is None, not an error."""

import os
import signal
from contextlib import suppress
from typing import NamedTuple

RUN_VARIABLE = "BENCHSUITE_RUN"  #: The environment variable that every process of a run carries.

PART_VARIABLE = "BENCHSUITE_PART"
"""Marks the processes of one start. The run's own mark is shared by its target, its load and its
services, and ending one of them must not end the others."""


class Stat(NamedTuple):
    """What /proc/PID/stat says; times in clock ticks (`os.sysconf("SC_CLK_TCK")`, mostly 0.01
    s)."""

    pid: int
    state: str
    ppid: int
    session: int
    own_ticks: int  #: CPU time of the process, all its threads, user and system.
    children_ticks: int  #: CPU time of the children that died and were waited for.
    threads: int
    started: int
    """Ticks from boot to its start: with the PID it names a process for good, as PIDs are used
    again."""

    @property
    def alive(self) -> bool:
        """Whether it still runs: a zombie has ended and only waits to be reaped."""
        return self.state not in "ZXx"


def all_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def read_stat(pid: int) -> Stat | None:
    data = read_bytes(f"/proc/{pid}/stat")
    if not data:
        return None
    # The name in parentheses may itself hold spaces and parentheses: the last ")" ends it.
    fields = data[data.rindex(b")") + 2 :].split()
    return Stat(
        pid=pid,
        state=chr(fields[0][0]),
        ppid=int(fields[1]),
        session=int(fields[3]),
        own_ticks=int(fields[11]) + int(fields[12]),
        children_ticks=int(fields[13]) + int(fields[14]),
        threads=int(fields[17]),
        started=int(fields[19]),
    )


def carries(pid: int, assignment: bytes) -> bool:
    """Whether the process was started with `NAME=value` in its environment.

    False when that can't be known: processes of other users, and programs that write their title
    over their environment (nginx, PostgreSQL's backends, everything with setproctitle).
    """
    data = read_bytes(f"/proc/{pid}/environ")
    return data is not None and assignment in data and assignment in data.split(b"\0")


def read_bytes(path: str) -> bytes | None:
    """The file's content; None when it is not there, not ours to read or vanishes meanwhile."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        parts = []
        while part := os.read(handle, 65536):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return None
    finally:
        os.close(handle)


def send_signal(stat: Stat, signum: int) -> None:
    """Send a signal to exactly this process, and to nobody when its PID has gone to another one."""
    with suppress(ProcessLookupError, PermissionError):
        try:
            handle = os.pidfd_open(stat.pid)
        except ProcessLookupError:
            return
        except OSError:  # a kernel or sandbox without pidfd: a race of microseconds stays
            if _is_same(stat):
                os.kill(stat.pid, signum)
            return
        try:
            # The handle names one process for good; it is ours if the start time still fits now.
            if _is_same(stat):
                signal.pidfd_send_signal(handle, signum)
        finally:
            os.close(handle)


def _is_same(stat: Stat) -> bool:
    now = read_stat(stat.pid)
    return now is not None and now.started == stat.started
