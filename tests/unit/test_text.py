"""What `runbench` prints of the findings."""

from dataclasses import replace

import pytest

from benchsuite.report.text import finding_lines
from tests.factories import INVALID, WEAK, make_run

pytestmark = pytest.mark.django_db


def test_a_single_start_tells_its_findings() -> None:
    rows = [make_run("uwsgi", findings=(WEAK,)), make_run("daphne", findings=(WEAK,))]
    assert finding_lines(rows) == [
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
    assert finding_lines(rows) == [
        f"B201 failures  uwsgi, 3 of 4 starts such as this: {INVALID.message}",
        f"B201 failures  daphne, 1 of 2 starts: {mild.message}",
        f"               {INVALID.hint}",
    ]


def test_nothing_doubtful_is_nothing_told() -> None:
    assert finding_lines([make_run("uwsgi")]) == []
