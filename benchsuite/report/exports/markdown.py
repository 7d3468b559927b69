"""Tables in Markdown."""

from collections.abc import Iterator, Sequence

ESCAPED = str.maketrans({"|": "\\|", "\n": " ", "<": "&lt;"})


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Its lines, with an empty one behind."""
    yield f"| {' | '.join(one.translate(ESCAPED) for one in head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(one.translate(ESCAPED) for one in row)} |"
    yield ""
