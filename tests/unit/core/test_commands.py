"""Commands as somebody types them, for manage.py and for the program of its own."""

import pytest

from benchsuite.core.commands import PROGRAM_VARIABLE


def called(make, *words, by=None):
    """What it makes of these words for who calls the program so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(PROGRAM_VARIABLE, raising=False)
        if by:
            patch.setenv(PROGRAM_VARIABLE, by)
        return make(*words)


def test_values(golden):
    golden.values()
