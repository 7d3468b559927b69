"""What is there: processes, ports, files, databases, shared memory. Differences are leftovers.

Everything on this machine that can be seen from here counts, so this works only in namespaces of
its own (`benchmarks/chaos.py`), where nobody else starts anything.
"""

import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

PATIENCE_S = 15.0
"""How long what is on its way out may take: the reaper waits 5 s, then kills."""


There = dict[str, frozenset[str]]
"""What is there at one moment, each thing in words, by its kind."""
NAMES = ("processes", "ports", "files", "databases", "memory", "networks", "rows")
"""Rows are runs that look alive, in the databases of the results."""


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
        seen = (
            (f"{one.pid} {_command(one)}" for one in self.strangers()),
            (
                f"{one.laddr.ip}:{one.laddr.port}"
                for one in psutil.net_connections("inet")
                if one.status == psutil.CONN_LISTEN
            ),
            os.listdir(self._folder),
            self._databases(),
            [*os.listdir("/dev/shm"), *_system_v()],
            psutil.net_if_addrs(),
            self._rows(),
        )
        return {name: frozenset(things) for name, things in zip(NAMES, seen, strict=True)}

    def strangers(self) -> list[psutil.Process]:
        """Living processes that belong to no one here."""
        strange = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                family = {process.pid, *(parent.pid for parent in process.parents())}
                alive = process.status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
                if alive and process.pid not in (1, os.getpid()) and not family & self._beside:
                    strange.append(process)
        return strange

    def what_is_left(self, before: There) -> dict[str, list[str]]:
        """Words for what came and stays, after a moment of patience; only the kinds of which
        something has.
        """
        deadline = time.monotonic() + PATIENCE_S
        while True:
            now = self.look()
            left = {name: sorted(now[name] - before[name]) for name in NAMES}
            left = {name: things for name, things in left.items() if things}
            if not left or time.monotonic() >= deadline:
                return left
            time.sleep(0.2)

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
