"""Where the commands write: for people to the console, else to a file or standard output."""

import inspect
from collections.abc import Iterable, Sequence
from typing import Any, TextIO, cast
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import get_urlconf, include, path, set_urlconf
from django.utils.module_loading import import_string
from rich.console import Console, ConsoleDimensions, ConsoleOptions, RenderableType
from rich.segment import Segment

from benchsuite import conf
from benchsuite.conf import addresses
from benchsuite.core.answer import Answer, Table
from benchsuite.core.exceptions import BenchsuiteError
from benchsuite.core.printable import hidden, printable
from benchsuite.management import streams
from benchsuite.management.streams import Outlasting
from benchsuite.models import Run
from benchsuite.report import answers
from benchsuite.report.writers import show, to_terminal, wrapped
from benchsuite.system.lock import Claim


class SafeConsole(Console):
    """As wide as its stream, in its characters, and with control characters escaped."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, **options)
        # else a line can be written over
        if "width" not in options and (not self.is_terminal or self.is_dumb_terminal):
            self.size = ConsoleDimensions(streams.columns(cast(TextIO, self.file)), self.height)

    def say(self, text: str) -> None:
        """Prints sentences without passwords, wrapped where the width is known."""
        text = streams.legible(hidden(text), cast(TextIO, self.file))
        self.print("\n".join(wrapped(text, self.width)), markup=False, soft_wrap=True)

    def table(self, table: Table) -> None:
        show(table, self, lambda text: streams.legible(text, cast(TextIO, self.file)))

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


class Screen:
    """Prints for people, beside the files that its command writes."""

    def __init__(self, *files: str | None, verbosity: int = 1) -> None:
        self._every_row = verbosity > 1  # of tables
        stream = Outlasting(streams.beside(*files))
        self.console = SafeConsole(file=cast(TextIO, stream))

    def waiting(self, claim: Claim) -> None:
        self.say(f"Another run is under way ({claim}); waiting for it to end. Ctrl-C gives up.")

    def building(self, what: str) -> None:
        self.say(f"Building {what}")

    def answer(self, answer: Answer, look: str = "") -> None:
        to_terminal(answer, self.console, every_row=self._every_row)
        if look:
            self.say(f"Look: {look}")

    def results(self, rows: Sequence[Run], *, stored: bool) -> None:
        """With the address of the page that shows these runs, where they are stored."""
        many = len(rows) != 1
        page = addresses.of_batch(rows[0].batch) if many else addresses.of_run(rows[0].pk)
        self.answer(answers.runs_answer(rows, conf.margins()), page if stored else "")

    def say(self, *texts: str) -> None:
        """Each on lines of its own; none for an empty one."""
        for text in filter(None, texts):
            self.console.say(text)


PAGES: Any = (path("", include("benchsuite.urls")),)


def write_page(file: str, view: str, *args: object, **query: object) -> None:
    """What a view such as "run.show" shows as its link "HTML file" does; raises BenchsuiteError."""
    before = get_urlconf()
    set_urlconf(PAGES)
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
    streams.write(file, content)
