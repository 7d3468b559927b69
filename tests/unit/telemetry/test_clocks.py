"""How far two clocks are apart, whatever comes between the readings."""

import pytest

from benchsuite.telemetry.base import Clocks


def test_the_least_interrupted_try_counts() -> None:
    readings = iter([0.0, 9.0, 10.0, 10.0002, 20.0, 25.0, 30.0, 31.0, 40.0, 49.0])
    clocks = Clocks(monotonic=lambda: next(readings))
    there = iter([7.0, 110.0001, 120.0, 130.0, 140.0])
    assert clocks.apart(lambda: next(there)) == pytest.approx(100.0)


def test_the_real_clocks_move_together() -> None:
    clocks = Clocks()
    first = clocks.apart(clocks.since_boot)
    assert clocks.apart(clocks.since_boot) == pytest.approx(first, abs=0.01)
