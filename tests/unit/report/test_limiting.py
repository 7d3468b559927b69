"""What limits runs, as the terminal and JSON tell it."""

from typing import Any

import pytest

from benchsuite.comparing.cells import cells
from benchsuite.core.specs import RunSpec
from benchsuite.report.limiting import limit_lines
from tests.factories import make_run

pytestmark = pytest.mark.django_db

FULL: dict[str, Any] = {"cpu_percent": 190.0, "environment": {"cpu_usable": 2}}


def test_of_many_cells_who_has_which_with_the_evidence_of_one():
    servers = ("uwsgi", "gunicorn-gthread", "granian-wsgi")
    runs = [make_run(server, rate=600.0 - 9 * n, **FULL) for n, server in enumerate(servers)]
    line, fix = limit_lines(cells(runs))
    titles = "uwsgi, gunicorn-gthread and granian-wsgi"
    assert line.startswith(f"L01 cpu  {titles}. uwsgi: The CPUs are full at 596\u2009/s. 2.00 CPUs")
    assert fix.startswith("  Give the load generator CPUs of its own")


def test_a_diagnostic_start_is_told_with_its_cell():
    run = make_run("uwsgi", cpu_percent=10.0, environment={"cpu_usable": 16})
    start = make_run("uwsgi")
    start.key = RunSpec.from_json(run.spec).diagnosed.key
    times = {"request_s": 0.1, "queries": 1.0, "query_s": 0.01, "connecting_s": 0.05}
    page = {"page": "GET /", "requests": 9, **times, "shapes": []}
    start.diagnosis = {"pages": [page], "paused_s": 0.0, "longest_pause_s": 0.0, "cpu_s": 1.0}
    assert limit_lines(cells([run])) == []
    line, _ = limit_lines(cells([run]), [start])
    assert line.startswith("L04d connecting  uwsgi: ")


def test_values(golden):
    golden.values()
