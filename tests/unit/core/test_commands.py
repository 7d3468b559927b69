"""Commands as somebody types them, for manage.py and for the program of its own."""

import pytest

from benchsuite.core.commands import PROGRAM_VARIABLE, as_called
from benchsuite.core.exceptions import UsageError
from benchsuite.load.hosts import keys


def called(make, *words, by=None):
    """What it makes of these words for who calls the program so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(PROGRAM_VARIABLE, raising=False)
        if by:
            patch.setenv(PROGRAM_VARIABLE, by)
        return make(*words)


def test_values(golden):
    golden.values()


def test_no_sentence_names_a_command_that_is_not_there(tmp_path):
    with pytest.raises(UsageError) as refused:
        keys.read(tmp_path / "none")
    sentence = called(as_called, str(refused.value), by="benchsuite")
    assert "`benchsuite worker --new-key FILE` writes one" in sentence
    line = "process 71, python manage.py runbench --path=/"
    assert called(as_called, line, by="benchsuite") == line
