"""Where the commands write: to streams as they are, read or not; to the screen; to files."""

import codecs
import inspect
import io
import os
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO, cast
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.urls import get_urlconf, set_urlconf
from django.utils.module_loading import import_string
from rich.console import Console, ConsoleDimensions, ConsoleOptions, RenderableType
from rich.segment import Segment

from benchsuite import conf
from benchsuite.core.answer import Answer, Table
from benchsuite.core.commands import as_called
from benchsuite.core.exceptions import BenchsuiteError, UsageError
from benchsuite.core.printable import hidden, printable
from benchsuite.models import Run
from benchsuite.report import answers
from benchsuite.report.writers import for_terminal, show, wrapped
from benchsuite.system.lock import Claim

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
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return as_called(printable(text)).encode(encoding, NAME).decode(encoding)


@contextmanager
def outlasted() -> Iterator[None]:
    """Whatever is printed in this block may have no reader, from the start or from a moment on. A
    closed stream leads nowhere: else the next file that is opened is in its place.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
    before = sys.stdout, sys.stderr
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stdout, sys.stderr = (cast(TextIO, Outlasting(one or nowhere)) for one in before)
        try:
            yield
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            sys.stdout, sys.stderr = before


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
    return "".join(
        unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode() or LOST
        for sign in text.translate(PLAINER)
    )


def plainer_where_needed() -> None:
    """What is printed from now on replaces characters that the output's encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=NAME)


def _replaced(error: Any) -> tuple[str, int]:
    return plainer(error.object[error.start : error.end]), error.end


codecs.register_error(NAME, _replaced)


class Screen(Console):
    """Prints for people beside files: as wide as its stream, in its characters, none a control."""

    def __init__(self, *files: str | None, verbosity: int = 1, **options: Any) -> None:
        options.setdefault("file", Outlasting(beside(*files)))
        super().__init__(highlight=False, **options)
        self._every_row = verbosity > 1  # of tables
        # else a line can be written over
        if "width" not in options and (not self.is_terminal or self.is_dumb_terminal):
            self.size = ConsoleDimensions(columns(cast(TextIO, self.file)), self.height)

    def say(self, *texts: str) -> None:
        """Prints sentences without passwords, wrapped: each on lines of its own, but empty ones."""
        for text in filter(None, texts):
            lines = wrapped(self._legible(hidden(text)), self.width)
            self.print("\n".join(lines), markup=False, soft_wrap=True)

    def table(self, table: Table) -> None:
        show(table, self, self._legible)

    def answer(self, answer: Answer, look: str = "") -> None:
        for part in for_terminal(answer, every_row=self._every_row):
            if isinstance(part, str):
                self.say(part)
            else:
                self.table(part)
        if look:
            self.say(f"Look: {look}")

    def results(self, rows: Sequence[Run], *, stored: bool) -> None:
        """With the address of the page that shows these runs, where they are stored."""
        many = len(rows) != 1
        page = conf.page("compare", batch=rows[0].batch) if many else conf.page(rows[0].pk)
        self.answer(answers.runs_answer(rows, conf.margins()), page if stored else "")

    def waiting(self, claim: Claim) -> None:
        self.say(f"Another run is under way ({claim}); waiting for it to end. Ctrl-C gives up.")

    def building(self, what: str) -> None:
        self.say(f"Building {what}")

    def _legible(self, text: str) -> str:
        return legible(text, cast(TextIO, self.file))

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        text = super()._render_buffer(buffer)
        if self.is_terminal:
            return text
        return "\n".join(line.rstrip(" ") for line in text.split("\n"))


LONGEST_NAME = 255  #: The kernel's limit for a file's name, in bytes.


def check(flag: str, file: str | None) -> None:
    """Raises UsageError if the file can't be written: better now than after an hour of runs."""
    if flag == "--html" and file is not None:
        try:
            get_template("benchsuite/base.html")
        except TemplateDoesNotExist as error:
            raise UsageError(
                "--html needs Django's templates, and TEMPLATES of this project don't find those "
                "of its apps: add DjangoTemplates with APP_DIRS=True, or leave --html out."
            ) from error
    if file is None or file == "-":
        return
    path = Path(file).absolute()
    if os.path.isdir(path):  # Path's own raises where a name is too long
        raise UsageError(f"{flag}={file} is a folder; name a file in it.")
    written = path if os.path.exists(path) else f"{path.parent}/"  # no file
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
    given, path = path, Path(os.path.realpath(path))  # of a pipe there is none
    was_there = os.path.exists(given)
    # no usual file, or in a folder that can't be written: it is written as it is
    if (was_there and not path.is_file()) or not os.access(path.parent, os.W_OK):
        with given.open("w", encoding="utf-8") as opened:
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


def write_page(file: str, view: str, *args: object, **query: object) -> None:
    """What a view such as "run.show" shows as its link "HTML file" does; raises BenchsuiteError."""
    before = get_urlconf()
    set_urlconf("benchsuite.management.urls")
    try:
        request = HttpRequest()
        request.method = "GET"
        request.GET = QueryDict(urlencode({**query, "format": "html"}))
        show = inspect.unwrap(import_string(f"benchsuite.views.{view}"))  # nobody has to sign in
        page = show(request, *args)
        content = b"".join(page).decode()
    finally:
        set_urlconf(before)
    if page.status_code != 200:
        raise BenchsuiteError(f"--html={file} can't be written: there is no such page.")
    write(file, content)
