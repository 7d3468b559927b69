"""Whether anything of somebody's project is another one than before."""

import sqlite3
from contextlib import closing

import pytest

from benchmarks.strangers.theirs import changes, checksums


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "page.html").write_text("theirs")
    (folder / "link").symlink_to("page.html")
    _execute(
        folder,
        "CREATE TABLE shop_order (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT)",
        "CREATE TABLE benchsuite_run (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT)",
        "INSERT INTO shop_order (text) VALUES ('bought')",
    )
    return folder


def test_rows_of_theirs_are_a_change_and_a_stored_run_is_none(golden, project):
    def case(*statements):
        before = checksums(project)
        _execute(project, *statements)
        return changes(before, checksums(project))

    golden.cases(case)


def test_files_that_come_change_and_go_are(project):
    before = checksums(project)

    (project / "media").mkdir()
    (project / "media" / "upload").write_text("of a run")
    (project / "page.html").write_text("another")
    (project / "link").unlink()

    assert changes(before, checksums(project)) == [
        "project/link went",
        "project/media/upload came",
        "project/page.html changed",
    ]


def _execute(folder, *statements):
    with closing(sqlite3.connect(folder / "data")) as database, database:
        for statement in statements:
            database.execute(statement)
