"""Commands as somebody types them, for manage.py and for the program of its own."""

from benchsuite.core.commands import PROGRAM_VARIABLE, command


def test_a_command_is_quoted_and_called_as_its_reader_calls_it(golden, monkeypatch):
    def called(program):
        monkeypatch.setenv(PROGRAM_VARIABLE, program or "")
        if program is None:
            monkeypatch.delenv(PROGRAM_VARIABLE)
        return command("runbench", "--label=a b", "--repeat=5")

    golden.cases(called)
