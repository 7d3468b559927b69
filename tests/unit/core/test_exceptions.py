"""What is told of an error that somebody else's code raised."""

import pytest

from benchsuite.core.exceptions import LONGEST, last_line, told


def raised(error, *notes):
    for note in notes:
        error.add_note(note)
    try:
        raise error
    except type(error) as found:
        return found


@pytest.mark.parametrize("notes", [(), ("ask the shop",), ("one\ntwo", "three")])
def test_the_error_is_told_and_not_its_notes(notes):
    error = raised(KeyError("x"), *notes)
    assert last_line(error).startswith("KeyError: 'x' (")
    assert tuple(getattr(error, "__notes__", ())) == notes


def test_of_what_does_not_compile_the_last_line_is_told():
    with pytest.raises(SyntaxError) as found:
        compile("a b", "bench.py", "exec")
    assert last_line(raised(found.value, "mend it")).startswith("SyntaxError: invalid syntax")


def test_a_whole_page_in_an_error_is_cut():
    error = raised(AssertionError("x" * 10_000_000))
    assert told(error) == "x" * LONGEST
    assert len(last_line(error)) < 2 * LONGEST
    assert told(ValueError()) == "ValueError"
