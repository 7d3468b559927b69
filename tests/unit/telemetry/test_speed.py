"""The fixed piece of work: on which CPU, and that it is left as it was found."""

import os

import pytest

from benchsuite.system.procfs import read_stat
from benchsuite.telemetry import scheduling
from benchsuite.telemetry.base import Snapshot


def here() -> Snapshot:
    stat = read_stat(os.getpid())
    assert stat is not None
    return Snapshot(at=0.0, stats=(stat,))


def test_each_cpu_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(scheduling, "timed_on", lambda cpu: asked.append(cpu) or 0.001)
    device = scheduling.Speed()
    cpus = sorted(os.sched_getaffinity(0))
    for _ in cpus * 2:
        assert device.sample(here()) == {"work_s": 0.001}
    assert sorted(asked) == sorted(cpus * 2)


def test_it_takes_some_time_and_gives_the_cpus_back() -> None:
    before = os.sched_getaffinity(0)
    assert 1e-6 < scheduling.timed_on(max(before)) < 0.1
    assert os.sched_getaffinity(0) == before


def test_of_nobody_nothing_is_known() -> None:
    assert scheduling.Speed().sample(Snapshot(at=0.0, stats=())) == {"work_s": None}
    assert scheduling.affinity([2**22 + 1]) is None
