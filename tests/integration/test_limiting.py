"""What limits real runs is named from what they stored."""

from uuid import uuid4

import pytest

from benchsuite import bottlenecks, store
from benchsuite.comparing.limiting import evidence
from benchsuite.core.results import Status
from benchsuite.core.specs import DatabaseSpec, LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.runner import planning, session
from benchsuite.system import cpus
from tests.integration.runs import Quiet
from tests.needs import needs


@pytest.mark.alone
@needs("postgresql", "psycopg")
def test_a_database_on_the_servers_cpu_is_named_with_its_share() -> None:
    """Ten users and a connection for each request; the rest is as a tuning does it."""
    target, load = cpus.split(cpus.available(), 1) or (None, None)
    spec = RunSpec(
        server=ServerSpec(server="gunicorn-gthread", processes=1, threads=4, cpus=target),
        workload=WorkloadSpec(workload="io_read"),
        load=LoadProfile(users=10, warmup_s=1.0, duration_s=3.0, cpus=load),
        database=DatabaseSpec(use="postgresql", rows=1000, fsync=False, conn_max_age_s=0.0),
    )
    plan = planning.resolve(spec)
    with session(settings_module="testproject.settings.target") as at_work:
        result = at_work.run(plan, Quiet())
    assert result.status is Status.FINISHED, result.failure
    run = store.begun(
        spec, batch=uuid4(), started_at=result.started_at, server_facts=plan.server_facts
    )
    store.fill(run, result)
    seen = evidence(run)
    assert seen is not None
    assert seen.cpu_percent["database"] > seen.cpu_percent["target"] > 5
    named = {one.code.split()[0]: one.evidence for one in bottlenecks.name(seen)}
    # where something else keeps this machine busy, that is L01, with the same figures
    told = named.get("L04a") or named["L01"]
    assert "database 0." in told
    assert "target 0." in told
    assert "a request waits" in told
    assert "L00" not in named
