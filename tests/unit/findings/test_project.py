"""B501 and B502: what slows the project down."""

import pytest

from benchsuite.core.results import Level
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
