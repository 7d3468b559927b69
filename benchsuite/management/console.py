"""The console of the commands: what it is given can't steer the terminal, and is never cut."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from benchsuite.core.printable import printable
from benchsuite.report.terminal.grid import Grid, show
from benchsuite.report.terminal.wrapping import wrapped

UNBOUNDED = 100_000
"""Columns where there is no terminal to fit: tables are as wide as they need to be."""


class SafeConsole(Console):
    """Prints controls as they are written in Python: a log, a label or a name may hold any."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, **options)
        if not self.is_terminal and "width" not in options:
            self.width = UNBOUNDED

    def say(self, text: str) -> None:
        """Sentences: wrapped between words on a terminal, each a line in a file."""
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
