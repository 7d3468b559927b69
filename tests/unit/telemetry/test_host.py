"""What the host does beside the run."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchsuite.system.procfs import Stat
from benchsuite.telemetry import host
from benchsuite.telemetry.base import Clocks
from benchsuite.telemetry.devices import TICKS_PER_S
from benchsuite.telemetry.host import Host, Others


class Machine:
    """A /proc and /sys of our own, and clocks that move when they are told."""

    folders: Iterator[Path]  #: One for each.

    def __init__(self):
        self.root = next(self.folders)
        self.now = 100.0
        self.wall_apart = 5000.0
        self.asleep_s = 0.0
        self.write("proc/self/cgroup", "0::/box/run\n")
        self.write("sys/fs/cgroup/cpu.stat", "usage_usec 5\n")
        self.throttle(0, 0)
        self.cpu(idle=0, steal=0)
        self.pressure(0)
        self.overflows(7)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def cpu(self, *, idle, steal):
        self.write("proc/stat", f"cpu  10 0 10 {idle} 0 0 0 {steal} 0 0\ncpu0 1 2 3\n")

    def throttle(self, periods, throttled):
        self.write(
            "sys/fs/cgroup/box/cpu.stat", f"nr_periods {periods}\nnr_throttled {throttled}\n"
        )

    def pressure(self, total_us):
        self.write(
            "proc/pressure/memory",
            f"some avg10=0.00 avg60=0.00 avg300=0.00 total={total_us}\nfull avg10=0 total=0\n",
        )

    def overflows(self, count):
        self.write(
            "proc/net/netstat",
            f"TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 1 {count} 9\n"
            "IpExt: InNoRoutes\nIpExt: 4\n",
        )

    def look(self, **changes):
        """A second later, if nothing else is said."""
        self.now += changes.pop("after_s", 1)
        for name, change in changes.items():
            setattr(self, name, getattr(self, name) + change)
        self.watching.look()

    def host(self, ours=tuple):
        clocks = Clocks(
            monotonic=lambda: self.now,
            wall=lambda: self.now + self.wall_apart + self.asleep_s,
            since_boot=lambda: self.now + self.asleep_s,
        )
        self.watching = Host(ours, cpus=2, clocks=clocks, root=self.root)
        self.watching.look()
        return self.watching


def test_values(tmp_path, golden):
    Machine.folders = (tmp_path / str(number) for number in itertools.count())
    golden.values()


def stat(pid, ppid):
    return Stat(pid, "S", ppid, 1, 0, 0, 1, started=pid)


@pytest.mark.parametrize(
    ("state", "pid", "stopped"),
    [("T", 51, True), ("t", 51, False), ("S", 51, False), ("T", 52, True), ("T", 99, False)],
)
def test_a_stopped_process_of_the_run_is_seen(monkeypatch, state, pid, *, stopped):
    """51 is the target's, 52 its child, 99 somebody else's; a debugger's stop is not meant."""
    tree = {51: stat(51, 1), 52: stat(52, 51), 99: stat(99, 1)}
    tree[pid] = tree[pid]._replace(state=state)
    monkeypatch.setattr(host, "all_pids", lambda: list(tree))
    monkeypatch.setattr(host, "read_stat", tree.get)
    seen = Others(lambda: [51])
    seen.look()
    assert seen.stopped is stopped


def test_databases_that_the_run_did_not_start_are_counted_apart(monkeypatch):
    """98 is a PostgreSQL of the machine, whose session 97 ended between the looks; 52 is the run's
    own, 99 anybody's.
    """
    names = {51: "gunicorn", 52: "postgres", 97: "postgres", 98: "postgres", 99: "make"}
    tree = {51: stat(51, 1), 52: stat(52, 51), 97: stat(97, 98), 98: stat(98, 1), 99: stat(99, 1)}
    now = [100.0]
    monkeypatch.setattr(host, "all_pids", lambda: list(tree))
    monkeypatch.setattr(host, "read_stat", tree.get)
    monkeypatch.setattr(host, "read_text", lambda path: names[int(path.split("/")[2])])
    monkeypatch.setattr(host, "time", SimpleNamespace(monotonic=lambda: now[0]))
    seen = Others(lambda: [51])
    seen.look()
    assert seen.database_percent is None
    now[0] += 1
    ended = tree.pop(97)
    tree[98] = tree[98]._replace(own_ticks=20, children_ticks=ended.own_ticks + 40)
    tree[52] = tree[52]._replace(own_ticks=30)
    tree[99] = tree[99]._replace(own_ticks=10)
    assert seen.look() == pytest.approx(1000 / TICKS_PER_S)
    assert seen.database_percent == pytest.approx(6000 / TICKS_PER_S)


def test_a_queue_that_overflows_before_the_first_look_in_a_window_is_counted(tmp_path):
    Machine.folders = iter([tmp_path])
    machine = Machine()
    host = machine.host()
    machine.overflows(11)
    machine.look()
    machine.look()
    assert host.shares(100.5, 102.0).listen_overflows == 4
