"""Ratios as if the CPUs had always been equally fast."""

from typing import Any

import pytest

from benchsuite.comparing.comparison import Comparison
from benchsuite.comparing.contrasts import Contrast, contrasts
from benchsuite.comparing.margins import metric
from benchsuite.comparing.speed import corrected, notes
from benchsuite.report.exports.contrasts import as_json
from benchsuite.report.terminal.contrasts import markdown
from tests.starts import SLOW, side


def pair(first_s: float | None, second_s: float | None, **spec: Any) -> Any:
    """The same figures twice, of CPUs that took so long for the piece of work."""
    return (
        side("gunicorn", SLOW, columns={"target_work_s": first_s}, **spec),
        side("granian", SLOW, columns={"target_work_s": second_s}, **spec),
    )


def one(name: str, first_s: float | None, second_s: float | None, **spec: Any) -> Contrast:
    (found,) = contrasts([pair(first_s, second_s, **spec)], [metric(name)])
    return found


@pytest.mark.parametrize(("name", "ratio"), [("goodput", "1.20"), ("p95", "0.83")])
def test_a_slower_cpu_is_made_up_for(name: str, ratio: str) -> None:
    found = corrected(one(name, 0.0001, 0.00012))
    assert found.startswith(
        f"granian / gunicorn {name}, corrected for the CPUs' speed: {ratio} ["
    ), found


def test_nothing_is_corrected_where_nothing_follows() -> None:
    assert corrected(one("memory", 0.0001, 0.00012)) == ""
    assert corrected(one("goodput", 0.0001, None)) == ""
    assert corrected(one("failures", 0.0001, 0.00012)) == ""


def test_it_stands_in_what_machines_and_pull_requests_read() -> None:
    found = one("goodput", 0.0001, 0.00012)
    second = corrected(found)
    assert "corrected for the CPUs' speed: 1.20" in markdown([found], [])
    (written,) = as_json([found], [], unlike=[], comparison=Comparison([]), notes=[])["comparisons"]
    assert written["corrected_for_cpu_speed"] == second


def test_sides_on_cpus_of_another_speed_are_told() -> None:
    (told,) = notes([pair(0.0001, 0.00012)])
    assert told.startswith("B404 cpu-speed: a fixed piece of work took 20.0")
    assert "longer on the CPUs of granian than on those of gunicorn" in told
    (told,) = notes([pair(0.00012, 0.0001)])
    assert "longer on the CPUs of gunicorn than on those of granian" in told
    assert list(notes([pair(0.0001, 0.000104), pair(None, 0.0001)])) == []
