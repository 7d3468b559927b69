"""What the host does beside the run."""

from collections.abc import Callable, Iterable
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

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now = 100.0
        self.wall_apart = 5000.0
        self.asleep_s = 0.0
        self.write("proc/self/cgroup", "0::/box/run\n")
        self.write("sys/fs/cgroup/cpu.stat", "usage_usec 5\n")
        self.throttle(0, 0)
        self.cpu(idle=0, steal=0)
        self.pressure(0)
        self.overflows(7)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def cpu(self, *, idle: int, steal: int) -> None:
        self.write("proc/stat", f"cpu  10 0 10 {idle} 0 0 0 {steal} 0 0\ncpu0 1 2 3\n")

    def throttle(self, periods: int, throttled: int) -> None:
        self.write(
            "sys/fs/cgroup/box/cpu.stat", f"nr_periods {periods}\nnr_throttled {throttled}\n"
        )

    def pressure(self, total_us: int) -> None:
        self.write(
            "proc/pressure/memory",
            f"some avg10=0.00 avg60=0.00 avg300=0.00 total={total_us}\nfull avg10=0 total=0\n",
        )

    def overflows(self, count: int) -> None:
        self.write(
            "proc/net/netstat",
            f"TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 1 {count} 9\n"
            "IpExt: InNoRoutes\nIpExt: 4\n",
        )

    def host(self, ours: Callable[[], Iterable[int]] = tuple) -> Host:
        clocks = Clocks(
            monotonic=lambda: self.now,
            wall=lambda: self.now + self.wall_apart + self.asleep_s,
            since_boot=lambda: self.now + self.asleep_s,
        )
        return Host(ours, cpus=2, clocks=clocks, root=self.root)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_shares_of_what_the_counters_grew_by(machine):
    host = machine.host()
    host.look()
    machine.now += 2
    machine.cpu(idle=150, steal=50)
    machine.throttle(20, 3)
    machine.pressure(500_000)
    machine.overflows(11)
    host.look()
    shares = host.shares(100.0, 102.0)
    assert shares is not None
    assert shares.steal_percent == pytest.approx(25.0)
    assert shares.throttled_percent == pytest.approx(15.0)
    assert shares.memory_pressure_percent == pytest.approx(25.0)
    assert shares.listen_overflows == 4


def test_a_group_that_the_target_has_joined_is_watched(machine):
    machine.write("proc/7/cgroup", "0::/\n")
    host = machine.host(ours=lambda: [7])
    host.look()
    machine.write("proc/7/cgroup", "0::/small\n")
    for throttled in (5, 9):
        machine.now += 1
        machine.write(
            "sys/fs/cgroup/small/cpu.stat",
            f"nr_periods {10 * throttled}\nnr_throttled {throttled}\n",
        )
        host.look()
    shares = host.shares(100.0, 102.0)
    assert shares is not None
    assert shares.throttled_percent == pytest.approx(10.0)


def test_only_looks_inside_of_the_window_count(machine):
    host = machine.host()
    for steal in (0, 100, 100, 300):
        machine.cpu(idle=1000, steal=steal)
        host.look()
        machine.now += 1
    shares = host.shares(100.5, 102.0)
    assert shares is not None
    assert shares.steal_percent is None, "no tick has passed between the two"
    assert shares.listen_overflows == 0
    assert host.shares(100.5, 101.5) is None, "one look tells of no time"


def test_a_machine_that_counts_nothing_tells_nothing(tmp_path):
    now = iter(range(100))
    host = Host(cpus=2, root=tmp_path, clocks=Clocks(monotonic=lambda: float(next(now))))
    host.look()
    host.look()
    shares = host.shares(0.0, 99.0)
    assert shares is not None
    assert shares.steal_percent is None
    assert shares.throttled_percent is None
    assert shares.memory_pressure_percent is None
    assert shares.listen_overflows is None


def test_clocks_that_run_evenly(machine):
    host = machine.host()
    for _ in range(4):
        host.look()
        machine.now += 1.01
    clock = host.clock(1.0)
    assert clock is not None
    assert clock.wall_step_s == pytest.approx(0.0)
    assert clock.gap_s == pytest.approx(0.01)


def test_a_wall_clock_that_is_set(machine):
    host = machine.host()
    host.look()
    machine.now += 1
    machine.wall_apart -= 3600
    host.look()
    clock = host.clock(1.0)
    assert clock is not None
    assert clock.wall_step_s == pytest.approx(-3600)
    assert clock.gap_s == 0


def test_a_machine_that_was_suspended(machine):
    """Its wall clock went on without being set, its monotonic one stood still."""
    host = machine.host()
    host.look()
    machine.now += 1
    machine.asleep_s += 30
    host.look()
    clock = host.clock(1.0)
    assert clock is not None
    assert clock.wall_step_s == pytest.approx(0.0)
    assert clock.gap_s == pytest.approx(30)


def test_a_look_that_came_late(machine):
    host = machine.host()
    for pause_s in (1.0, 3.5, 1.0):
        host.look()
        machine.now += pause_s
    clock = host.clock(1.0)
    assert clock is not None
    assert clock.gap_s == pytest.approx(2.5)


def test_one_look_tells_nothing(machine):
    host = machine.host()
    assert host.clock(1.0) is None
    host.look()
    assert host.clock(1.0) is None


def stat(pid: int, ppid: int, state: str = "S") -> Stat:
    return Stat(
        pid=pid,
        state=state,
        ppid=ppid,
        session=1,
        own_ticks=0,
        children_ticks=0,
        threads=1,
        started=pid,
    )


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
    monkeypatch.setattr(host, "read_bytes", lambda path: names[int(path.split("/")[2])].encode())
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
