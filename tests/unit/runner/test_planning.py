"""The order of runs, the estimate, and what a spec is resolved to."""

from datetime import UTC, datetime

from benchsuite.core.results import RunResult, Status
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner.planning import resolve
from tests.unit.findings.clean import summary


def spec(server="uvicorn", **changes):
    return RunSpec(server=ServerSpec(server=server), **changes)


LOAD = LoadProfile(users=10, spawn_rate=5, warmup_s=3, duration_s=10, drain_s=20)
LOAD_S = 2 + 3 + 10


def plan(server="uvicorn", workload="plain", **changes):
    load = changes.pop("load", LOAD)
    work = WorkloadSpec(workload=workload)
    return resolve(RunSpec(server=ServerSpec(server=server), workload=work, load=load, **changes))


def ended(one, goodput):
    now, total = datetime.now(UTC), summary(goodput=goodput)
    return RunResult(spec=one.spec, status=Status.FINISHED, started_at=now, total=total)


def test_values(golden):
    golden.values(replace={r"there are \d+": "there are <n>", r"all \d+": "all <n>"})
