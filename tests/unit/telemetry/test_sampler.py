"""The sampler with devices of the test, on the process of the tests itself."""

import itertools
import os
import time
from collections import Counter

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.system import cpus
from benchsuite.telemetry import sampler
from benchsuite.telemetry.base import Device
from benchsuite.telemetry.sampler import Sampler

PATIENCE_S = 20.0
several_cpus = pytest.mark.skipif(len(cpus.available()) < 2, reason="all CPUs are one")


class Steady(Device):
    def sample(self, snapshot):
        return {"threads": 7}


class Broken(Device):
    def sample(self, snapshot):
        raise ZeroDivisionError("on purpose")


class Odd(Device):
    def sample(self, snapshot):
        return {"disk_bytes": 1}


class Absent(Device):
    def start(self):
        raise UnavailableError("not on this machine")

    def sample(self, snapshot):
        raise AssertionError("it was left out")


class Service:
    """Fails when it is asked for the second time."""

    asked = closed = 0

    def sample(self):
        self.asked += 1
        if self.asked == 2:
            raise OSError("gone")
        return {"idle": self.asked}

    def close(self):
        self.closed += 1


def this_process():
    return [os.getpid()]


def watched(sampler, is_enough):
    """What it has seen when that is so, or told of it."""
    sampler.start()
    deadline = time.monotonic() + PATIENCE_S
    while not is_enough():
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return sampler.stop()


def test_readings_of_every_part_in_their_order():
    watch = Sampler({"target": this_process, "load": list}, 0.01, devices=[Steady])
    before = time.monotonic()
    seen = watched(watch, lambda: len(watch.since(0)) >= 8)
    after = time.monotonic()
    assert [one.part for one in seen.readings[:4]] == ["target", "load", "target", "load"]
    times = [one.second for one in seen.readings]
    assert times == sorted(times)
    assert times[::2] == times[1::2], "the parts of a round have one moment"
    assert before <= times[0]
    assert times[-1] <= after
    assert {one.threads for one in seen.readings} == {7}
    assert {one.memory_bytes for one in seen.readings} == {None}
    assert seen.errors == ()
    assert 0 < seen.cpu_percent < 100


def test_errors_are_seen_and_end_nothing():
    def vanished():
        raise LookupError("no such part")

    watch = Sampler({"lost": vanished, "target": this_process}, 0.01, [Broken, Absent, Steady])
    seen = watched(watch, lambda: len(watch.since(0)) >= 3)
    assert {(one.part, one.threads) for one in seen.readings} == {("target", 7)}
    told = "\n".join(seen.errors)
    assert "target, Broken: ZeroDivisionError: on purpose (" in told
    assert "target, Absent: UnavailableError: not on this machine" in told
    assert "lost, its processes: LookupError: no such part (" in told
    assert len(seen.errors) == 4, "Absent is told for both parts, the others once"


def test_stop_without_start():
    seen = Sampler({"target": list}).stop()
    assert seen.readings == ()
    assert seen.cpu_percent is None


class Costly(Device):
    def sample(self, snapshot):
        if not snapshot.costly:
            return {}
        began = time.thread_time()
        while time.thread_time() < began + 0.005:
            pass
        return {"memory_bytes": 1}


def test_costly_figures_wait_until_their_cost_is_a_small_share(monkeypatch):
    # 5 ms of which 5 % of a core may be used: not twice within 0.1 s.
    monkeypatch.setattr(sampler, "COSTLY_SHARE", 0.05)
    watch = Sampler({"target": this_process}, 0.01, devices=[Costly])
    readings = watched(watch, lambda: len(watch.since(0)) >= 30).readings
    at = [one.second for one in readings if one.memory_bytes is not None]
    assert at
    assert len(at) < len(readings)
    assert all(later - earlier > 0.09 for earlier, later in itertools.pairwise(at))


def test_costly_figures_that_a_run_is_for_are_read_each_time(monkeypatch):
    monkeypatch.setattr(sampler, "COSTLY_SHARE", 0.05)
    parts = {"target": this_process, "load": this_process}
    watch = Sampler(parts, 0.01, devices=[Costly], measured="target")
    readings = watched(watch, lambda: len(watch.since(0)) >= 30).readings
    known = Counter(reading.part for reading in readings if reading.memory_bytes)
    read = Counter(reading.part for reading in readings)
    assert known["target"] == read["target"]
    assert 0 < known["load"] < read["load"]


@several_cpus
def test_it_leaves_the_cpus_on_which_readings_come_slowly():
    everything, on = os.sched_getaffinity(0), []

    class Slow(Device):
        def sample(self, snapshot):
            on.append(os.sched_getaffinity(0))
            time.sleep(0.01)
            return {}

    first, *_ = everything
    watched(Sampler({"target": this_process}, 0.02, [Slow], on_cpus={first}), lambda: len(on) > 2)
    assert on[0] == {first}
    assert on[-1] == everything
    assert os.sched_getaffinity(0) == everything, "who started it stays where it was"


@several_cpus
def test_a_reading_that_is_under_way_at_the_stop_gets_all_cpus():
    everything, on = os.sched_getaffinity(0), []

    class Starved(Device):
        def sample(self, snapshot):
            on.append(os.sched_getaffinity(0))
            deadline = time.monotonic() + PATIENCE_S
            while os.sched_getaffinity(0) != everything and time.monotonic() < deadline:
                time.sleep(0.005)
            on.append(os.sched_getaffinity(0))
            return {}

    first, *_ = everything
    seen = watched(Sampler({"target": this_process}, 9, [Starved], on_cpus={first}), lambda: on)
    assert on == [{first}, everything]
    assert seen.errors == ()


def test_who_comes_along_is_called_each_time_and_may_fail():
    looks = []

    def broken():
        raise RuntimeError("no")

    sampler = Sampler({}, interval_s=0.01, also=(lambda: looks.append(1), broken))
    errors = watched(sampler, lambda: len(looks) >= 3).errors
    assert any("RuntimeError: no" in error for error in errors)


def test_a_service_tells_of_itself_with_its_part():
    service = Service()
    parts = {"database": list, "load": list}
    watch = Sampler(parts, service_probes={"database": service}, interval_s=0.01)
    seen = watched(watch, lambda: service.asked >= 3)
    counts = [reading.counts for reading in seen.readings if reading.part == "database"]
    assert counts[:3] == [{"idle": 1}, None, {"idle": 3}]
    assert {reading.counts for reading in seen.readings if reading.part == "load"} == {None}
    assert seen.errors == ("database, its counts: OSError: gone",)
    assert service.closed == 1


class Named(Device):
    """Counts with names of their own, of one part."""

    parts = ("target",)

    def sample(self, snapshot):
        return {"counts": {"swapped": 3}, "threads": 2}


def test_counts_of_devices_and_services_stand_together_and_only_where_they_look():
    watch = Sampler(
        {"target": list, "load": list}, 60.0, devices=[Named], service_probes={"target": Service()}
    )
    seen = watched(watch, lambda: watch.last("load"))
    readings = {reading.part: reading for reading in seen.readings}
    assert readings["target"].counts == {"swapped": 3, "idle": 1}
    assert readings["target"].threads == 2
    assert (readings["load"].counts, readings["load"].threads) == (None, None)


def test_a_figure_that_no_reading_has_costs_nobody_elses():
    watch = Sampler({"target": this_process}, 0.01, [Odd, Steady])
    seen = watched(watch, lambda: len(watch.since(0)) >= 3)
    assert {reading.threads for reading in seen.readings} == {7}
    assert "target, Odd: TypeError: " in "\n".join(seen.errors)
