"""Which server starts count, in every combination that a cell can hold."""

from benchsuite.comparing.cells import Start, Starts


def words(value):
    if isinstance(value, Start):
        own = "its own figures" if value.has_own_figures else "others' figures"
        return f"{value.standing}, {own}, {value.reasons}"
    if isinstance(value, Starts):
        whole = "whole" if value.is_whole else "not whole"
        return f"{value.verdict}: {value.words}; {value.number}; {whole}"
    return value


def test_values(golden):
    golden.values(words)
