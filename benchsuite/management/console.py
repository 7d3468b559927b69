"""The console of the commands: what it is given can't steer the terminal."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from benchsuite.printable import printable


class SafeConsole(Console):
    """Prints controls as they are written in Python: a log, a label or a name may hold any."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)
