"""Published figures by the cells that they are of."""

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.studies import matrix, published, reading
from benchsuite.studies.study import Published
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


def test_rows_are_found_by_coordinates(tmp_path):
    (tmp_path / "them.csv").write_text(CSV)
    study = worlds.study(path=str(tmp_path / "worlds.toml"), published=(EACH,))
    rows = published.rows(study)
    assert len(rows) == 3
    assert published.of(rows, {"setup": "sync", "delay": "0"}) == {"plateau": 144.5, "p95": 0.02}
    assert published.of(rows, {"setup": "sync", "delay": "200"}) == {
        "plateau": 0.7,
        "p95": "3..24",
    }
    assert published.of(rows, {"setup": "async", "delay": "0"}) == {"plateau": 187.5}
    assert published.of(rows, {"setup": "async", "delay": "100"}) == {}


def test_what_says_more_of_a_cell_wins():
    rows = [
        published.Row({"setup": "sync", "delay": "0"}, {"plateau": 2.0}),
        published.Row({"setup": "sync"}, {"plateau": 1.0, "p95": 3.0}),
    ]
    found = published.of(rows, {"setup": "sync", "delay": "0"})
    assert found == {"plateau": 2.0, "p95": 3.0}


def test_what_spreadsheets_write_is_read_and_what_is_no_number_stays_a_word(tmp_path):
    (tmp_path / "them.csv").write_text(CSV.replace("144.5", "nan"), encoding="utf-8-sig")
    study = worlds.study(path=str(tmp_path / "worlds.toml"), published=(EACH,))
    found = published.of(published.rows(study), {"setup": "sync", "delay": "0"})
    assert found == {"plateau": "nan", "p95": 0.02}


def test_a_file_that_has_gone_is_named(tmp_path):
    study = worlds.study(path=str(tmp_path / "worlds.toml"), published=(EACH,))
    with pytest.raises(UsageError, match=r"them\.csv can't be read"):
        published.rows(study)


@pytest.mark.parametrize("name", list(reading.studies()))
def test_what_the_catalogue_publishes_is_of_its_cells(name):
    study = reading.read(reading.studies()[name])
    cells = [cell.coordinates for cell in matrix.every(study)]
    rows = published.rows(study)
    assert bool(rows) == bool(study.published)
    for row in rows:
        assert any(row.cell.items() <= cell.items() for cell in cells), row
