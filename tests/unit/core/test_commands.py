"""Commands as somebody types them, for manage.py and for the program of its own."""

import pytest

from benchsuite.core.commands import PROGRAM_VARIABLE, command


@pytest.mark.parametrize(
    ("program", "line"),
    [
        (None, "python manage.py runbench '--label=a b' --repeat=5"),
        ("benchsuite", "benchsuite run '--label=a b' --repeat=5"),
        ("python -m benchsuite", "python -m benchsuite run '--label=a b' --repeat=5"),
    ],
)
def test_a_command_is_quoted_and_called_as_its_reader_calls_it(program, line, monkeypatch):
    monkeypatch.delenv(PROGRAM_VARIABLE, raising=False)
    if program:
        monkeypatch.setenv(PROGRAM_VARIABLE, program)
    assert command("runbench", "--label=a b", "--repeat=5") == line
