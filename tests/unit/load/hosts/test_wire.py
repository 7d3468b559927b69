"""What load hosts and their master tell each other: packing, clocks, and what is not taken."""

import zlib
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from benchsuite.core.exceptions import BenchsuiteError, LoadError
from benchsuite.core.observations import LoadHost
from benchsuite.core.specs import LoadProfile
from benchsuite.load.hosts import wire
from benchsuite.load.hosts.master import HostsPool
from benchsuite.load.hosts.wire import FROM_HOST, FROM_MASTER, Offset, checked, offset
from benchsuite.load.job import stage_windows
from benchsuite.load.parent.driver import DTYPE
from benchsuite.load.process.schedule import arrivals
from tests.unit.load.parent.test_driver import DONE, JOB

THERE, HERE = 912_345.678_901, 52_193.25


def some_samples(count=1000):
    samples = np.zeros(count, DTYPE)
    samples["name"] = np.arange(count) % 3
    samples["user"] = np.arange(count)
    samples["body_bytes"] = 5_000_000_000
    samples["intended_start"] = THERE + np.arange(count) / 1000
    samples["start"] = samples["intended_start"] + 0.000_1
    samples["finish"] = samples["start"] + 0.001_5
    return samples


def test_samples_come_out_as_they_went_in_by_the_other_clock():
    samples = some_samples()
    packed = wire.pack(samples, THERE)
    assert len(packed) < samples.nbytes / 4
    came = wire.unpack(packed, len(samples), 3, HERE)
    for name in ("name", "kind", "process", "user", "body_bytes"):
        assert (came[name] == samples[name]).all()
    for name in ("intended_start", "start", "finish"):
        assert came[name] - HERE == pytest.approx(samples[name] - THERE, abs=2e-9)


def test_arrivals_at_the_edge_of_a_window_stay_on_their_side():
    load = LoadProfile(model="open", arrival_rate=10.0, warmup_s=0.3, duration_s=0.7, timeout_s=1)
    moments = list(arrivals(load, seed=1))
    samples = np.zeros(len(moments), DTYPE)
    for name in ("intended_start", "start", "finish"):
        samples[name] = [THERE + moment for moment in moments]
    came = wire.unpack(wire.pack(samples, THERE), len(moments), 1, HERE)["intended_start"]
    assert came.tolist() == [HERE + moment for moment in moments], "bit by bit"
    done = replace(DONE, origin=HERE, window=(HERE, HERE + 1))
    ((begin, end),) = stage_windows(load, done)
    assert int(((came >= begin) & (came < end)).sum()) == 7


def test_the_end_of_a_load_is_moved_as_a_whole():
    window, users = (THERE + 1.1, THERE + 3.1), ((THERE + 1, 5),)
    earlier = ((THERE - 0.25, 1),)
    done = replace(DONE, origin=THERE, window=window, users=users, connections=earlier, sent=(200,))
    here = wire.converted(done, THERE, HERE)
    assert here.origin == HERE
    assert here.window == (HERE + 1.1, HERE + 3.1)
    assert here.users == ((HERE + 1, 5),)
    assert here.sent == (200,)
    assert here.connections == ((HERE - 0.25, 1),)


@pytest.mark.parametrize(
    "packed",
    [b"", b"no zlib", zlib.compress(b"\0" * 39), zlib.compress(b"\0" * 41), zlib.compress(b"")],
)
def test_other_bytes_are_no_sample(packed):
    with pytest.raises(LoadError):
        wire.unpack(packed, 1, 1, HERE)


def test_a_bomb_is_not_unpacked():
    with pytest.raises(LoadError, match="More than 41 bytes came"):
        wire.unpack(zlib.compress(b"\0" * 50_000_000, 9), 1, 1, HERE)


def test_a_sample_of_no_known_name_is_refused():
    with pytest.raises(LoadError, match="of a name that nobody knows"):
        wire.unpack(wire.pack(some_samples(3), THERE), 3, 2, HERE)


def test_clocks_are_compared_by_the_shortest_round_trip():
    slow, quick = (10.0, 113.4, 10.5), (20.0, 123.0003, 20.0004)
    assert offset([slow, quick]) == Offset(pytest.approx(103.0001), pytest.approx(0.0002))
    ahead = offset([slow, quick]).ahead
    assert abs(ahead - 103.0) <= offset([slow, quick]).error_s, "the true one is within the error"


GOOD = {"kind": "measured", "run": 1, "start": 0, "total": 5, "names": "[]", "packed": b"x"}


def test_a_message_is_taken_as_it_is():
    assert checked(GOOD, FROM_HOST) == GOOD
    assert checked({"kind": "bye"}, FROM_MASTER) == {"kind": "bye"}


def test_anything_else_is_refused(golden):
    def taken(data):
        checked(data, FROM_HOST)

    golden.cases(taken, refuses=LoadError)
    with pytest.raises(LoadError):
        checked(GOOD, FROM_MASTER)


def test_modules_are_told_apart_by_their_bytes():
    assert wire.module_digest("benchsuite.workloads.pages.Plain") == "", "the version says it"
    assert len(wire.module_digest("tests.integration.load_workloads.Get")) == 64
    with pytest.raises(LoadError, match="can't be imported"):
        wire.module_digest("nowhere.at.All")


def a_host(event):
    """One whose event "checked" is this."""
    return SimpleNamespace(
        name="one",
        facts=LoadHost(name="one", share=0.0, cpus=1),
        compared=lambda times: Offset(0.0, 0.0),
        say=lambda kind, **fields: None,
        expect=lambda name: event,
    )


def checked_by(*, locustfile="", **event):
    """What a pool of one host makes of its event "checked"."""
    job = replace(JOB, locustfile=locustfile)
    return HostsPool(SimpleNamespace(pid=1), [a_host(event)]).check(job)


TOLD = {"unchecked": "none", "posts": False, "requests": 1}


def test_a_journey_is_checked_only_with_all_that_is_told_of_it():
    assert checked_by(**TOLD) == "none"
    for name in TOLD:
        with pytest.raises(BenchsuiteError, match="was wanted, and is"):
            checked_by(**{**TOLD, name: None})


@pytest.mark.parametrize(
    ("profile", "shares"),
    [
        ({"users": 6, "processes": 2}, [4 / 6, 2 / 6]),
        ({"users": 5, "processes": 1}, [3 / 5, 2 / 5]),
        ({"model": "open", "arrival_rate": 10.0, "processes": 3}, [0.5, 0.5]),
    ],
)
def test_the_share_of_a_host_is_that_of_its_load_processes(profile, shares):
    hosts = [a_host(TOLD), a_host(TOLD)]
    job = replace(JOB, load=LoadProfile(**profile))
    HostsPool(SimpleNamespace(pid=1), hosts).check(job)
    assert [host.facts.share for host in hosts] == shares


def test_a_locustfile_in_another_encoding_is_not_sent(tmp_path):
    path = tmp_path / "mine.py"
    path.write_bytes(b"# -*- coding: latin-1 -*-\nNAME = '\xe4'\n")
    with pytest.raises(LoadError, match="write it in UTF-8"):
        checked_by(locustfile=str(path))
