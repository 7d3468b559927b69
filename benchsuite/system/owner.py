"""Names this process so that, later, another one can tell whether it still lives.

A name holds all that is needed to look for the process: its machine, the boot and the PID namespace
in which its number means it, the number, and when it started, as numbers are used again.
"""

import os
import platform
from hashlib import sha256
from pathlib import Path

from benchsuite.system.procfs import read_stat

LONGEST = 200  #: Characters of a name; a host's has 64 at most.

MACHINE_ID = Path("/etc/machine-id")
"""It stays through a reboot. Containers of one image may share it, and often have none."""


def name() -> str:
    """host:machine:boot:PID namespace:PID:start of this process."""
    stat = read_stat(os.getpid())
    started = stat.started if stat else 0
    return ":".join(
        [host_name(), _machine(), _boot(), _namespace(), str(os.getpid()), str(started)]
    )


def host(owner: str) -> str:
    """The name of the machine, or of the container, on which this process runs."""
    return owner.partition(":")[0]


def has_ended(owner: str) -> bool:
    """Whether it is certain from here that the process of that name is gone.

    What is no such name belongs to nobody who lives.
    """
    return _ended(owner) is True


def can_be_seen(owner: str) -> bool:
    """Whether this process can tell: not of one on another machine or in another container."""
    return _ended(owner) is not None


def _ended(owner: str) -> bool | None:
    """None where it can't be told from here."""
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
    """Whether a process is there that /proc doesn't show to this user (`hidepid`)."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return False


def _machine() -> str:
    """Stands for /etc/machine-id, which itself is not to be shown; empty where there is none."""
    try:
        text = MACHINE_ID.read_text().strip()
    except OSError:
        return ""
    return sha256(f"benchsuite {text}".encode()).hexdigest()[:12] if text else ""


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _namespace() -> str:
    """The number of this process's PID namespace."""
    return os.readlink("/proc/self/ns/pid").strip("pid:[]")
