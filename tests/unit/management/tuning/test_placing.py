"""Which CPUs a server gets, and which of them are its own."""

from dataclasses import replace

import pytest

from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.management.tuning.trials import placed, unshared
from benchsuite.system import cpus

SPEC = RunSpec(
    workload=WorkloadSpec(workload="io_read"),
    server=ServerSpec(server="uwsgi", cpus=(2, 3)),
    load=LoadProfile(cpus=(0,)),
)


@pytest.fixture(autouse=True)
def six(monkeypatch):
    monkeypatch.setattr(cpus, "available", lambda: (0, 1, 2, 3, 4, 5))
    monkeypatch.setattr(cpus, "cpu_quota", lambda: None)


def test_its_own_come_first_and_those_of_the_load_last():
    found = [placed(SPEC, count) for count in (1, 2, 3, 5, 6)]
    assert found == [(2,), (2, 3), (1, 2, 3), (1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 5)]


def test_all_but_those_of_the_load_are_its_own():
    assert unshared(SPEC) == 5
    assert unshared(replace(SPEC, load=replace(SPEC.load, cpus=None))) == 0


def test_a_quota_is_for_the_load_as_well(monkeypatch):
    monkeypatch.setattr(cpus, "cpu_quota", lambda: 4.0)
    assert unshared(SPEC) == 3
    assert unshared(replace(SPEC, load=replace(SPEC.load, processes=5))) == 0
