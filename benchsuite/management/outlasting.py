"""A stream that outlasts its reader: results are measured and stored though `head` has left."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast


@contextmanager
def outlasted() -> Iterator[None]:
    """Whatever is printed in this block may have no reader, from the start or from a moment on."""
    before = sys.stdout, sys.stderr
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stdout, sys.stderr = (cast(TextIO, Outlasting(one or nowhere)) for one in before)
        try:
            yield
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            sys.stdout, sys.stderr = before


def occupy_closed() -> None:
    """A standard stream that is closed leads nowhere: else the next file that is opened, a
    database, takes its number, and programs that are started print into it.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


class Outlasting:
    """Writes until writing fails (a closed pipe, a full disk, a terminal that is gone), and then
    drops what it is given.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._ended = False

    def write(self, text: str) -> int:
        if not self._ended:
            try:
                self._stream.write(text)
            except OSError:
                self._end()
        return len(text)

    def flush(self) -> None:
        if not self._ended:
            try:
                self._stream.flush()
            except OSError:
                self._end()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _end(self) -> None:
        """What the stream still holds goes nowhere, else the interpreter fails at its exit."""
        self._ended = True
        with suppress(OSError, ValueError):  # a stream without a file has nothing to redirect
            nowhere = os.open(os.devnull, os.O_WRONLY)
            try:
                os.dup2(nowhere, self._stream.fileno())
            finally:
                os.close(nowhere)
