"""B501: what in the project's settings slows it down."""

from benchsuite.results import Level
from tests.unit.validity.clean import found


def test_something_slow_is_weak_and_named() -> None:
    finding = found(remarks={"MIDDLEWARE": "silk records each request"}, debug_was_on=True)["B501"]
    assert finding.level is Level.WEAK
    assert "MIDDLEWARE: silk records each request" in finding.message


def test_debug_that_was_switched_off_is_only_said() -> None:
    assert found(debug_was_on=True)["B501"].level is Level.INFO
