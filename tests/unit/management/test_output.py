"""What the commands say at the end of what became of their runs."""

import pytest

from benchsuite.management.output import Screen
from benchsuite.models import Run


@pytest.mark.parametrize(
    ("requests", "failures", "told"),
    [(10, 10, True), (0, 0, True), (10, 9, False), (10, 0, False), (None, None, False)],
)
def test_runs_without_a_right_answer_are_named(
    requests: int | None, failures: int | None, *, told: bool
) -> None:
    rows = [Run(server="waitress", requests=requests, failures=failures)]
    said = Screen(quiet_stdout=False).none_right(rows)
    assert said == ("waitress: not one answer was right; B201 above says why." if told else "")
