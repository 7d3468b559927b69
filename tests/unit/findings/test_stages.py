"""What differs from level to level is checked stage by stage, and the finding names the stage."""

from dataclasses import replace
from typing import Any

from benchsuite import findings
from benchsuite.core.observations import Arrivals, Connection, Evidence, Probes
from benchsuite.core.results import Finding, Level
from tests.unit.findings.clean import CLEAN, summary


def stage(users: int, **changes: Any) -> Evidence:
    return replace(CLEAN, stage=f"{users} users", **changes)


def found(*stages: Evidence) -> dict[str, Finding]:
    """As of a run whose figures as a whole would trip everything, were they looked at."""
    whole = replace(
        CLEAN,
        stages=stages,
        ceiling_rate=1.0,
        arrivals=Arrivals(offered=100.0, achieved=1.0),
        waiting_users=1000.0,
        probes=Probes(sent=1, answered=0, lateness_s=0.0, load=summary()),
        answers_by_user=(1000, 0, 0, 0),
    )
    return {one.code.split()[0]: one for one in findings.assess(whole)}


def test_clean_stages_have_no_finding() -> None:
    assert found(stage(10), stage(20)) == {}


def test_one_stage_beyond_the_ceiling_is_named() -> None:
    finding = found(stage(10), stage(20, ceiling_rate=110.0), stage(40))["B103"]
    assert finding.level is Level.INVALID
    assert finding.message.startswith(
        "At 20 users: The throughput of 100\u2009/s is 90.9\u2009% of"
    )
    assert "other" not in finding.message


def test_the_worst_stage_is_told_first_and_the_others_by_name() -> None:
    finding = found(
        stage(10, waiting_users=10.8), stage(20, waiting_users=20.0), stage(40, waiting_users=10.7)
    )["B105"]
    assert finding.level is Level.INVALID
    assert finding.message.startswith("At 20 users: 20.0 users did not pause")
    assert finding.message.endswith("The same check finds fault with 10 users and 40 users.")
    assert finding.stages == ("20 users",), "the others are weak there"


def test_each_check_of_a_level_looks_at_the_stages() -> None:
    seen = found(
        stage(10, answers_by_user=(100,) * 6 + (0,) * 4),
        stage(20, arrivals=Arrivals(offered=100.0, achieved=97.0)),
        stage(
            30,
            probes=Probes(
                sent=50,
                answered=50,
                connections=(Connection(times_s=(0.3, 0.3)),) * 25,
                lateness_s=0.0,
                load=summary(),
            ),
        ),
    )
    assert {number: one.message.partition(":")[0] for number, one in seen.items()} == {
        "B104": "At 20 users",
        "B106": "At 30 users",
        "B206": "At 10 users",
    }


def test_what_the_target_does_beyond_the_level_told_is_no_doubt() -> None:
    failing = summary(requests=1000, failures=400, failures_by_kind={"status": 400})

    def at(users: int, **changes: Any) -> Evidence:
        return stage(users, **{"total": replace(CLEAN.total or failing, level=users), **changes})

    beyond = at(40, total=replace(failing, level=40.0), ceiling_rate=110.0)
    levels = (at(10), at(20), beyond)
    told = findings.assess(replace(CLEAN, stages=levels, headline=1))
    assert {one.code.split()[0]: one.level for one in told}["B201"] is Level.INFO
    itself = findings.assess(replace(CLEAN, stages=levels, headline=2))
    assert {one.code.split()[0]: one.level for one in itself}["B201"] is Level.INVALID
    below = findings.assess(
        replace(CLEAN, stages=(at(10, total=replace(failing, level=10.0)), at(20)), headline=1)
    )
    assert {one.code.split()[0]: one.level for one in below}["B201"] is Level.INVALID


def test_the_generators_own_limit_is_a_doubt_at_every_level() -> None:
    levels = (stage(10), stage(40, ceiling_rate=110.0))
    (finding,) = findings.assess(replace(CLEAN, stages=levels, headline=0))
    assert finding.level is Level.INVALID


def test_other_checks_look_at_the_whole_run() -> None:
    whole = replace(CLEAN, stages=(stage(10), stage(20)), load_cpu_percent=95.0)
    (finding,) = findings.assess(whole)
    assert finding.message.startswith("The busiest load process used 95")


def test_failures_in_a_stage_leave_mean_times_alone_there() -> None:
    failed = summary(failures=1, failures_by_kind={"http status": 1}, throughput=1.0)
    assert found(stage(10, total=failed)) == {}


def test_each_population_is_held_to_littles_law() -> None:
    pages = replace(CLEAN, stage="8 users of url")
    echoes = replace(CLEAN, stage="2 users of ws_echo", unit="message", waiting_users=12.5)
    whole = replace(CLEAN, stages=(pages, echoes), headline=None)
    (finding,) = (one for one in findings.assess(whole) if one.code.startswith("B105"))
    assert finding.level is Level.INVALID
    assert finding.message.startswith("At 2 users of ws_echo: 12.5 connections did not pause")
