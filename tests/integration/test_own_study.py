"""The study of one's own project that the documents show, executed with pages that are there."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.integration.command import Command
from tests.unit.studies.test_documented import example

pytestmark = pytest.mark.alone


def test_the_documented_study_runs(tmp_path: Path) -> None:
    text = example()
    for shown, there in (
        ('"/shop/cart/"', '"/bench/plain_async/"'),
        ('"/shop/"', '"/bench/plain/"'),
    ):
        assert text.count(shown) == 1
        text = text.replace(shown, there)
    studies = tmp_path / "studies"
    studies.mkdir()
    (studies / "shop_servers.toml").write_text(text)
    command = Command(tmp_path, BENCHSUITE_STUDIES=str(studies))
    assert command.run("migrate", "-v0").status == 0
    ended = command.run(
        *("runstudy", "shop_servers", "--scale=0.05", "--only=size=1", "--repeat=1"), limit_s=120
    )
    assert ended.status == 0, ended.err
    assert "3 cells × 1 start, scale 0.05" in ended.out
    with closing(sqlite3.connect(tmp_path / "results.sqlite3")) as results:
        found = results.execute(
            "SELECT json_extract(coordinates, '$.server'), json_extract(coordinates, '$.page'), "
            "status FROM benchsuite_run JOIN benchsuite_studycell "
            "ON study_cell_id = benchsuite_studycell.id"
        ).fetchall()
    assert sorted(found) == [
        (server, "cart", "finished") for server in ("sync", "threads", "waitress")
    ]
