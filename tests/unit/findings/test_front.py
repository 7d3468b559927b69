"""The front as the limit: B211."""

from dataclasses import replace
from typing import Any

from benchsuite.core.observations import FrontShares
from benchsuite.core.results import Finding, Level
from tests.unit.findings.clean import CLEAN, found

IDLE = FrontShares(
    name="nginx",
    front_percent=20.0,
    front_cpus=1,
    target_percent=60.0,
    target_cpus=1,
    answering_percent=80.0,
    cpus=4,
)


def told(**changes: Any) -> Finding | None:
    return found(front=replace(IDLE, **changes)).get("B211")


def test_a_front_with_time_to_spare_is_no_limit() -> None:
    assert told() is None


def test_a_busy_front_before_a_target_with_time_to_spare() -> None:
    finding = told(front_percent=71.0, target_percent=30.0)
    assert finding is not None
    assert finding.level is Level.WEAK
    assert finding.message == (
        "nginx used 71.0\u2009% of 1 CPU, which is all that it can use, and the target "
        "30.0\u2009% of 1 CPU."
    )


def test_where_both_are_busy_the_front_is_not_the_only_limit() -> None:
    assert told(front_percent=95.0, target_percent=75.0) is None


def test_what_a_part_can_use_is_what_its_processes_and_the_machine_allow() -> None:
    assert told(front_percent=95.0, front_cpus=2, target_percent=30.0) is None
    assert told(front_percent=95.0, front_cpus=8, cpus=1, target_percent=5.0) is not None
    assert told(front_percent=95.0, target_percent=200.0, target_cpus=4) is not None
    assert told(front_percent=95.0, target_percent=300.0, target_cpus=4) is None


def test_on_a_cpu_that_is_used_up_the_greedier_one_is_the_limit() -> None:
    crowded = {"cpus": 1, "answering_percent": 97.0}
    finding = told(front_percent=60.0, target_percent=37.0, **crowded)
    assert finding is not None
    assert finding.message == (
        "Front, target and services together used up 1 CPU, and nginx took 61.9\u2009% of that."
    )
    assert told(front_percent=37.0, target_percent=60.0, **crowded) is None
    assert told(front_percent=47.0, target_percent=20.0, **crowded) is None  # Redis took the rest


def test_a_cpu_that_is_not_used_up_limits_nobody() -> None:
    assert told(cpus=1, front_percent=60.0, target_percent=25.0, answering_percent=85.0) is None


def test_with_stages_the_one_is_named_at_which_the_front_was_the_limit() -> None:
    stages = [
        replace(CLEAN, stage="10 users", front=IDLE),
        replace(CLEAN, stage="50 users", front=replace(IDLE, front_percent=90.0)),
    ]
    assert found(stages=stages)["B211"].message.startswith("At 50 users: nginx used 90.0\u2009%")
