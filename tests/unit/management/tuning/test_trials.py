"""What a trial asks for is what its run is told."""

from dataclasses import replace

from benchsuite.core.specs import FLAME, LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.core.specs.objective import parse
from benchsuite.management.tuning.trials import pace, spec_of
from benchsuite.tuning.trial import Candidate, Level, Load, Observation, Phase, Question, Trial

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


def test_users_of_a_locustfile_are_as_many_as_ask_at_that_rate_while_nobody_waits() -> None:
    """One of them alone asked twice a second, and waited 20 ms for each answer."""
    alone = Observation(
        levels=(Level(rate=0.0, planned=6, met=(6,), goodput=2.0),),
        took_s=5.0,
        response_s=0.02,
        cpu_s=0.01,
    )
    own_pace = pace(alone, cpus=2)
    assert own_pace is not None
    load = spec_of(TRIAL, BASE, ASKED, own_pace).load
    assert (load.model, load.stages, load.users) == ("closed", (47.0, 53.0), 53)
    assert own_pace.rate(47) == 94.0
    busy = spec_of(CLOSED, BASE, ASKED, own_pace).load
    assert (busy.users, busy.stages) == (24 + 96, ()), "at 200/s 96 think for 0.48 s"
    one = spec_of(replace(CLOSED, load=replace(CLOSED.load, users=1)), BASE, ASKED)
    assert one.load.users == 1


def test_values(golden):
    golden.values()
