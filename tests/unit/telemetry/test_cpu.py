"""CPU time by part, and how long work waits for a CPU."""

import os
import time
from pathlib import Path

import pytest

from benchsuite.core.readings import IDLE
from benchsuite.system.procfs import Stat
from benchsuite.telemetry import devices
from benchsuite.telemetry.base import Snapshot
from benchsuite.telemetry.devices import TICKS_PER_S, Cpu, Scheduling

SOON = 10**15
"""The start of a process that is newer than every sample."""


class Tree:
    """A process table that is sampled once a second; times in percent of a second."""

    def __init__(self):
        self.device = Cpu()
        self.at = 100.0

    def __call__(self, *stats, after_s=1.0, reaped=0):
        self.at += after_s
        figures = self.device.sample(Snapshot(at=self.at, stats=stats, reaped_s=reaped / 100))
        return figures["cpu_percent"]


def process(pid, own, children=0, ppid=1, started=1, **more):
    ticks = TICKS_PER_S / 100
    own_ticks, children_ticks = int(own * ticks), int(children * ticks)
    made = Stat(pid, "S", ppid, pid, own_ticks, children_ticks, 1, started)
    return made._replace(**more)


def test_this_process_uses_what_it_uses():
    from benchsuite.system.procfs import read_stat

    def stat():
        return read_stat(os.getpid())

    device = Cpu()
    device.sample(Snapshot(at=time.monotonic(), stats=(stat(),)))
    began_s, began = time.process_time(), time.monotonic()
    while time.monotonic() < began + 0.5:
        sum(range(1000))
    used = 100 * (time.process_time() - began_s) / 0.5
    share = device.sample(Snapshot(at=time.monotonic(), stats=(stat(),)))["cpu_percent"]
    assert share == pytest.approx(used, abs=15)


def counts(device, at, *stats):
    return dict(device.sample(Snapshot(at=at, stats=stats)).get("counts", {}))


def test_cpus_are_idle_as_the_kernel_says(monkeypatch):
    text = iter(
        [
            b"cpu 9 9 9 9 9\ncpu0 1 2 3 100 5 0\ncpu1 1 2 3 4 5 0\nintr 7 8 9\n",
            b"cpu 9 9 9 9 9\ncpu0 1 2 3 180 15 0\ncpu1 1 2 3 4 5 0\nintr 7 8 9\n",
        ]
    )
    monkeypatch.setattr(devices, "TICKS_PER_S", 100)
    monkeypatch.setattr(devices, "delays", lambda pid: {})
    monkeypatch.setattr(devices, "waiting_us", lambda path: None)
    monkeypatch.setattr(devices, "read_bytes", lambda path: next(text))
    monkeypatch.setattr(devices, "affinity", lambda pids: {0, 1})
    device = Scheduling()
    counts(device, 10.0, process(1, 0))
    assert counts(device, 12.0, process(1, 0))[IDLE] == 22, "0.9 s of 4 s"


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the kernel doesn't count")
def test_every_thread_of_a_process_is_read():
    found = devices.delays(os.getpid())
    assert (os.getpid(), os.getpid()) in found
    time.sleep(0)
    assert devices.delays(2**22 + 1) == {}


ZOMBIES: dict[int, Stat] = {}
WAITED: dict[tuple[int, int], int] = {}
ME = os.getpid()


def test_values(monkeypatch, golden):
    monkeypatch.setattr(devices, "read_stat", ZOMBIES.get)
    monkeypatch.setattr(devices, "delays", lambda pid: dict(WAITED))
    monkeypatch.setattr(devices, "TICKS_PER_S", 100)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    golden.values()
