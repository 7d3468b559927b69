"""B501 to B503: what slows the project down, and what answers in front of it."""

import pytest

from benchsuite.core.results import Asked, Level
from tests.unit.findings.clean import found


def test_something_slow_is_weak_and_named() -> None:
    finding = found(slowing={"MIDDLEWARE": "Silk is installed"}, undone={"DEBUG": "on"})["B501"]
    assert finding.level is Level.WEAK
    assert "MIDDLEWARE: Silk is installed" in finding.message


def test_debug_that_was_switched_off_is_only_said() -> None:
    assert found(undone={"DEBUG": "was True"})["B501"].level is Level.INFO


@pytest.mark.parametrize(("by", "why"), [("queries", "timed its queries"), ("flame", "profiler")])
def test_a_diagnostic_start_never_counts(by: str, why: str) -> None:
    finding = found(diagnosed=by)["B502"]
    assert finding.level is Level.INVALID
    assert why in finding.message


@pytest.mark.parametrize(("viewed", "told"), [(0, "0 times"), (1, "1 time"), (149, "149 times")])
def test_a_cache_in_front_is_told_by_how_often_views_ran(viewed: int, told: str) -> None:
    finding = found(asked=Asked(sent=300, answered=300, seen=300, viewed=viewed))["B503"]
    assert finding.level is Level.INFO
    assert finding.message.startswith(f"The views ran {told} in 300 answers")


@pytest.mark.parametrize("viewed", [150, 300, None])
def test_views_that_ran_or_were_not_counted_are_none(viewed: int | None) -> None:
    assert "B503" not in found(asked=Asked(sent=300, answered=300, seen=300, viewed=viewed))
