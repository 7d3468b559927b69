"""Reads /proc; a process that vanishes meanwhile is None, not an error."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

RUN_VARIABLE = "BENCHSUITE_RUN"  #: The environment variable that every process of a run carries.
PART_VARIABLE = "BENCHSUITE_PART"
"""Marks the processes of one start; the run's own mark is shared by target, load and services."""


Key = tuple[int, int]  #: PID and start, which together name a process for good.


class Stat(NamedTuple):
    """/proc/PID/stat; times in clock ticks (`os.sysconf("SC_CLK_TCK")`, mostly 0.01 s)."""

    pid: int
    state: str
    ppid: int
    session: int
    own_ticks: int  #: CPU time of the process, all its threads, user and system.
    children_ticks: int  #: CPU time of the children that ended and were reaped.
    threads: int
    started: int
    """Ticks from boot to its start; identifies a process with the PID, because PIDs are reused."""
    major_faults: int = 0  #: Pages that it waited for until they were read from disk.

    @property
    def key(self) -> Key:
        return self.pid, self.started

    @property
    def alive(self) -> bool:
        """Whether it still runs; a zombie has ended and waits to be reaped."""
        return self.state not in "ZXx"


def all_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def read_stat(pid: int) -> Stat | None:
    if not (data := read_bytes(f"/proc/{pid}/stat")):
        return None
    # The name in parentheses may contain spaces and parentheses: the last ")" ends it.
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
        major_faults=int(fields[9]),
    )


def carries(pid: int, assignment: bytes) -> bool:
    """Whether the process was started with `NAME=value` in its environment. False if unknown: of
    other users, and where a title is written over it (nginx, PostgreSQL's backends).
    """
    data = read_bytes(f"/proc/{pid}/environ")
    return data is not None and assignment in data and assignment in data.split(b"\0")


def read_text(path: str | Path) -> str:
    """The file's content; empty where `read_bytes` has None."""
    return (read_bytes(str(path)) or b"").decode(errors="replace")


def command_line(pid: int) -> str:
    return read_text(f"/proc/{pid}/cmdline").replace("\0", " ").strip()


def open_files(pid: int) -> Iterator[tuple[str, str]]:
    """What a process has open, if ours to know: path in /proc, what is there ("socket:[71]")."""
    with suppress(OSError):
        for number in os.listdir(f"/proc/{pid}/fd"):
            path = f"/proc/{pid}/fd/{number}"
            with suppress(OSError):
                yield path, os.readlink(path)


def read_bytes(path: str) -> bytes | None:
    """The file's content; None if it does not exist, is not readable, or vanishes meanwhile."""
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
    """Sends a signal to this process, but not to another one that has since got its PID."""
    with suppress(ProcessLookupError, PermissionError):
        try:
            handle = os.pidfd_open(stat.pid)
        except ProcessLookupError:
            return
        except (AttributeError, OSError):  # no pidfd: a race of microseconds remains
            if _is_same(stat):
                os.kill(stat.pid, signum)
            return
        try:
            # The handle identifies one process; it is the right one if the start time still fits.
            if _is_same(stat):
                signal.pidfd_send_signal(handle, signum)
        finally:
            os.close(handle)


def _is_same(stat: Stat) -> bool:
    now = read_stat(stat.pid)
    return now is not None and now.started == stat.started
