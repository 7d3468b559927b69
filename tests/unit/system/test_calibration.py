"""A size is found once for each machine, Python and time, and then remembered."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchsuite.system import calibration
from benchsuite.system.calibration import size_for

Work = Callable[[int], object]


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Work:
    """Takes 50 ns for each of its size, by the clock that is read, and 1 ms at once."""
    now = 0.0

    def work(size: int) -> None:
        nonlocal now
        now += 0.001 + size * 50e-9

    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path))
    monkeypatch.setattr(calibration, "thread_time", lambda: now)
    return work


def broken(size: int) -> None:
    raise AssertionError("it is known")


@pytest.mark.parametrize(("seconds", "size"), [(0.67, 13_400_000), (0.01, 180_000), (2.0, 40e6)])
def test_the_size_takes_as_long_as_it_should(seconds: float, size: int, work: Work) -> None:
    assert size_for(seconds, work, name="cpu") == pytest.approx(size, rel=0.02)


def test_it_is_remembered_until_something_else_is_wanted_or_runs(
    work: Work, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    size = size_for(0.5, work, name="cpu")
    assert size_for(0.5, broken, name="cpu") == size
    (kept,) = (tmp_path / "calibrations").iterdir()
    assert json.loads(kept.read_text())["size"] == size
    for other in ({"seconds": 0.6, "name": "cpu"}, {"seconds": 0.5, "name": "gpu"}):
        with pytest.raises(AssertionError, match="known"):
            size_for(work=broken, **other)  # type: ignore[arg-type]
    monkeypatch.setattr(sys, "version", "4.0")
    with pytest.raises(AssertionError, match="known"):
        size_for(0.5, broken, name="cpu")
    assert size_for(0.5, work, name="cpu") == size


def test_a_file_that_makes_no_sense_is_replaced(work: Work, tmp_path: Path) -> None:
    size = size_for(0.5, work, name="cpu")
    (kept,) = (tmp_path / "calibrations").iterdir()
    kept.write_text("{")
    assert size_for(0.5, work, name="cpu") == size
    assert size_for(0.5, broken, name="cpu") == size
