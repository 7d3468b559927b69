"""What the commands say at the end of what became of their runs."""

import pytest

from benchsuite.management.output import Screen
from benchsuite.models import Run
from tests.factories import INVALID, make_run


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("requests", "failures", "accused", "named"),
    [
        (10, 10, True, True),
        (0, 0, True, True),
        (0, 0, False, False),  # connections that only wait have nothing to answer
        (10, 9, True, False),
        (10, 0, False, False),
    ],
)
def test_runs_without_a_right_answer_are_named(requests, failures, *, accused, named):
    make_run("waitress", findings=(INVALID,) * accused)
    Run.objects.update(requests=requests, failures=failures)
    sentence = Screen(quiet_stdout=False).none_right(Run.objects.all())
    expected = "waitress: not one answer was right; B201 above says why."
    assert sentence == (expected if named else "")
