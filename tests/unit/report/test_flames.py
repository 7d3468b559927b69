"""A profiled start in tables, words and JSON, and as a drawing."""

from io import StringIO

import pytest
from rich.console import Console

from benchsuite.report import flames
from benchsuite.report.flames import ROW, WIDTH, drawing, flame
from benchsuite.report.limiting import told
from benchsuite.report.terminal.grid import show
from benchsuite.report.writers import grid
from tests.factories import make_run
from tests.flames import VIEW, make_profiled, profile

pytestmark = pytest.mark.django_db

FULL = {"cpu_percent": 190.0, "environment": {"cpu_usable": 2}}


def made(**given):
    run = make_run()
    run.diagnosis = profile(**given)
    return flame(run)


def test_the_tables_fit_80_columns():
    console = Console(file=StringIO(), width=80, color_system=None)
    run = make_run("gunicorn-gthread")
    run.diagnosis = profile()
    tables = flames.top_tables([run])
    assert tables[0].title == "CPU time of gunicorn-gthread by own time"
    for table in tables:
        show(grid(table), console)
    said = console.file.getvalue()
    assert all(len(line) <= 80 for line in said.splitlines())
    assert "execute (compiler.py:1570)" in said


def test_the_fix_names_the_hottest_function_of_the_project():
    run = make_run("uwsgi", **FULL)
    assert "runbench --flame shows where" in told(run).limits[0].fix
    start = make_profiled(run)
    seen = told(run, [start])
    assert "time goes in list_products, shop/views.py:12" in seen.limits[0].fix
    assert seen.flame.run == start
    start.diagnosis = profile(project=())
    assert "no function of the project stands out" in told(run, [start]).limits[0].fix


def test_boxes_are_as_wide_as_their_samples():
    found = drawing(made())
    (view,) = (one for one in found.boxes if one.is_project)
    assert view.width == pytest.approx(0.8 * WIDTH)
    assert view.y == 2 * ROW
    assert view.text == "list_products"
    assert view.title == f"{VIEW}, of the project: 80 samples, 80.0\u2009%"
    assert found.height == 4 * ROW
    (narrow,) = (one for one in found.boxes if "parse_request" in one.title)
    assert narrow.text == "parse_…"


def test_values(golden):
    golden.values()
