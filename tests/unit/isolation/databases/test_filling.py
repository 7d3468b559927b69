"""Management commands that fill a throw-away database: how they end, and what that means."""

import sys
from typing import Any

import pytest

from benchsuite.core.exceptions import DatabaseError, NobodyWaits
from benchsuite.core.specs import DatabaseSpec
from benchsuite.isolation.databases import filling


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of those that were called; "ends" exits as a command may, "killed" when the parent
    is gone.
    """
    names: list[str] = []

    def call(name: str, *words: str, **options: Any) -> None:
        names.append(name)
        if name == "ends":
            sys.exit(int(words[0]))
        if name == "killed":
            raise NobodyWaits(0)

    monkeypatch.setattr(filling, "call_command", call)
    return names


def test_a_command_may_end_the_process_when_it_is_done(called: list[str]) -> None:
    begun: list[str] = []
    filling.fill(DatabaseSpec(fill=("ends 0", "next")), begun.append)
    assert begun == ["fill by ends 0", "fill by next"]
    assert called == ["ends", "next"]


def test_one_that_ends_it_with_a_status_has_failed(called: list[str]) -> None:
    with pytest.raises(DatabaseError, match=r"^--fill=ends 3 failed: it ended with 3$"):
        filling.fill(DatabaseSpec(fill=("ends 3", "next")), lambda phase: None)


def test_nothing_more_is_filled_when_nobody_waits_for_it(called: list[str]) -> None:
    with pytest.raises(NobodyWaits):
        filling.fill(DatabaseSpec(fill=("killed", "next")), lambda phase: None)
    assert called == ["killed"]
