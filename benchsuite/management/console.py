"""The console of the commands: its text can't control the terminal and is never truncated."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from benchsuite.core.printable import printable
from benchsuite.report.terminal.grid import Grid, show, wrapped

UNBOUNDED = 100_000  #: Columns without a terminal: tables are as wide as they need to be.


class SafeConsole(Console):
    """Escapes control characters as Python does: a log, a label or a name may contain them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, **options)
        if not self.is_terminal and "width" not in options:
            self.width = UNBOUNDED

    def say(self, text: str) -> None:
        """Prints a sentence: wrapped on a terminal, one line in a file."""
        lines = wrapped(text, self.width) if self.is_terminal else [text]
        self.print("\n".join(lines), markup=False, soft_wrap=True)

    def table(self, grid: Grid) -> None:
        show(grid, self)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        text = super()._render_buffer(buffer)
        if self.is_terminal:
            return text
        return "\n".join(line.rstrip(" ") for line in text.split("\n"))
