"""One run at a time on a machine: two would measure each other. Who runs or wants to bears a claim,
the moment of its coming, as its soft limit of file locks (see `tree`); the first one has the
machine. The kernel shows claims to every user, and those of containers to the machine, and drops
them however the claimant ends; nobody else can take a name first.
"""

import os
import platform
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from zlib import crc32

from benchsuite.core.exceptions import StartError
from benchsuite.core.printable import hidden, printable
from benchsuite.system.procfs import all_pids, command_line, read_stat, read_text
from benchsuite.system.tree import CLAIMS, RLIMIT_LOCKS, limit_of

MACHINE_ID = Path("/etc/machine-id")  #: Survives a reboot; containers may share or lack it.


def owner_name() -> str:
    """host:machine:boot:PID namespace:PID:start of this process."""
    pid = os.getpid()
    stat = read_stat(pid)
    return ":".join([*_here(), str(pid), str(stat.started if stat else 0)])


def owner_host(owner: str) -> str:
    """The name of the machine or container on which the process runs."""
    return owner.partition(":")[0]


def pid_of(owner: str) -> int:
    """The number of the process, as it is known where it runs; 0 for an invalid name."""
    parts = owner.split(":")
    is_valid = len(parts) == 6 and parts[4].isascii() and parts[4].isdecimal()
    return int(parts[4]) if is_valid else 0


def has_ended(owner: str) -> bool | None:
    """True for an invalid name, too; None if unknown here: for other machines or containers."""
    if not (pid := pid_of(owner)):
        return True
    here, (*place, boot, namespace, _, started) = _here(), owner.split(":")
    if boot != here[2]:
        # this machine before a reboot, or another one
        return True if place[1] and place == here[:2] else None
    if namespace != here[3]:
        return None
    if (stat := read_stat(pid)) is not None:
        return not stat.alive or str(stat.started) != started
    with suppress(ProcessLookupError, OverflowError):
        try:
            os.kill(pid, 0)
        except PermissionError:  # it exists, and /proc hides it from this user (`hidepid`)
            return None
    return True


def _here() -> list[str]:
    """Host, machine (a hash of its ID, which must not be shown; or empty), boot, PID namespace."""
    text = read_text(MACHINE_ID).strip()
    machine = sha256(f"benchsuite {text}".encode()).hexdigest()[:12] if text else ""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    host = platform.node().replace(":", "-")[:64]
    return [host, machine, boot, os.readlink("/proc/self/ns/pid").strip("pid:[]")]


NAME = "benchsuite"  #: Those with another one measure beside each other.
TIME_BITS = 48  #: Of a moment in microseconds since boot: nine years.
TICK_US = 1_000_000 // os.sysconf("SC_CLK_TCK")
POLL_S = 0.2
SETTLE_S = 0.05  #: Before each look for earlier claims, which may not be seen at that moment.
LOOKS = 3
PROMPT_S = 0.02  #: A claim that took longer is made anew: others may have looked in between.
WORDS = 100  #: Characters of a command that are shown.


@dataclass(frozen=True, slots=True)
class Claim:
    """The moment at which a process came, and that process."""

    number: int
    pid: int

    @property
    def stands(self) -> bool:
        """What is older than its process was inherited or made up."""
        stat = read_stat(self.pid)
        if stat is None or not stat.alive or limit_of(self.pid) != self.number:
            return False
        return stat.started * TICK_US <= self.number % (1 << TIME_BITS)

    def __str__(self) -> str:
        """ "process 71, python manage.py runbench" """
        return f"process {self.pid}, {hidden(printable(command_line(self.pid)))[:WORDS]}"


@contextmanager
def alone(on_wait: Callable[[Claim], None]) -> Iterator[None]:
    """Waits until no other run is in progress on this machine, then keeps others out. `on_wait` is
    called once with who has it. Raises StartError where no claim can be made.
    """
    soft, hard = resource.getrlimit(RLIMIT_LOCKS)
    try:
        own = _claim(hard)
        if earlier := _before(own):
            on_wait(earlier[0])
        while earlier:
            while earlier[0].stands:
                time.sleep(POLL_S)
            earlier = _before(own)
        yield
    finally:
        resource.setrlimit(RLIMIT_LOCKS, (soft, hard))


def _before(own: int) -> list[Claim]:
    """Who came earlier, the first one first. For as long as it takes to start a program a claimant
    bears that one's mark in its place (`tree.limited`), so it is looked for several times.
    """
    for _ in range(LOOKS):
        time.sleep(SETTLE_S)
        if earlier := [claim for claim in claims() if claim.number < own]:
            return earlier
    return []


def claims() -> list[Claim]:
    """Of all who run or want to, the first one first."""
    space = _space()
    made = (Claim(limit_of(pid) or 0, pid) for pid in all_pids())
    ours = (claim for claim in made if claim.number & -(1 << TIME_BITS) == space)
    return sorted((claim for claim in ours if claim.stands), key=lambda claim: claim.number)


def _space() -> int:
    return CLAIMS | crc32(NAME.encode()) >> 20 << TIME_BITS


def _claim(hard: int) -> int:
    space = _space()
    while True:
        moment = _now_us()
        try:
            resource.setrlimit(RLIMIT_LOCKS, (space | moment, hard))
        except (ValueError, OSError) as error:
            raise StartError(
                f"No claim can be made that keeps other runs out: {error}; don't limit file locks "
                "(ulimit -x unlimited)."
            ) from error
        if _now_us() - moment < PROMPT_S * 1e6:
            return space | moment


def _now_us() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000
