"""What the log of a process says: its last lines, and the error of its first traceback."""

import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

_TAIL_BYTES = 64 * 1024
_HEAD_BYTES = 1024 * 1024
_TRACEBACK = "Traceback (most recent call last):"
_ERROR = re.compile(r"(?:\w+\.)*[A-Z]\w*(?:Error|Exception): .")
"""uWSGI reports import errors without a traceback."""
_CHAIN = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)


def tail(path: Path, lines: int = 20) -> str:
    """The last lines; empty when there is no log."""
    return "\n".join(since(path, 0).rstrip().splitlines()[-lines:])


def since(path: Path, size: int) -> str:
    """What was written after the first `size` bytes; only the end if long; empty without a log."""
    with suppress(OSError), path.open("rb") as log:
        log.seek(max(size, path.stat().st_size - _TAIL_BYTES))
        return log.read(_TAIL_BYTES).decode(errors="replace")
    return ""


def count(path: Path, size: int, signs: Collection[str]) -> int:
    """Number of lines with one of these signs after the first `size` bytes."""
    wanted = [sign.encode() for sign in signs]
    with suppress(OSError), path.open("rb") as log:
        log.seek(size)
        return sum(any(sign in line for sign in wanted) for line in log)
    return 0


def first_error(path: Path) -> str | None:
    """The last line of the first traceback, which is the cause: "ModuleNotFoundError: No module
    named 'x'"; of chained exceptions the last one. Without a traceback the first line that looks
    so.
    """
    text = ""
    with suppress(OSError), path.open("rb") as log:
        text = log.read(_HEAD_BYTES).decode(errors="replace")
    error = None
    inside = chained = False
    lines = text.splitlines()
    for line in lines:
        if _TRACEBACK in line:
            if error is not None and not chained:
                break
            inside, chained = True, False
        elif inside and re.match(r"[A-Za-z_][\w.]*(:|$)", line):
            error, inside = line.strip(), False
        elif line.strip() in _CHAIN:
            chained = True
    return error or next((line for line in lines if _ERROR.match(line)), None)
