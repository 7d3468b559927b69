"""What `runbench` prints of the findings, and of starts that don't count."""

from collections import Counter
from dataclasses import replace

import pytest

from benchsuite.core.results import Level
from benchsuite.report.sentences import doubt_lines
from tests.factories import INVALID, WEAK, make_run

INFO = replace(WEAK, level=Level.INFO)
MILD = replace(INVALID, level=WEAK.level, message="1 % of the requests failed.")


def noisy(percent, by):
    message = f"The CPUs' time went to {by}."
    return replace(INVALID, code="B401 noisy-host", message=message, value=percent, unit="%")


def weak(**given):
    return replace(WEAK, **given)


def told(*runs):
    """Of runs of servers with these findings."""
    starts: Counter[str] = Counter()
    rows = []
    for server, *findings in runs:
        starts[server] += 1
        rows.append(make_run(server, findings=tuple(findings), repetition=starts[server]))
    return "\n".join(doubt_lines(rows)).replace("\u2009", " ") or "nothing"


@pytest.mark.django_db
def test_what_is_told(golden):
    golden.cases(told)
