"""Replaces characters that the encoding of an output lacks."""

import codecs
import io
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

NAME = "benchsuite.plainer"

PLAINER = str.maketrans(
    {
        **dict.fromkeys("\u2009\u202f\u00a0", " "),
        **dict.fromkeys("–—−", "-"),
        **dict.fromkeys("‘’‹›", "'"),
        **dict.fromkeys("“”«»", '"'),
        "…": "...",
        "→": "->",
        "×": "x",
        "·": "-",
        "µ": "u",
        "±": "+-",
        "≥": ">=",
        "≤": "<=",
        "●": "*",
        "◐": "+",
        "○": "o",
        "■": "#",
        "▶": ">",
        "✗": "x",
        "━": "=",
        "─": "-",
        "√": "sqrt ",
        "ß": "ss",
    }
)
LOST = "?"  #: For a character without a replacement.


def plainer(text: str) -> str:
    """The text in ASCII, as close as possible."""
    return "".join(_plainer(sign) for sign in text.translate(PLAINER))


@contextmanager
def plainer_where_needed() -> Iterator[None]:
    """Text printed in this block replaces characters that the output's encoding lacks."""
    codecs.register_error(NAME, _replaced)
    streams = [one for one in (sys.stdout, sys.stderr) if isinstance(one, io.TextIOWrapper)]
    before = [one.errors for one in streams]
    for stream in streams:
        stream.reconfigure(errors=NAME)
    try:
        yield
    finally:
        for stream, errors in zip(streams, before, strict=True):
            if not stream.closed:
                stream.reconfigure(errors=errors)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plainer(error.object[error.start : error.end]), error.end


def _plainer(sign: str) -> str:
    if sign.isascii():
        return sign
    bare = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
    return bare or LOST
