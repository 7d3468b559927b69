"""CPUs, control groups and open files: what a program may have, and what can't be had."""

import os
import resource
from contextlib import contextmanager
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


def test_usable_are_no_more_cpus_than_the_quota_lets_run(golden, monkeypatch):
    def case(quota, on):
        monkeypatch.setattr(cpus, "available", lambda: (0, 1, 2, 3))
        monkeypatch.setattr(cpus, "cpu_quota", lambda: quota)
        return cpus.usable(on)

    golden.cases(case)


@contextmanager
def limits():
    """Of a session that may have 1024 open files, and 4096 when it asks; what was set since."""
    limits = [(1024, 4096)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resource, "getrlimit", lambda which: limits[-1])
        patch.setattr(resource, "setrlimit", lambda which, pair: limits.append(pair))
        yield limits


def raised(count):
    """What the limits are meanwhile, in words and as they are, and whether they are so again."""
    with limits() as known:
        with network.descriptors_raised(count) as words:
            meanwhile = known[-1]
        return words, meanwhile, known[-1] == known[0]


def checked(connections):
    with limits():
        network.check_descriptors(connections)


def test_values(golden):
    golden.values()
