"""What is there: processes, ports, files, databases, shared memory. Differences are leftovers.

Everything on this machine that can be seen from here counts, so this works only in namespaces of
its own (`benchmarks/disturbances/alone.py`), where nobody else starts anything.
"""

import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path

import psutil

PATIENCE_S = 15.0
"""How long what is on its way out may take: the reaper waits 5 s, then kills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class There:
    """What is there at one moment, each thing in words."""

    processes: frozenset[str]
    ports: frozenset[str]
    files: frozenset[str]
    databases: frozenset[str]
    memory: frozenset[str]
    networks: frozenset[str]
    rows: frozenset[str]
    """Runs that look alive, in the databases of the results."""

    def beyond(self, before: "There") -> dict[str, list[str]]:
        """What has come since; kinds of which nothing has are left out."""
        pairs = ((one.name, getattr(self, one.name), getattr(before, one.name)) for one in _KINDS)
        return {name: sorted(now - then) for name, now, then in pairs if now - then}


_KINDS = fields(There)
NAMES = tuple(one.name for one in _KINDS)


class Looker:
    """Looks at one temp folder and, through functions, at databases and rows."""

    def __init__(
        self,
        folder: Path,
        beside: set[int],
        databases: Callable[[], list[str]],
        rows: Callable[[], list[str]],
    ) -> None:
        self._folder = folder
        self._beside = beside
        """PIDs of processes that belong here with all that comes from them, but this one's."""
        self._databases = databases
        self._rows = rows

    def look(self) -> There:
        processes = self.strangers()
        return There(
            processes=frozenset(f"{one.pid} {_command(one)}" for one in processes),
            ports=frozenset(
                f"{one.laddr.ip}:{one.laddr.port}"
                for one in psutil.net_connections("inet")
                if one.status == psutil.CONN_LISTEN
            ),
            files=frozenset(os.listdir(self._folder)),
            databases=frozenset(self._databases()),
            memory=frozenset([*os.listdir("/dev/shm"), *_system_v()]),
            networks=frozenset(psutil.net_if_addrs()),
            rows=frozenset(self._rows()),
        )

    def strangers(self) -> list[psutil.Process]:
        """Living processes that belong to no one here."""
        return [one for one in psutil.process_iter() if self._is_strange(one)]

    def _is_strange(self, process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            if process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
                return False
            family = {process.pid, *(parent.pid for parent in process.parents())}
            return process.pid not in (1, os.getpid()) and not family & self._beside
        return False

    def what_is_left(self, before: There) -> dict[str, list[str]]:
        """Words for what came and stays, after a moment of patience."""
        deadline = time.monotonic() + PATIENCE_S
        while (left := self.look().beyond(before)) and time.monotonic() < deadline:
            time.sleep(0.2)
        return left

    def clear(self) -> None:
        """So that what one case left is not found after the next."""
        for process in self.strangers():
            with suppress(psutil.Error):
                process.kill()
        for path in self._folder.iterdir():
            shutil.rmtree(path, ignore_errors=True)
            path.unlink(missing_ok=True)


def _command(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return " ".join(process.cmdline())[:160]
    return "(gone)"


def _system_v() -> list[str]:
    found = []
    for kind in ("shm", "sem", "msg"):
        lines = Path("/proc/sysvipc", kind).read_text().splitlines()[1:]
        found += [f"System V {kind} {line.split()[1]}" for line in lines]
    return found
