"""Commands as somebody types them, for manage.py and for the program of its own."""

from benchsuite.core.commands import PROGRAM_VARIABLE, as_called, command


def test_a_command_is_quoted_and_called_as_its_reader_calls_it(golden, monkeypatch):
    def called(program):
        monkeypatch.setenv(PROGRAM_VARIABLE, program or "")
        if program is None:
            monkeypatch.delenv(PROGRAM_VARIABLE)
        return command("runbench", "--label=a b", "--repeat=5")

    golden.cases(called)


def test_sentences_name_commands_as_their_reader_calls_them(monkeypatch):
    sentence = (
        "See checkbench; runbench --flame shows more (python manage.py runbench.py, /runbench/)."
    )
    monkeypatch.delenv(PROGRAM_VARIABLE, raising=False)
    assert as_called(sentence) == sentence
    monkeypatch.setenv(PROGRAM_VARIABLE, "uvx --from django-benchsuite benchsuite")
    assert as_called(sentence) == (
        "See benchsuite check; benchsuite run --flame shows more "
        "(python manage.py runbench.py, /runbench/)."
    )
