"""The capacity of one configuration on a real server: interrupted by Ctrl-C, and gone on with."""

import json
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.integration.command import Command, wait_for

pytestmark = pytest.mark.alone

LONGEST_S = 180.0

WORDS = (
    "--server=gunicorn-gthread",
    "--processes=1",
    "--threads=2",
    "--workload=io_read",
    "--rows=1000",
    "--objective=p95 < 200ms, failures < 1%",
    "--window=2s",
    "--budget=80s",
)


@pytest.fixture
def command(tmp_path: Path) -> Command:
    made = Command(tmp_path)
    assert made.run("migrate", "-v0").status == 0
    return made


def rows(command: Command, query: str) -> list[Any]:
    with closing(sqlite3.connect(command.folder / "results.sqlite3")) as connection:
        return connection.execute(query).fetchall()


def trials(command: Command) -> list[Any]:
    return rows(
        command,
        'SELECT "order", json_extract(trial, "$.phase"), run_id FROM benchsuite_tuningtrial '
        'ORDER BY "order"',
    )


def test_a_tuning_is_interrupted_and_goes_on_to_its_answer(command: Command) -> None:
    with command.start("tunebench", *WORDS) as process:
        wait_for("a trial that ended", lambda: len(trials(command)) >= 2, LONGEST_S)
        process.send_signal(signal.SIGINT)
        stopped = command.wait(process)
    assert stopped.status == 130, stopped.err
    assert "gunicorn-gthread 1×2" in stopped.out
    assert "Go on with: python manage.py tunebench --resume=" in stopped.err
    assert "Traceback" not in stopped.out + stopped.err
    before = trials(command)
    assert rows(command, "SELECT status, owner FROM benchsuite_tuning") == [("interrupted", "")]

    file = command.folder / "tuning.json"
    went_on = command.run("tunebench", "--resume", f"--json={file}", limit_s=LONGEST_S)
    told = json.loads(file.read_text())
    assert went_on.status == (0 if told["answer"]["end"] == "confirmed" else 3), went_on.err
    after = trials(command)
    assert after[: len(before)] == before, "nothing is measured twice"
    assert len(told["trials"]) == len(after)
    spoiled = [one for one in told["trials"] if one["observation"]["codes"]]
    open_ones = [one for one in told["trials"] if one["load"]["rates"]]
    measured = [one for one in open_ones if one["observation"]["levels"]]
    assert spoiled or [one["phase"] for one in measured].count("confirm") >= 3
    diagnosed, profiled = (
        [one["run"] for one in told["trials"] if one["phase"] == phase]
        for phase in ("diagnose", "flame")
    )
    seen = rows(command, "SELECT id FROM benchsuite_run WHERE diagnosis IS NOT NULL")
    saw = {str(UUID(one)) for (one,) in seen}
    assert {*diagnosed} <= saw <= {*diagnosed, *profiled}, (
        "where no profiler may look, it sees nothing"
    )
    assert len(profiled) <= len(diagnosed) <= 1
    if told["answer"]["end"] == "confirmed" and not diagnosed:
        assert "a diagnostic start" in dict(told["answer"]["not_tried"])
    for one in measured:
        levels = one["observation"]["levels"]
        assert [level["rate"] for level in levels] == one["load"]["rates"][: len(levels)]
        assert all(level["met"][0] <= level["planned"] for level in levels)
        assert one["observation"]["memory_bytes"] > 10_000_000
        cpu_s = one["observation"]["cpu_s"]
        if cpu_s is None:  # readings come once a second, so a window of one may hold none
            assert one["load"]["window_s"] <= 1
        else:
            assert cpu_s > 0
    states = dict(rows(command, "SELECT status, count(*) FROM benchsuite_run GROUP BY status"))
    assert set(states) <= {"finished", "interrupted"}
    assert rows(command, "SELECT status, owner FROM benchsuite_tuning") == [("finished", "")]
    assert "no tuning to go on with" in command.run("tunebench", "--resume").err
    assert command.left_in_temporary_folder() == []
