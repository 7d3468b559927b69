"""CPUs, control groups and open files: what a program may have, and what can't be had."""

import os
import resource
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.system import cpus, network


def alone(cpu):
    return frozenset({cpu})


def threads(of):
    """Hardware threads as Linux numbers them: CPU n and CPU n + cores are one core."""
    return lambda cpu: frozenset({cpu % of, cpu % of + of})


def test_what_is_not_there_is_refused():
    cpus.check(cpus.available(), "The server")
    cpus.check(None, "The server")
    with pytest.raises(UsageError, match="The load can't run on CPU 8000: this machine has CPU"):
        cpus.check((8000,), "The load")


def test_the_own_affinity_is_as_before_afterwards():
    before = os.sched_getaffinity(0)
    with cpus.given({min(before)}):
        assert os.sched_getaffinity(0) == {min(before)}
    assert os.sched_getaffinity(0) == before
    with cpus.given(None):
        assert os.sched_getaffinity(0) == before


def test_a_quota_is_the_least_of_all_groups_around_a_process(golden):
    def case(groups, **files):
        with TemporaryDirectory() as name:
            root = Path(name)
            for path, text in {
                "proc/self/cgroup": groups,
                **{f"sys/fs/cgroup/{path}": text for path, text in files.items()},
            }.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return cpus.cpu_quota(root)

    golden.cases(case)


def test_a_machine_without_control_groups_has_no_quota(tmp_path):
    assert cpus.cpu_quota(tmp_path) is None


def test_usable_are_no_more_cpus_than_the_quota_lets_run(golden, monkeypatch):
    def case(quota, on):
        monkeypatch.setattr(cpus, "available", lambda: (0, 1, 2, 3))
        monkeypatch.setattr(cpus, "cpu_quota", lambda: quota)
        return cpus.usable(on)

    golden.cases(case)


@pytest.fixture
def limits(monkeypatch):
    """A session that may have 1024 open files, and 4096 when it asks; what was set since."""
    limits = [(1024, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda which: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda which, pair: limits.append(pair))
    return limits


def test_too_many_are_refused_with_the_limit_and_the_way_out(limits):
    network.check_descriptors(4032)
    with pytest.raises(UsageError) as raised:
        network.check_descriptors(5000)
    words = str(raised.value)
    assert "5000 connections need up to 5256 open files" in words
    assert "is limited to 4096" in words
    assert "ulimit -n 5256" in words


def test_the_soft_limit_is_raised_for_a_while(limits):
    with network.descriptors_raised(2256) as words:
        assert limits[-1] == (2256, 4096)
        assert words == "2256 open files a process instead of 1024"
    assert limits[-1] == (1024, 4096)


def test_what_suffices_is_left_alone(limits):
    with network.descriptors_raised(500) as words:
        assert words == ""
    assert limits == [(1024, 4096)]


def test_more_than_the_hard_limit_is_not_asked_for(limits):
    with network.descriptors_raised(10_000):
        assert limits[-1] == (4096, 4096)


def test_values(golden):
    golden.values()
