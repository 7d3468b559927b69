"""What is said of the runs before the first one."""

from dataclasses import replace
from typing import Any

import pytest

from benchsuite.core.specs import (
    KEEP,
    MINE,
    DatabaseSpec,
    DelaySpec,
    LoadProfile,
    RunSpec,
    ServerSpec,
    WorkloadSpec,
)
from benchsuite.report.terminal.plan import cpus_words, line, rows
from benchsuite.runner.planning import blocks, resolve
from benchsuite.system import cpus

RUN = RunSpec(
    server=ServerSpec(server="uvicorn"),
    load=LoadProfile(users=20, warmup_s=2.0, duration_s=5.0),
)


def test_processes_that_share_a_cpu_are_told() -> None:
    run = RunSpec(
        server=ServerSpec(server="uvicorn", processes=2, cpus=(0,)), load=LoadProfile(cpus=(1, 2))
    )
    assert cpus_words(run) == "server with 2 processes on CPU 0, load on CPUs 1–2"
    assert cpus_words(RUN) == "server and load share all CPUs"


def test_a_limit_of_the_control_group_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpus, "cpu_quota", lambda: 0.5)
    run = RunSpec(
        server=ServerSpec(server="uvicorn", processes=2, cpus=(0, 1)), load=LoadProfile(cpus=(2,))
    )
    said = ", both limited to 0.5 CPUs by the control group"
    assert cpus_words(run) == f"server with 2 processes on CPUs 0–1, load on CPU 2{said}"
    assert cpus_words(RUN) == f"server and load share all CPUs{said}"


def test_a_line_counts_servers_and_repeats_and_says_what_is_not_usual() -> None:
    other = replace(RUN, server=ServerSpec(server="daphne"))
    plans = [resolve(one) for one in blocks([RUN, other], 3, 0)]
    said = line(plans, 9.4)
    assert said.startswith("2 servers × 3 repeats, plain, 20 users, ")
    assert said.endswith("server and load share all CPUs · about 9 s")
    assert "postgresql" not in said
    there = replace(RUN, database=DatabaseSpec(use="postgresql"))
    assert "postgresql" in line([resolve(there)], 10)


@pytest.mark.parametrize(
    ("work", "data", "words"),
    [
        ("url", {}, "empty database"),
        ("url", {"use": "postgresql"}, "postgresql, empty database"),
        ("url", {"fixtures": ("shop.json",)}, "fixture shop.json"),
        ("url", {"fill_from": MINE}, "your data, copied"),
        ("url", {"fill_from": MINE, "fill": ("more",)}, "your data, copied, filled by more"),
        ("url", {"use": KEEP}, "keep, your own data"),
        ("plain", {}, ""),
    ],
)
def test_the_line_says_what_data_there_are(work: str, data: dict[str, Any], words: str) -> None:
    options = {"path": "/"} if work == "url" else {}
    spec = replace(
        RUN,
        workload=WorkloadSpec(workload=work, options=options),
        database=DatabaseSpec(**data),
    )
    said = line([resolve(spec)], 10)
    assert f"each, {words} · server" in said if words else "each · server" in said, said


@pytest.mark.parametrize(("work", "who"), [("plain", "20 users"), ("ws_echo", "20 connections")])
def test_who_asks_is_what_the_workload_is_about(work: str, who: str) -> None:
    plan = resolve(replace(RUN, workload=WorkloadSpec(workload=work)))
    assert f", {who}, " in line([plan], 10)


@pytest.mark.parametrize(
    ("work", "options", "asks"),
    [
        ("cpu", {}, False),
        ("ws_echo", {}, False),
        ("ws_echo", {"path": "/chat/"}, True),
        ("io_read", {}, True),
        ("url", {"path": "/"}, True),
        ("mixed", {"shares": "1 plain + 1 cpu"}, False),
        ("mixed", {"shares": "1 plain + 1 io_create"}, True),
    ],
)
def test_a_delay_to_a_database_that_nobody_asks_is_told(work, options, asks) -> None:
    spec = replace(
        RUN,
        workload=WorkloadSpec(workload=work, options=options),
        delay=DelaySpec(to_database_s=0.1),
    )
    plan = resolve(spec)
    assert (f" to the database ({work} asks no database) added" in line([plan], 10)) is not asks
    other = resolve(replace(spec, delay=DelaySpec()))
    assert (f"({work} asks no database)" in rows([plan, other])[0]) is not asks


def test_each_run_has_a_row() -> None:
    plans = [resolve(one) for one in blocks([RUN], 2, 7)]
    first, second = rows(plans)
    assert first == f"  1  uvicorn  plain  repetition 1  seed {plans[0].spec.seed}"
    assert second.startswith("  2  uvicorn  plain  repetition 2  seed ")
