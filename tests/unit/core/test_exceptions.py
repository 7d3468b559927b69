"""What is told of an error that somebody else's code raised."""


def raised(error, *notes):
    for note in notes:
        error.add_note(note)
    try:
        raise error
    except type(error) as found:
        return found


def uncompiled(source):
    try:
        return compile(source, "bench.py", "exec")
    except SyntaxError as error:
        return error


def test_values(golden):
    golden.values(replace={r"\(/\S+:\d+\)": "(<place>)"})
