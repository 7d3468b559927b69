"""What is said of the runs before the first one."""

import re
from dataclasses import replace

from benchsuite.core.specs import (
    DatabaseSpec,
    DelaySpec,
    LoadProfile,
    RunSpec,
    ServerSpec,
    WorkloadSpec,
)
from benchsuite.report.terminal.plan import cpus_words, line, rows
from benchsuite.runner.planning import resolve
from benchsuite.system import cpus

RUN = RunSpec(
    server=ServerSpec(server="uvicorn"), load=LoadProfile(users=20, warmup_s=2.0, duration_s=5.0)
)


def said(work="plain", data=None, delay_s=0.0, **options):
    """The line of such a plan, without CPUs and time, and its row beside one without delay."""
    spec = replace(
        RUN,
        workload=WorkloadSpec(workload=work, options=options),
        database=DatabaseSpec(**(data or {})),
        delay=DelaySpec(to_database_s=delay_s),
    )
    plans = [resolve(spec), resolve(replace(spec, delay=DelaySpec()))]
    beside = re.sub(r"seed \d+", "seed <n>", rows(plans)[0])
    return f"{line(plans[:1], 10).partition(' · ')[0]}\n{beside}"


def test_lines_and_rows(golden):
    golden.cases(said)


def test_where_server_and_load_run(monkeypatch):
    crowded, pinned = ServerSpec(server="uvicorn", processes=2, cpus=(0,)), LoadProfile(cpus=(1, 2))
    told = "server with 2 processes on CPU 0, load on CPUs 1–2"
    assert cpus_words(RunSpec(server=crowded, load=pinned)) == told
    assert cpus_words(RUN) == "server and load share all CPUs"
    monkeypatch.setattr(cpus, "cpu_quota", lambda: 0.5)
    limit = ", both limited to 0.5 CPUs by the control group"
    assert cpus_words(RunSpec(server=crowded, load=pinned)) == told + limit
    assert cpus_words(RUN) == f"server and load share all CPUs{limit}"


def test_values(golden):
    golden.values()


def test_the_warm_up_is_that_of_all_runs_and_not_the_ramp_of_the_first():
    loads = (replace(RUN.load, users=users, spawn_rate=5.0) for users in (100, 10))
    plans = [resolve(replace(RUN, load=load)) for load in loads]
    assert "10 users and 100 users, 2 s warm-up + 5 s each" in line(plans, 10)
