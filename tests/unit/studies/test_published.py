"""Published figures by the cells that they are of."""

from pathlib import Path

import pytest

from benchsuite.studies import matrix, reading
from benchsuite.studies.study import Published
from benchsuite.studies.tables import published_rows
from tests.unit.studies import worlds

CSV = """\
server,latency,rps,p95_ms,run
gunicorn,0,144.5,20,1
gunicorn,200,0.7,3..24,1
uvicorn,0,187.5,,1
uvicorn,0,9,9,2
"""

EACH = Published(
    file="them.csv",
    cell={"setup": "server", "delay": "latency"},
    names={"setup": {"gunicorn": "sync", "uvicorn": "async"}},
    figures={"plateau": "rps", "p95": "p95_ms"},
    factor={"p95": 0.001},
    only={"run": "1"},
)


@pytest.mark.parametrize("name", list(reading.studies()))
def test_what_the_catalogue_publishes_is_of_its_cells(name):
    study = reading.read(reading.studies()[name])
    cells = [cell.coordinates for cell in matrix.every(study)]
    rows = published_rows(study)
    assert bool(rows) == bool(study.published)
    for row in rows:
        assert any(row.cell.items() <= cell.items() for cell in cells), row


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def rows(text, **how):
    """Of a study in the folder, with this file beside it."""
    Path("them.csv").write_text(text, **how)
    return published_rows(worlds.study(path="worlds.toml", published=(EACH,)))


@pytest.mark.usefixtures("folder")
def test_values(golden):
    golden.values()
