"""`checkbench` as people use it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.integration.command import Command

pytestmark = pytest.mark.alone


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Command]:
    made = Command(tmp_path)
    yield made
    assert made.left_in_temporary_folder() == []


def test_the_machine_is_shown_with_what_to_do(command: Command) -> None:
    ended = command.run("checkbench")
    lines = [line.split() for line in ended.out.splitlines() if line.strip()]
    shapes = {line[0]: line[1] for line in lines if line[0] in "●◐○"}
    assert shapes.items() <= {"●": "ok", "◐": "doubtful", "○": "bad"}.items()
    for name in ("other programs", "steal", "sleep", "CPUs", "open files", "ports", "clock source"):
        assert name in ended.out
    bad = "○" in shapes
    assert ended.status == (1 if bad else 0)
    assert ("doubtful as it is" in ended.err) == bad


def test_strict_also_fails_for_what_is_doubtful(command: Command) -> None:
    ended = command.run("checkbench", "--strict")
    assert ended.status == (1 if "◐" in ended.out or "○" in ended.out else 0)


def test_calibrating_keeps_a_ceiling_for_each_load(command: Command) -> None:
    assert command.run("migrate", "--verbosity=0").status == 0
    ended = command.run("checkbench", "--calibrate", "--duration=500ms")
    assert "one connection each" in ended.out, ended.err
    with closing(sqlite3.connect(command.folder / "results.sqlite3")) as results:
        kept = results.execute(
            "SELECT keep_alive, users, model, processes, throughput FROM benchsuite_calibration "
            "ORDER BY id"
        ).fetchall()
    assert [row[:4] for row in kept] == [
        (kept, users, model, 1)
        for kept in (1, 0)
        for users in (1, 10, 100)
        for model in ("closed", "open")
    ]
    assert all(row[4] > 50 for row in kept)


def test_results_without_tables_ask_for_migrate_before_anything_is_measured(
    command: Command,
) -> None:
    ended = command.run("checkbench", "--calibrate")
    assert ended.status == 1
    assert "python manage.py migrate" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("count", ["0", "65"])
def test_a_number_of_load_processes_that_makes_no_sense(command: Command, count: str) -> None:
    ended = command.run("checkbench", f"--load-processes={count}")
    assert ended.status == 2
    assert f"--load-processes must be between 1 and 64, and is {count}." in ended.err


@pytest.mark.parametrize("duration", ["0.1", "an hour", "2h"])
def test_a_duration_that_makes_no_sense(command: Command, duration: str) -> None:
    ended = command.run("checkbench", f"--duration={duration}")
    assert ended.status == 2
    assert duration in ended.err
