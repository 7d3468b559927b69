"""What a trial asks for is what its run is told."""

from dataclasses import replace

from benchsuite.core.specs import FLAME, LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.core.specs.objective import parse
from benchsuite.management.tuning.trials import spec_of, unhurried
from benchsuite.tuning.trial import Candidate, Load, Phase, Question, Trial

BASE = RunSpec(
    workload=WorkloadSpec(workload="io_read"),
    server=ServerSpec(server="runserver", cpus=(0, 1), front="nginx"),
    load=LoadProfile(keep_alive=False, processes=2, cpus=(3,)),
    label="mine",
)
TRIAL = Trial(
    candidate=Candidate(server="uwsgi", processes=3, threads=8, options=(("buffer_bytes", 65536),)),
    phase=Phase.RACE,
    load=Load(rates=(93.123456, 106.98765), warmup_s=1.0, window_s=5.0),
    seed=7003,
    reason="block 1",
)
ASKED = Question(objective=parse("p95 < 200ms"), cpus=2)
CLOSED = replace(TRIAL, load=Load(users=24, warmup_s=1.0, window_s=3.0))


def test_only_the_diagnostic_start_times_queries() -> None:
    assert not spec_of(TRIAL, BASE, ASKED).diagnoses
    start = spec_of(replace(TRIAL, phase=Phase.DIAGNOSE), BASE, ASKED)
    assert start.diagnoses
    assert start.load.stages == (93.12, 107.0)
    assert spec_of(replace(TRIAL, phase=Phase.FLAME), BASE, ASKED).diagnoses == FLAME


def test_values(golden):
    golden.values()


def test_one_user_is_not_shared_out():
    load = replace(BASE.load, users=10, processes=4, hosts=2)
    alone = unhurried(replace(BASE, load=load)).load
    assert (alone.users, alone.processes, alone.hosts) == (1, 1, 1)
    assert unhurried(BASE).load.hosts == 0
