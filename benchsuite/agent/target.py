"""What an agent watches: processes by their name, those of a unit, and the owner of a port."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from benchsuite.core.units import listed
from benchsuite.system.network import listeners
from benchsuite.system.procfs import all_pids, read_stat, read_text
from benchsuite.system.tree import descendants


@dataclass(slots=True, kw_only=True)
class Target:
    """The processes that are meant by any of these, with all that comes from them."""

    names: tuple[str, ...] = ()
    unit: str = ""
    port: int | None = None
    _owners: set[tuple[int, int]] = field(default_factory=set, init=False)
    """PID and start of those of the port; looked for again when one has ended, as all open files
    must be read for it."""

    @property
    def words(self) -> str:
        """ "processes named gunicorn"."""
        words = [f"processes named {listed(self.names)}"] if self.names else []
        words += [f"unit {self.unit}"] if self.unit else []
        words += [f"the owner of port {self.port}"] if self.port else []
        return listed(words) if words else ""

    def pids(self) -> list[int]:
        """Of all that live; none of this process and those that it comes from."""
        stats = {pid: stat for pid in all_pids() if (stat := read_stat(pid)) and stat.alive}
        own, pid = set(), os.getpid()
        while (stat := stats.get(pid)) is not None:
            own.add(pid)
            pid = stat.ppid
        meant = {pid for pid in stats.keys() - own if self._is_meant(pid)}
        if self.port is not None:
            living = {(pid, stat.started) for pid, stat in stats.items()}
            if not self._owners or not self._owners <= living:
                listening = set(listeners(self.port))
                self._owners = {process for process in living if process[0] in listening}
            meant |= {pid for pid, _ in self._owners} - own
        return sorted(descendants(meant, stats.values()) - own)

    def _is_meant(self, pid: int) -> bool:
        if self.unit:
            groups = read_text(f"/proc/{pid}/cgroup").split()
            if any(self.unit in Path(group.rpartition(":")[2]).parts for group in groups):
                return True
        if not self.names:
            return False
        words = read_text(f"/proc/{pid}/cmdline").split("\0")[:3]  # python -m gunicorn
        words.append(read_text(f"/proc/{pid}/comm").strip())
        # some write a title there: "gunicorn: master [shop]"
        return any(Path(word).name.partition(":")[0] in self.names for word in words)
