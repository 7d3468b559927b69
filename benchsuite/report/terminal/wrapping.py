"""Sentences in lines of a terminal: broken between words and nowhere else."""

import textwrap

NARROWEST = 20  #: A terminal of fewer columns is taken to have as many.


def wrapped(text: str, width: int, *, indent: int = 0, first: int = 0) -> list[str]:
    """The lines of a text, each of `width` columns at most unless one word takes more: addresses,
    paths and commands stay whole, and figures stay with their units, as thin spaces are no breaks.

    Lines after the first of a paragraph begin with `indent` spaces; `first` columns of the first
    one are taken already.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        begin = len(paragraph) - len(paragraph.lstrip(" "))
        lines += textwrap.wrap(
            paragraph,
            max(width, NARROWEST),
            initial_indent="" if lines else " " * first,
            subsequent_indent=" " * max(begin, indent),
            break_long_words=False,
            break_on_hyphens=False,
            expand_tabs=False,
            replace_whitespace=False,
        ) or [""]
    lines[0] = lines[0][first:]
    return lines
