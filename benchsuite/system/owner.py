"""Names this process so that another one can tell later whether it still runs.

A name contains all that identifies the process: machine, boot, PID namespace, PID and start time,
because PIDs are reused.
"""

import os
import platform
from hashlib import sha256
from pathlib import Path

from benchsuite.system.procfs import read_stat

LONGEST = 200  #: Characters of a name; a host name has at most 64.

MACHINE_ID = Path("/etc/machine-id")
"""Survives a reboot. Containers of one image may share it, and often lack it."""


def name() -> str:
    """host:machine:boot:PID namespace:PID:start of this process."""
    stat = read_stat(os.getpid())
    started = stat.started if stat else 0
    return ":".join(
        [host_name(), _machine(), _boot(), _namespace(), str(os.getpid()), str(started)]
    )


def host(owner: str) -> str:
    """The name of the machine or container on which the process runs."""
    return owner.partition(":")[0]


def has_ended(owner: str) -> bool:
    """Whether it is certain from here that the process of that name has ended.

    An invalid name belongs to no running process.
    """
    return _ended(owner) is True


def can_be_seen(owner: str) -> bool:
    """Whether this process can tell: not for other machines or containers."""
    return _ended(owner) is not None


def _ended(owner: str) -> bool | None:
    """None if unknown from here."""
    parts = owner.split(":")
    if len(parts) != 6 or not (parts[4].isascii() and parts[4].isdigit()):
        return True
    where, machine, boot, namespace, pid, started = parts
    if boot != _boot():
        # this machine before a reboot, or another one
        return True if machine and (where, machine) == (host_name(), _machine()) else None
    if namespace != _namespace():
        return None
    stat = read_stat(int(pid))
    if stat is None:
        return None if _is_hidden(int(pid)) else True
    return not stat.alive or str(stat.started) != started


def host_name() -> str:
    return platform.node().replace(":", "-")[:64]


def _is_hidden(pid: int) -> bool:
    """Whether a process exists that /proc hides from this user (`hidepid`)."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return False


def _machine() -> str:
    """A hash of /etc/machine-id, which itself must not be shown; empty if there is none."""
    try:
        text = MACHINE_ID.read_text().strip()
    except OSError:
        return ""
    return sha256(f"benchsuite {text}".encode()).hexdigest()[:12] if text else ""


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _namespace() -> str:
    return os.readlink("/proc/self/ns/pid").strip("pid:[]")
