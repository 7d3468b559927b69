"""Requests counted by several processes and threads, and read from outside."""

import os
import threading
from pathlib import Path

import pytest

from benchsuite.isolation.served import counting
from benchsuite.isolation.served.counting import Counter


@pytest.fixture
def instructions(tmp_path: Path) -> Path:
    return tmp_path / "instructions.json"


def asked(counter: Counter, times: int) -> None:
    for _ in range(times):
        counter.add()


def test_nobody_has_counted(instructions: Path) -> None:
    assert counting.read_counts(instructions) is None


def test_a_fork_goes_on_in_a_cell_of_its_own(
    instructions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = Counter(instructions)
    asked(counter, 3)
    parent = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: parent + 1)
    asked(counter, 4)
    monkeypatch.setattr(os, "getpid", lambda: parent)
    asked(counter, 5)
    assert counting.read_counts(instructions) == 12
    assert len(list(instructions.parent.iterdir())) == 2


def test_a_process_with_a_known_number_goes_on_from_there(instructions: Path) -> None:
    asked(Counter(instructions), 3)
    asked(Counter(instructions), 2)
    assert counting.read_counts(instructions) == 5


def test_threads(instructions: Path) -> None:
    counter = Counter(instructions)
    threads = [threading.Thread(target=asked, args=(counter, 2_000)) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    asked(counter, 1)
    assert counting.read_counts(instructions) == 8_001


def test_where_nothing_can_be_written_nothing_is_known(tmp_path: Path) -> None:
    instructions = tmp_path / "none" / "instructions.json"
    asked(Counter(instructions), 2)
    assert counting.read_counts(instructions) is None
