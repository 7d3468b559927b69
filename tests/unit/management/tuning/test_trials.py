"""What a trial asks for is what its run is told."""

from dataclasses import replace

from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.core.specs.objective import parse
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


def test_values(golden):
    golden.values()
