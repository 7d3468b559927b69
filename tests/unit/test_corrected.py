"""Ratios as if the CPUs had always been equally fast."""

from collections.abc import Sequence
from typing import Any

import pytest

from benchsuite.comparing.contrasts import Contrast, contrasts, corrected, speed_notes
from benchsuite.comparing.differences import Comparison
from benchsuite.comparing.margins import metric
from benchsuite.core.readings import median_work_s
from benchsuite.core.results import Reading
from benchsuite.report.exports.contrasts import as_json
from benchsuite.report.terminal.contrasts import markdown
from tests.starts import SLOW, side

Times = float | Sequence[float] | None

AS_FAST = (0.0001, 0.000099, 0.000101, 0.000098, 0.000102)
"""Times of the piece of work that are the only reason why the starts of SLOW differ."""


def pair(first_s: Times, second_s: Times, *, second: Sequence[float] = SLOW, **spec: Any) -> Any:
    """SLOW and other figures, of CPUs that took so long for the piece of work."""
    sides = side("gunicorn", SLOW, **spec), side("granian", second, **spec)
    for one_side, seconds in zip(sides, (first_s, second_s), strict=True):
        each = seconds if isinstance(seconds, Sequence) else [seconds] * len(SLOW)
        for run, work_s in zip(one_side.starts, each, strict=True):
            run.target_work_s = work_s
    return sides


def one(name: str, first_s: Times, second_s: Times, **given: Any) -> Contrast:
    (found,) = contrasts([pair(first_s, second_s, **given)], [metric(name)])
    return found


@pytest.mark.parametrize(("name", "ratio"), [("goodput", "1.20"), ("p95", "0.83")])
def test_a_slower_cpu_is_made_up_for(name: str, ratio: str) -> None:
    found = corrected(one(name, AS_FAST, [1.2 * work_s for work_s in AS_FAST]))
    assert found.startswith(f"granian / gunicorn {name}, corrected for the CPUs' speed: {ratio}"), (
        found
    )


def test_what_is_no_surer_is_not_told() -> None:
    assert corrected(one("goodput", 0.0001, 0.00012)) == "", "the interval moves as it is"
    noisy = [0.0001, 0.00013, 0.00009, 0.00012, 0.00008]
    assert corrected(one("goodput", AS_FAST, noisy)) == "", "times of work that scatter widely"


def test_a_clear_result_is_never_turned() -> None:
    """However narrow it makes the interval: a project that waits gains nothing by a fast CPU."""
    slower = [0.95 * rate for rate in SLOW]
    measured = one("goodput", AS_FAST, AS_FAST, second=slower)
    assert measured.found.high is not None
    assert measured.found.high < 1
    assert "0.95" in corrected(measured)
    for factor in (1.06, 1.12):
        turned = [factor * work_s for work_s in AS_FAST]
        assert corrected(one("goodput", AS_FAST, turned, second=slower)) == ""


def test_one_odd_start_or_second_does_not_make_a_side_slow() -> None:
    assert list(speed_notes([pair(0.0001, [0.0001, 0.0001, 0.0001, 0.0001, 0.001])])) == []
    readings = [Reading(second=float(at), part="target", work_s=0.0001) for at in range(1, 9)]
    odd = Reading(second=9.0, part="target", work_s=0.01)
    assert median_work_s([*readings, odd], "target", (0.0, 10.0)) == 0.0001
    assert median_work_s([], "target", (0.0, 10.0)) is None


def test_nothing_is_corrected_where_nothing_follows() -> None:
    assert corrected(one("memory", 0.0001, 0.00012)) == ""
    assert corrected(one("goodput", 0.0001, None)) == ""
    assert corrected(one("failures", 0.0001, 0.00012)) == ""


def test_it_stands_in_what_machines_and_pull_requests_read() -> None:
    found = one("goodput", AS_FAST, [1.2 * work_s for work_s in AS_FAST])
    second = corrected(found)
    assert "corrected for the CPUs' speed: 1.20" in markdown([found], [])
    (written,) = as_json([found], [], unlike=[], comparison=Comparison([]), notes=[])["comparisons"]
    assert written["corrected_for_cpu_speed"] == second


def test_sides_on_cpus_of_another_speed_are_told() -> None:
    (told,) = speed_notes([pair(0.0001, 0.00012)])
    assert told.startswith("B404 cpu-speed: a fixed piece of work took 20.0")
    assert "longer on the CPUs of granian than on those of gunicorn" in told
    (told,) = speed_notes([pair(0.00012, 0.0001)])
    assert "longer on the CPUs of gunicorn than on those of granian" in told
    assert list(speed_notes([pair(0.0001, 0.000104), pair(None, 0.0001)])) == []
