"""What a scale makes of times, rates, amounts and starts."""

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.studies import matrix
from benchsuite.studies.study import Options
from tests.unit.studies.samples import changed, study


def options(scale: float, *changes: tuple[str, str]) -> Options:
    only = {"setup": ("async",), "route": ("read",), "delay": ("0",)}
    (cell,) = matrix.cells(study(changed(*changes)), scale, only)
    return cell.options


def test_times_and_amounts_shrink_to_a_least_and_rates_grow() -> None:
    found = options(0.5)
    assert (found["warmup"], found["duration"]) == ("5s", "35s")
    assert (found["messages"], found["spawn-rate"]) == (200, 10)
    found = options(0.05)
    assert (found["warmup"], found["duration"]) == ("0.5s", "7s")
    assert (found["messages"], found["spawn-rate"], found["users"]) == (20, 100, 500)


def test_nothing_gets_longer_than_it_was() -> None:
    assert options(0.05, ('"70s"', '"2s"'))["duration"] == "2s"
    assert options(0.001, ('"7s"', '"5ms"'))["duration"] == "0.07s"
    assert options(0.001)["messages"] == 1


def test_the_whole_scale_changes_nothing() -> None:
    assert options(1)["duration"] == "70s"


def test_starts_become_fewer_where_the_study_names_a_least() -> None:
    assert [matrix.repeats(study(), scale) for scale in (1, 0.5, 0.05)] == [6, 3, 2]
    without = study(changed((", repeat = 2", "")))
    assert matrix.repeats(without, 0.05) == 6


@pytest.mark.parametrize("scale", [0, -1, 1.5, float("nan")])
def test_a_scale_is_a_share(scale: float) -> None:
    with pytest.raises(UsageError, match="--scale must be above 0 and at most 1, and is"):
        matrix.cells(study(), scale)


def test_an_axis_keeps_its_least_number_of_values() -> None:
    kept = study(changed(("repeat = 2 }", "repeat = 2, delay = 2 }")))
    assert matrix.kept_values(kept, 0.05) == {"delay": ("200", "0")}
