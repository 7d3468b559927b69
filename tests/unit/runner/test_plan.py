"""A run is resolved once: what a plan knows, and who still looks a class up by its name."""

from dataclasses import replace
from pathlib import Path

import pytest

import benchsuite
from benchsuite import conf
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner.planning import resolve, workload
from benchsuite.workloads.base import Workload

ROOT = Path(benchsuite.__file__).parent
LOADS = (
    LoadProfile(users=8, warmup_s=1.0, duration_s=4.0),
    LoadProfile(users=8, stages=(2.0, 8.0)),
    LoadProfile(model="open", arrival_rate=20.0),
)
NEEDED = {
    "url": {"path": "/"},
    "locustfile": {"path": __file__},
    "mixed": {"shares": "2 plain + 1 ws_echo"},
}
"""Options without which a workload is none."""


def spec(server="uvicorn", work="plain", **fields):
    wanted = WorkloadSpec(workload=work, options=NEEDED.get(work, {}))
    return RunSpec(server=ServerSpec(server=server), workload=wanted, **fields)


def state(value):
    """All that a workload knows, that of its parts included."""
    if isinstance(value, Workload):
        return {name: state(one) for name, one in vars(value).items()}
    return [state(one) for one in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("name", conf.paths("WORKLOADS"))
def test_to_fit_a_workload_twice_is_to_fit_it_once(name):
    """Repetitions may share one, and the load process fits its own again."""
    fitting = 0
    for load in LOADS:
        load = replace(load, keep_cookies=name == "locustfile")
        work = workload(spec(work=name).workload)
        try:
            fitted = work.fit(load)
        except UsageError:
            continue
        known = state(work)
        assert work.fit(fitted) == fitted
        assert state(work) == known
        fitting += 1
    assert fitting


def test_values(golden):
    golden.values()


def test_who_gives_its_slots_to_connections(golden):
    """Held by ten users, by one too few, in an open model, without keep-alive, behind a front, and
    with pauses that are longer than an idle connection is kept.
    """

    def held(server, **fields):
        plan = resolve(spec(server, load=LOADS[0]))
        plan = resolve(replace(plan.spec, server=replace(plan.spec.server, **fields)))
        slots = plan.slots_held(10)
        others = (
            {"load": LOADS[2]},
            {"load": replace(LOADS[0], keep_alive=False)},
            {"server": replace(plan.spec.server, front="nginx")},
            {"load": replace(LOADS[0], think_time_s=6.0)},
        )
        alike = [resolve(replace(plan.spec, **other)).slots_held(10) for other in others]
        return slots, plan.slots_held((slots or 1) - 1), *alike

    golden.cases(held)
