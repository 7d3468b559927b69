"""`checkbench` as people use it."""

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from benchsuite.load.parent import ceiling
from benchsuite.management.commands import checkbench
from benchsuite.models import Calibration
from benchsuite.system import lock
from tests.integration.command import Command


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


@pytest.mark.django_db
def test_calibrating_keeps_a_ceiling_for_each_load(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of fewer users and in shorter loads than a command by itself has."""
    monkeypatch.setattr(lock, "NAME", f"benchsuite-test-{os.getpid()}")
    monkeypatch.setattr(ceiling, "TRIES", 1)
    monkeypatch.setattr(ceiling, "WARMUP_S", 0.2)
    monkeypatch.setattr(checkbench, "ceilings", partial(ceiling.ceilings, users=(1, 3)))
    with suppress(CommandError):  # the machine may be doubtful
        call_command("checkbench", calibrate=True, duration="500ms")
    assert "one connection each" in capsys.readouterr().out
    fields = ("keep_alive", "users", "model", "processes", "throughput")
    kept = list(Calibration.objects.order_by("id").values_list(*fields))
    assert [row[:4] for row in kept] == [
        (kept, users, model, 1)
        for kept in (True, False)
        for users in (1, 3)
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
