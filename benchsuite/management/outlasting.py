"""A stream that outlasts its reader: results are measured and stored though `head` has left."""

import os
from contextlib import suppress
from typing import Any, TextIO


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
