"""What `runbench` prints of the findings, and of starts that don't count."""

from dataclasses import replace

import pytest

from benchsuite.core.results import Finding, Level
from benchsuite.report.doubts import doubt_lines
from tests.factories import INVALID, WEAK, make_run

pytestmark = pytest.mark.django_db


def test_a_single_start_tells_its_findings() -> None:
    rows = [make_run("uwsgi", findings=(WEAK,)), make_run("daphne", findings=(WEAK,))]
    assert doubt_lines(rows) == [
        f"B101 generator-cpu  uwsgi: {WEAK.message}",
        f"B101 generator-cpu  daphne: {WEAK.message}",
        f"                    {WEAK.hint}",
    ]


def test_of_several_starts_the_gravest_stands_for_all() -> None:
    mild = replace(INVALID, level=WEAK.level, message="1 % of the requests failed.")
    found = ((mild,), (INVALID,), (), (mild,))
    rows = [
        make_run("uwsgi", findings=findings, repetition=number)
        for number, findings in enumerate(found, start=1)
    ]
    rows += [make_run("daphne", findings=found[0]), make_run("daphne", repetition=2)]
    assert doubt_lines(rows) == [
        f"B201 failures  uwsgi, 3 of 4 starts such as this: {INVALID.message}",
        f"B201 failures  daphne, 1 of 2 starts: {mild.message}",
        f"               {INVALID.hint}",
    ]


def test_nothing_doubtful_is_nothing_told() -> None:
    assert doubt_lines([make_run("uwsgi")]) == []


def test_information_is_told_only_where_it_says_what_was_measured() -> None:
    info = replace(WEAK, level=Level.INFO)
    cached = replace(info, code="B503 view-not-run")
    rows = [make_run("uwsgi", findings=(info, cached))]
    assert doubt_lines(rows)[0] == f"B503 view-not-run  uwsgi: {WEAK.message}"


def noisy(percent: str, by: str) -> Finding:
    message = f"The machine was not quiet: {percent} of the CPUs' time went to {by}."
    return Finding(code="B401 noisy-host", level=Level.INVALID, message=message, hint="Wait.")


def test_a_code_of_many_cells_is_one_line() -> None:
    rows = [
        make_run("uwsgi", findings=(noisy("78.1\u2009%", "python"), WEAK)),
        make_run("daphne", findings=(noisy("100\u2009%", "apache2"),)),
        make_run("daphne", findings=(noisy("81.0\u2009%", "python"),), repetition=2),
        make_run("uvicorn", findings=(noisy("93.5\u2009%", "python"),)),
    ]
    code = "B401 noisy-host"
    worst = noisy("100\u2009%", "apache2").message
    assert doubt_lines(rows)[2:] == [
        f"{code}  all 3 cells, 78.1–100\u2009%; the worst, daphne: {worst}",
        f"{' ' * len(code)}  Wait.",
    ]
    assert "3 of 4 cells, 78.1–100\u2009%" in doubt_lines([*rows, make_run("waitress")])[2]


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (
            ["A timer was 800\u2009µs late.", "A timer was 4.5\u2009ms late."] * 2,
            "800\u2009µs–4.5\u2009ms",
        ),
        (["It took 5\u2009ms.", "It took 12\u2009%.", "It took 1\u2009s."], ""),
        (["It died.", "It died.", "It died."], ""),
        (["It took 5\u2009%."] * 3, "5\u2009%"),
        (["1\u2009200\u2009/s", "30\u2009/s", "4\u2009/s"], "4–1\u2009200\u2009/s"),
    ],
)
def test_figures_that_are_not_alike_have_no_range(messages: list[str], told: str) -> None:
    rows = [
        make_run(f"s{number}", findings=(replace(WEAK, message=message),))
        for number, message in enumerate(messages)
    ]
    (line, *_) = doubt_lines(rows)
    assert line.startswith(f"{WEAK.code}  all {len(messages)} cells{f', {told}' * bool(told)}; the")
