"""Streams: how wide, in which characters, and whether anybody reads; and files of results."""

import codecs
import io
import os
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO, cast

from benchsuite.core.commands import as_called
from benchsuite.core.exceptions import BenchsuiteError, UsageError
from benchsuite.core.printable import printable
from benchsuite.report.writers import wrapped

UNBOUNDED = 100_000  #: Columns where nobody says how many: lines are as long as they need to be.
USUAL = 80  #: Columns of a terminal that does not say.


def beside(*files: str | None) -> TextIO:
    """Where people are told: standard error while one of these files takes standard output."""
    return sys.stderr if "-" in files else sys.stdout


def columns(stream: TextIO) -> int:
    """How many a line may have: by the variable COLUMNS, else by the terminal."""
    if not (stream.isatty() or os.environ.get("COLUMNS")):
        return UNBOUNDED
    return min(shutil.get_terminal_size((USUAL, 0)).columns, UNBOUNDED)


def fitted(text: str, stream: TextIO, *, first: int = 0) -> str:
    """Sentences as they fit; `first` columns of the first line are taken already."""
    return "\n".join(wrapped(legible(text, stream), columns(stream), first=first))


def legible(text: str, stream: TextIO) -> str:
    """With commands as they are called here, and without what the stream can't or must not show."""
    text, encoding = as_called(printable(text)), getattr(stream, "encoding", None) or "utf-8"
    with suppress(UnicodeEncodeError):
        text.encode(encoding)
        return text
    pieces = [(sign, plainer(sign)) for sign in text]
    return "".join(plain if len(plain) > 1 else sign for sign, plain in pieces)


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
    """A closed standard stream leads nowhere: else the next file that is opened is in its place."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


class Outlasting:
    """Writes until writing fails (a closed pipe, a full disk), and then drops what it is given."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._ended = False

    def write(self, text: str) -> int:
        self._unless_ended(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        self._unless_ended(self._stream.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _unless_ended(self, action: Callable[[], object]) -> None:
        if self._ended:
            return
        try:
            action()
        except OSError:
            self._ended = True
            # a stream without a file has nothing to redirect
            with suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), self._stream.fileno())


NAME = "benchsuite.plainer"

PLAINER = str.maketrans(
    dict.fromkeys("\u2009\u202f\u00a0", " ")
    | dict.fromkeys("–—−", "-")
    | dict.fromkeys("‘’‹›", "'")
    | dict.fromkeys("“”«»", '"')
    | dict(zip("×·µ●◐○◇★■▶✗━─█░", "x-u*+oo*#>x=-#.", strict=True))
    | {"…": "...", "→": "->", "±": "+-", "≥": ">=", "≤": "<=", "√": "sqrt ", "ß": "ss"}
)
LOST = "?"  #: For a character without a replacement.


def plainer(text: str) -> str:
    """The text in ASCII, as close as possible."""
    signs = []
    for sign in text.translate(PLAINER):
        bare = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
        signs.append(sign if sign.isascii() else bare or LOST)
    return "".join(signs)


def plainer_where_needed() -> None:
    """What is printed from now on replaces characters that the output's encoding lacks."""
    codecs.register_error(NAME, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=NAME)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plainer(error.object[error.start : error.end]), error.end


LONGEST_NAME = 255  #: The kernel's limit for a file's name, in bytes.


def check(flag: str, file: str | None) -> None:
    """Raises UsageError if the file can't be written: better now than after an hour of runs."""
    if file is None or file == "-":
        return
    path = Path(file).absolute()
    if os.path.isdir(path):  # Path's own raises where a name is too long
        raise UsageError(f"{flag}={file} is a folder; name a file in it.")
    written = path if os.path.exists(path) else path.parent
    if len(os.fsencode(path.name)) > LONGEST_NAME or not os.access(written, os.W_OK):
        raise UsageError(
            f"{flag}={file} can't be written by this user: name another file, in a folder "
            "that is there."
        )


def write(file: str, content: str | Iterable[str]) -> None:
    """All of it, or piece by piece; raises BenchsuiteError when the file can't be written."""
    pieces = [content] if isinstance(content, str) else content
    try:
        if file != "-":
            write_whole(Path(file), pieces)
            return
        sys.stdout.flush()
        binary = getattr(sys.stdout, "buffer", None)
        if binary is None:
            sys.stdout.writelines(pieces)
        else:  # in UTF-8, whatever the terminal's encoding: it is for machines
            binary.writelines(piece.encode(errors="replace") for piece in pieces)
            binary.flush()
    except OSError as error:
        place = "standard output" if file == "-" else file
        raise BenchsuiteError(f"{place} could not be written: {error.strerror}.") from error


def write_whole(path: Path, pieces: Iterable[str]) -> None:
    """All or nothing: an earlier file of that name stays until this is whole; raises OSError."""
    path = Path(os.path.realpath(path))
    was_there = os.path.exists(path)
    # no usual file, or in a folder that can't be written: it is written as it is
    if (was_there and not path.is_file()) or not os.access(path.parent, os.W_OK):
        with path.open("w", encoding="utf-8") as opened:
            opened.writelines(pieces)
        return
    part = path.with_name(f".{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as opened:
            opened.writelines(pieces)
            opened.flush()
            os.fsync(opened.fileno())
        if was_there:
            shutil.copymode(path, part)
        try:
            part.replace(path)
        except OSError:  # what is mounted, or another user's in a folder such as /tmp
            shutil.copyfile(part, path)
    finally:
        part.unlink(missing_ok=True)
