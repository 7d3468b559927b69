"""A profiled start in tables, words and JSON, and as a drawing."""

from io import StringIO

import pytest
from rich.console import Console

from benchsuite.report import limiting
from benchsuite.report.limiting import flame
from benchsuite.report.writers import show
from tests.factories import make_run
from tests.flames import profile

pytestmark = pytest.mark.django_db


def made(**given):
    run = make_run()
    run.diagnosis = profile(**given)
    return flame(run)


def test_the_tables_fit_80_columns():
    console = Console(file=StringIO(), width=80, color_system=None)
    run = make_run("gunicorn-gthread")
    run.diagnosis = profile()
    tables = limiting.top_tables([run])
    assert tables[0].title == "CPU time of gunicorn-gthread by own time"
    for table in tables:
        show(table, console)
    said = console.file.getvalue()
    assert all(len(line) <= 80 for line in said.splitlines())
    assert "execute (compiler.py:1570)" in said


def test_values(golden):
    golden.values()
