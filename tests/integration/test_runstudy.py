"""A study of real runs: killed in the middle, resumed, and interrupted by Ctrl-C."""

import re
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.integration.command import Command, wait_for

pytestmark = pytest.mark.alone

LONGEST_S = 180.0

STUDY = """
format = 1
name = "small"
question = "Does it end?"
repeat = 2
[every]
users = 2
warmup = "0"
duration = "1s"
timeout = "5s"
[axis.setup]
waitress = { server = "waitress" }
sync = { server = "gunicorn-sync" }
impossible = { server = "gunicorn-sync", max-connections = 10 }
[axis.page]
plain = { workload = "plain" }
missing = { path = "/no/such/page/" }
[[exclude]]
setup = ["sync", "impossible"]
page = "missing"
[figures]
goodput = { of = "goodput" }
[[claim]]
name = "impossible"
says = "It answers."
[[claim.check]]
figure = "goodput"
cell = { setup = "impossible" }
value = [0, inf]
"""
CELLS = {("waitress", "plain"), ("waitress", "missing"), ("sync", "plain")}


@pytest.fixture
def command(tmp_path: Path) -> Command:
    (tmp_path / "small.toml").write_text(STUDY)
    made = Command(tmp_path, BENCHSUITE_STUDIES=str(tmp_path / "small.toml"))
    assert made.run("migrate", "-v0").status == 0
    return made


def rows(command: Command, query: str) -> list[Any]:
    with closing(sqlite3.connect(command.folder / "results.sqlite3")) as connection:
        return connection.execute(query).fetchall()


RUNS = """
SELECT json_extract(coordinates, '$.setup'), json_extract(coordinates, '$.page'), repetition,
status, benchsuite_run.id FROM benchsuite_run JOIN benchsuite_studycell
ON study_cell_id = benchsuite_studycell.id ORDER BY started_at
"""


def ended(command: Command) -> list[Any]:
    return [row for row in rows(command, RUNS) if row[3] in ("finished", "failed")]


def test_what_was_killed_goes_on_and_measures_nothing_twice(command: Command) -> None:
    with command.start("runstudy", "small") as process:
        wait_for("a run that ended, and one under way", lambda: under_way(command, 2), LONGEST_S)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
    before = ended(command)
    assert 2 <= len(before) < 6
    wait_for("its end", lambda: command.left_in_temporary_folder() == [], 60)

    path = command.folder / "small.toml"
    path.write_text(STUDY.replace('"5s"', '"6s"'))
    refused = command.run("runstudy", "small", "--resume")
    assert (refused.status, "of another" in refused.err) == (2, True)
    path.write_text(STUDY)

    resumed = command.run("runstudy", "small", "--resume", limit_s=LONGEST_S)
    assert resumed.status == 0, resumed.err
    assert f"{len(before)} made before" in resumed.out
    assert "Skipped  setup impossible, page plain: --max-connections" in resumed.out
    assert f"({len(before) + 1} of 6) starting" in resumed.out
    assert re.search(r"of 6\) starting · about \d.* left\n", resumed.out)
    assert "can't be told here: It answers. (impossible, plain: --max-connections" in resumed.out
    assert "/results/studies/small/" in resumed.out
    after = ended(command)
    assert after[: len(before)] == before
    assert sorted(row[:3] for row in after) == sorted(
        (*cell, repetition) for cell in CELLS for repetition in (1, 2)
    )
    for setup, page, _, status, _ in after:
        assert (status == "failed") == (page == "missing"), setup
    assert "Failed   setup waitress, page missing: " in resumed.out
    assert "answered 404" in resumed.out
    assert "Traceback" not in resumed.out + resumed.err
    executions = rows(command, "SELECT status, owner, ended_at FROM benchsuite_studyrun")
    assert [(status, owner) for status, owner, _ in executions] == [("finished", "")]
    assert "no execution" in command.run("runstudy", "small", "--resume").err
    assert command.left_in_temporary_folder() == []


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_keeps_what_was_measured(command: Command, times: int) -> None:
    words = ("runstudy", "small", "--only=setup=sync", "--only=page=plain")
    with command.start(*words) as process:
        wait_for("a run that ended, and one under way", lambda: under_way(command, 1), LONGEST_S)
        for _ in range(times):
            process.send_signal(signal.SIGINT)
        stopped = command.wait(process)
    assert stopped.status == 130, stopped.err
    assert "Go on with: python manage.py runstudy small --resume" in stopped.err
    assert "Traceback" not in stopped.err
    ((status, owner),) = rows(command, "SELECT status, owner FROM benchsuite_studyrun")
    assert (status, owner) == ("interrupted", "")
    resumed = command.run("runstudy", "small", "--resume", limit_s=LONGEST_S)
    assert resumed.status == 0, resumed.err
    assert [row[:3] for row in ended(command)] == [("sync", "plain", 1), ("sync", "plain", 2)]
    assert command.left_in_temporary_folder() == []


def under_way(command: Command, before: int) -> bool:
    """Whether so many runs have ended and the next one is loaded."""
    states = [row[3] for row in rows(command, RUNS)]
    return len(states) > before and states[-1] == "running"
