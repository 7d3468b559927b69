"""How processes share the CPUs: read from this process and from a busy child."""

import os
import time
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.core.readings import BUSIEST, IDLE, MAJOR_FAULTS, RUN_DELAY
from benchsuite.system.procfs import Stat
from benchsuite.telemetry import scheduling
from benchsuite.telemetry.base import Snapshot
from benchsuite.telemetry.scheduling import SPAN, Scheduling


def stat(pid: int, ticks: int, faults: int = 0) -> Stat:
    return Stat(
        pid=pid,
        state="R",
        ppid=1,
        session=1,
        own_ticks=ticks,
        children_ticks=0,
        threads=1,
        started=pid,
        major_faults=faults,
    )


def counts(device: Scheduling, at: float, *stats: Stat) -> dict[str, int]:
    return dict(device.sample(Snapshot(at=at, stats=stats)).get("counts", {}))


def test_the_busiest_process_is_told_over_several_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduling, "TICKS_PER_S", 100)
    monkeypatch.setattr(scheduling, "delays", lambda pid: {})
    device = Scheduling()
    assert counts(device, 0.0, stat(1, 0), stat(2, 0)) == {}
    # each is busy in every other second: over four of them neither does more than the other
    seen = [
        counts(
            device, float(second), stat(1, 100 * (second // 2)), stat(2, 100 * ((second + 1) // 2))
        )
        for second in range(1, SPAN)
    ]
    assert [one[BUSIEST] for one in seen] == [100, 50, 67, 50, 60]


def test_delays_are_of_the_time_between_two_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = iter([{(1, 1): 5_000_000_000}, {(1, 1): 6_000_000_000, (1, 2): 500_000_000}])
    monkeypatch.setattr(scheduling, "delays", lambda pid: next(waited))
    device = Scheduling()
    counts(device, 10.0, stat(1, 0, faults=7))
    found = counts(device, 12.0, stat(1, 0, faults=107))
    assert found[RUN_DELAY] == 75, "1 s and 0.5 s of a new thread, in 2 s"
    assert found[MAJOR_FAULTS] == 50


def test_cpus_are_idle_as_the_kernel_says(monkeypatch: pytest.MonkeyPatch) -> None:
    text = iter(
        [
            b"cpu 9 9 9 9 9\ncpu0 1 2 3 100 5 0\ncpu1 1 2 3 4 5 0\nintr 7 8 9\n",
            b"cpu 9 9 9 9 9\ncpu0 1 2 3 180 15 0\ncpu1 1 2 3 4 5 0\nintr 7 8 9\n",
        ]
    )
    monkeypatch.setattr(scheduling, "TICKS_PER_S", 100)
    monkeypatch.setattr(scheduling, "delays", lambda pid: {})
    monkeypatch.setattr(scheduling, "waiting_us", lambda path: None)
    monkeypatch.setattr(scheduling, "read_bytes", lambda path: next(text))
    monkeypatch.setattr(scheduling, "affinity", lambda pids: {0, 1})
    device = Scheduling()
    counts(device, 10.0, stat(1, 0))
    assert counts(device, 12.0, stat(1, 0))[IDLE] == 22, "0.9 s of 4 s"


def test_samples_too_close_together_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "delays", lambda pid: {})
    device = Scheduling()
    counts(device, 10.0, stat(1, 0))
    assert counts(device, 10.1, stat(1, 9)) == {}


def test_many_threads_are_read_when_the_budget_allows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "delays", lambda pid: {})
    device, many = Scheduling(), stat(1, 0)._replace(threads=2000)
    device.sample(Snapshot(at=1.0, stats=(many,)))
    assert device.sample(Snapshot(at=2.0, stats=(many,), costly=False)) == {}
    assert counts(device, 3.0, many)[RUN_DELAY] == 0


def test_a_kernel_that_does_not_count_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "delays", lambda pid: {(pid, pid): 0})
    with pytest.raises(UnavailableError, match="CONFIG_SCHED_INFO"):
        Scheduling().start()


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the kernel doesn't count")
def test_every_thread_of_a_process_is_read() -> None:
    found = scheduling.delays(os.getpid())
    assert (os.getpid(), os.getpid()) in found
    time.sleep(0)
    assert scheduling.delays(2**22 + 1) == {}
