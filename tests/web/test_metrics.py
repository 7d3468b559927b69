"""A figure that is added in one place is told everywhere."""

import json

import pytest
from django.core.management import CommandError, call_command

from benchsuite import conf
from benchsuite.comparing.cells import cells
from benchsuite.core.metrics import every
from benchsuite.core.metrics.every import Better, Metric, Unit
from benchsuite.report.answers import results_table
from tests.starts import FAST, SLOW, starts
from tests.web.conftest import csv_rows

PATIENCE = Metric(
    "patience_s",
    Unit.SECONDS,
    Better.LESS,
    every.EVERYWHERE,
    of=lambda run: None if run.p95_s is None else 2 * run.p95_s,
    title="patience (twice p95)",
    short="patience",
)


@pytest.fixture
def runs(monkeypatch):
    """Five starts of each of two servers, in a benchsuite that knows one figure more."""
    monkeypatch.setattr(every, "METRICS", (*every.METRICS, PATIENCE))
    return [*starts("uwsgi", SLOW), *starts("waitress", FAST)]


def shown(run):
    return PATIENCE.show(PATIENCE.value(run))


def test_pages_tell_it(runs, soup):
    page = soup("/results/")
    headings = [one.text.strip() for one in page.select("details th[scope=col]")]
    assert headings[-1] == "patience"
    row = f'tr.run:has(input[value="{runs[0].pk}"])'
    assert page.select(f"{row} td.figure")[-1].text == shown(runs[0])
    page = soup(f"/results/{runs[0].pk}/")
    tiles = {one.dt.text: one.dd.text for one in page.select(".tiles div")}
    assert tiles["Patience (twice p95)"] == shown(runs[0])
    page = soup(f"/results/compare/?batch={runs[0].batch}")
    headings = [one.text for one in page.select(".all th[scope=col]")]
    assert headings[-1] == "patience"
    assert PATIENCE.show(2 * runs[0].p95_s) in page.select(".all tbody")[0].text


def test_files_tell_it(runs, client):
    rows = csv_rows(client, "/results/export/?format=csv")
    found = {one["id"]: one["patience_s"] for one in rows}
    assert found == {str(run.pk): str(PATIENCE.value(run)) for run in runs}
    told = json.loads(client.get(f"/results/{runs[0].pk}/export/").getvalue())
    assert told[0]["patience_s"] == PATIENCE.value(runs[0])


def test_the_terminal_tells_it(runs):
    table = results_table(cells(runs))
    assert "patience" in table.headings


def test_runs_are_compared_and_judged_by_it(runs, settings, capsys):
    call_command("comparebench", "uwsgi", "waitress", "--metric=patience", "--margin=patience=2%")
    said = capsys.readouterr().out
    assert said.startswith("Take waitress; it has 0.77 × the patience of uwsgi [0.75, 0.78].")
    assert "below 2 % in patience" in said
    with pytest.raises(CommandError) as broken:
        call_command("comparebench", "waitress", "uwsgi", "--fail-if=patience > +5%")
    assert broken.value.returncode == 1
    settings.BENCHSUITE = {**settings.BENCHSUITE, "MARGINS_PERCENT": {"patience": 5}}
    conf.check()
    assert conf.margins() == {"patience": 0.05}
