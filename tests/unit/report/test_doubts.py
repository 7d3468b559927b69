"""What `runbench` prints of the findings, and of starts that don't count."""

from dataclasses import replace

import pytest

from benchsuite.core.results import Finding, Level
from benchsuite.report.doubts import doubt_lines
from tests.factories import INVALID, WEAK, make_run

pytestmark = pytest.mark.django_db


def test_a_finding_of_several_servers_is_said_once() -> None:
    rows = [make_run("uwsgi", findings=(WEAK,)), make_run("daphne", findings=(WEAK,))]
    assert doubt_lines(rows) == [
        f"B101 generator-cpu  both configurations; worst, uwsgi: {WEAK.message}",
        f"  {WEAK.hint}",
    ]


def test_of_several_runs_the_gravest_stands_for_all() -> None:
    mild = replace(INVALID, level=WEAK.level, message="1 % of the requests failed.")
    found = ((mild,), (INVALID,), (), (mild,))
    rows = [
        make_run("uwsgi", findings=findings, repetition=number)
        for number, findings in enumerate(found, start=1)
    ]
    rows += [make_run("daphne", findings=found[0]), make_run("daphne", repetition=2)]
    assert doubt_lines(rows) == [
        f"B201 failures  both configurations; worst, uwsgi: {INVALID.message}",
        f"  {INVALID.hint}",
    ]
    assert doubt_lines(rows[:4])[0] == f"B201 failures  uwsgi, 3 of 4 runs: {INVALID.message}"


def test_nothing_doubtful_is_nothing_told() -> None:
    assert doubt_lines([make_run("uwsgi")]) == []


def test_information_is_told_only_where_it_says_what_was_measured() -> None:
    info = replace(WEAK, level=Level.INFO)
    cached = replace(info, code="B503 view-not-run")
    rows = [make_run("uwsgi", findings=(info, cached))]
    assert doubt_lines(rows)[0] == f"B503 view-not-run  uwsgi: {WEAK.message}"


def noisy(percent: float, by: str) -> Finding:
    message = f"The CPUs' time went to {by}."
    return replace(INVALID, code="B401 noisy-host", message=message, value=percent, unit="%")


def test_a_code_of_many_cells_is_one_line() -> None:
    rows = [
        make_run("uwsgi", findings=(noisy(78.1, "python"), WEAK)),
        make_run("daphne", findings=(noisy(100, "apache2"),)),
        make_run("daphne", findings=(noisy(81, "python"),), repetition=2),
        make_run("uvicorn", findings=(noisy(93.5, "python"),)),
    ]
    assert doubt_lines(rows)[2:] == [
        "B401 noisy-host  all 3 configurations, 78.1–100\u2009%; worst, daphne: The CPUs' time "
        "went to apache2.",
        f"  {INVALID.hint}",
    ]
    assert "3 of 4 configurations, 78.1–100\u2009%" in doubt_lines([*rows, make_run("waitress")])[2]


@pytest.mark.parametrize(
    ("values", "unit", "shown"),
    [
        ((1, 4.5, 3), "%", ", 1.00–4.50\u2009%"),
        ((5, 5, 5), "%", ", 5.00\u2009%"),
        ((900, 2048, 4096), "bytes", ", 900\u2009B–4.00\u2009KiB"),
        ((2, 50, 3), "", ""),
        ((5, None, 6), "%", ""),
    ],
)
def test_the_range_is_of_values_in_one_unit(
    values: tuple[float | None, ...], unit: str, shown: str
) -> None:
    rows = [
        make_run(f"s{place}", findings=(replace(WEAK, value=value, unit=unit),))
        for place, value in enumerate(values)
    ]
    assert doubt_lines(rows)[0].startswith(f"{WEAK.code}  all 3 configurations{shown}; worst, ")


@pytest.mark.parametrize(
    ("code", "values", "worst"),
    [
        ("B203 target-died", (2, 50, 3), "s1"),
        ("B203 target-died", (2, 50, None), "s2"),
        ("B302 few-samples", (90, 25, 60), "s1"),
        ("B999 of-another-version", (90, 25, 60), "s0"),
    ],
)
def test_the_worst_is_so_by_its_value(
    code: str, values: tuple[float | None, ...], worst: str
) -> None:
    messages = ("2 processes ended, one every 5 s", "50 ended, one every 200 ms", "It ended.")
    rows = [
        make_run(f"s{place}", findings=(replace(WEAK, code=code, value=value, message=message),))
        for place, (value, message) in enumerate(zip(values, messages, strict=True))
    ]
    assert f"; worst, {worst}: " in doubt_lines(rows)[0]
