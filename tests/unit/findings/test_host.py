"""B401 to B403: the run that trips each, and the one just below that doesn't."""

from typing import Any

import pytest

from benchsuite.core.observations import ClockCheck, HostShares
from benchsuite.core.results import Level
from tests.unit.findings.clean import found


@pytest.mark.parametrize(
    "field",
    [
        "steal_percent",
        "others_percent",
        "throttled_percent",
        "stopped_percent",
        "memory_pressure_percent",
    ],
)
@pytest.mark.parametrize(
    ("percent", "level"),
    [(None, None), (5.0, None), (5.1, Level.WEAK), (25.0, Level.WEAK), (25.1, Level.INVALID)],
)
def test_noise(field: str, percent: float | None, level: Level | None) -> None:
    shares: dict[str, Any] = {field: percent}
    findings = found(host=HostShares(**shares))
    assert {number: one.level for number, one in findings.items()} == (
        {"B401": level} if level else {}
    )


def test_noise_is_told_with_all_its_causes_and_who_made_it() -> None:
    finding = found(host=HostShares(steal_percent=6, others_percent=30, culprit="make (91)"))[
        "B401"
    ]
    assert finding.level is Level.INVALID
    assert "hypervisor" in finding.message
    assert "above all to make (91)" in finding.message


@pytest.mark.parametrize(
    ("clock", "words"),
    [
        (ClockCheck(wall_step_s=0.05, gap_s=1.0), ""),
        (ClockCheck(wall_step_s=0.051), "was set by 51"),
        (ClockCheck(wall_step_s=-3600.0), "was set by"),
        (ClockCheck(gap_s=1.01), "no reading came for 1.01"),
        (ClockCheck(), ""),
    ],
)
def test_clock(clock: ClockCheck, words: str) -> None:
    findings = found(clock=clock)
    assert set(findings) == ({"B402"} if words else set())
    assert all(words in one.message and one.level is Level.WEAK for one in findings.values())


@pytest.mark.parametrize(
    ("shared", "told"),
    [
        ([], ""),
        ([frozenset()] * 5, ""),
        ([frozenset({1})] * 5, "(1), and"),
        ([frozenset({1})] * 2 + [frozenset()] * 3, "(1) for 2 s, and"),
    ],
)
def test_shared_cpus_are_only_told(shared: list[frozenset[int]], told: str) -> None:
    findings = found(cpus_shared=shared)
    assert {number: one.level for number, one in findings.items()} == (
        {"B403": Level.INFO} if told else {}
    )
    assert all(told in one.message for one in findings.values())


@pytest.mark.parametrize(
    ("times", "told"),
    [
        ([1.0] * 10, False),
        ([1.0, 1.04] * 5, False),
        ([1.0] * 5 + [1.2] * 5, True),
        ([1.0 + 0.02 * second for second in range(10)], True),
        ([1.0, 1.6] * 10, False),  # two kinds of CPUs, asked in turn
        ([1.0] * 3 + [1.2] * 3, False),  # too short to tell
    ],
)
def test_cpus_that_change_their_speed(times: list[float], *, told: bool) -> None:
    findings = found(work_s={"target": times, "load": [1.0] * 10})
    assert set(findings) == ({"B404"} if told else set())
    if told:
        assert findings["B404"].level is Level.WEAK
        assert "on the CPUs of the target it rose by" in findings["B404"].message
        assert "load" not in findings["B404"].message


@pytest.mark.parametrize(("percent", "told"), [(None, False), (25.0, False), (26.0, True)])
def test_a_target_that_works_on_is_only_told(percent: float | None, *, told: bool) -> None:
    findings = found(busy_after_percent=percent)
    assert {number: one.level for number, one in findings.items()} == (
        {"B401": Level.INFO} if told else {}
    )


def test_what_could_not_be_watched_is_said() -> None:
    finding = found(host=None, unwatched=("what else the machine did (B401)",))["B405"]
    assert finding.level is Level.INFO
    assert "Not everything could be watched: what else the machine did (B401)." in finding.message


def test_only_so_many_reasons_are_told() -> None:
    message = found(unwatched=tuple("abcdefg"))["B405"].message
    assert "watched: a; b; c; d; e; and 2 more." in message
