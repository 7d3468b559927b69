"""A target that stops for a while, as an oracle of its own and the load process see it."""

from pathlib import Path

import pytest

from benchmarks import stall

pytestmark = pytest.mark.alone

DURATION_S = 8.0


def test_a_closed_load_misses_most_of_a_stall_that_the_oracle_sees(tmp_path: Path) -> None:
    """Why results of the closed model say that they may leave out what would have suffered."""
    trial = stall.trial("ours, closed", DURATION_S, tmp_path)
    expected_s = 0.8 * stall.SHARE * DURATION_S
    # other work on the machine may lengthen what the oracle sees, and never shortens it
    assert 0.9 * expected_s < trial.true_p99_s < 1.5 * expected_s
    assert trial.shown.percentiles[99] < trial.true_p99_s / 2


def test_an_open_load_sees_the_stall_as_the_oracle_does(tmp_path: Path) -> None:
    trial = stall.trial("ours, open", DURATION_S, tmp_path)
    assert trial.ratio == pytest.approx(1.0, abs=0.15)
