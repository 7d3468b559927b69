"""Where the commands write: what people read to the console, JSON to a file or standard output."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO, cast

from rich.console import Console, ConsoleDimensions, ConsoleOptions, RenderableType
from rich.segment import Segment

from benchsuite import conf
from benchsuite.comparing.answer import own_targets, ranking
from benchsuite.comparing.cells import cells
from benchsuite.conf import addresses
from benchsuite.core.printable import hidden, printable
from benchsuite.core.results import Status
from benchsuite.management import streams
from benchsuite.management.streams import Outlasting
from benchsuite.models import Run
from benchsuite.report import flames
from benchsuite.report.doubts import doubt_lines
from benchsuite.report.exports.runs import json_of
from benchsuite.report.levels import populations_table, stages_table
from benchsuite.report.limiting import limit_lines
from benchsuite.report.sentences import completion_lines, model_sentence
from benchsuite.report.sockets import sockets_table
from benchsuite.report.terminal import plan as planned
from benchsuite.report.terminal import results
from benchsuite.report.terminal.grid import Grid, show, wrapped
from benchsuite.report.terminal.progress import Progress
from benchsuite.runner import environments
from benchsuite.runner.plan import Plan
from benchsuite.runner.planning import Estimate
from benchsuite.system.lock import Claim


class SafeConsole(Console):
    """As wide as its stream, in its characters, and with control characters escaped as Python does:
    a log, a label or a name may contain them.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, **options)
        if "width" not in options and not self.is_live:
            self.size = ConsoleDimensions(streams.columns(cast(TextIO, self.file)), self.height)

    @property
    def is_live(self) -> bool:
        """Whether a line can be written over."""
        return self.is_terminal and not self.is_dumb_terminal

    def say(self, text: str) -> None:
        """Prints sentences, wrapped where the width is known."""
        text = streams.legible(text, cast(TextIO, self.file))
        self.print("\n".join(wrapped(text, self.width)), markup=False, soft_wrap=True)

    def table(self, grid: Grid) -> None:
        show(grid.written(lambda text: streams.legible(text, cast(TextIO, self.file))), self)

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


class Screen:
    """Prints for people: to standard output, or to standard error while JSON goes to standard
    output.
    """

    def __init__(self, *, quiet_stdout: bool) -> None:
        stream = Outlasting(sys.stderr if quiet_stdout else sys.stdout)
        self.console = SafeConsole(file=cast(TextIO, stream))

    def plan(self, plans: Sequence[Plan], estimate: Estimate) -> None:
        self._line(f"Plan     {planned.line(plans, sum(estimate.each_s(plans)))}")
        self.warn(own_targets((plan.spec.server.server, plan.server_facts) for plan in plans))

    def warn(self, line: str) -> None:
        """A line of its own; none when there is nothing to say."""
        if line:
            self._line(line)

    def rows(self, plans: Sequence[Plan]) -> None:
        for row in planned.rows(plans):
            self._line(row)
        for name in environments.unbuilt(plans):
            self._line(f"The environment {name} would be built first.")

    def waiting(self, claim: Claim) -> None:
        self._line(f"Another run is under way ({claim}); waiting for it to end. Ctrl-C gives up.")

    def building(self, what: str) -> None:
        self._line(f"Building {what}")

    def progress(self, plans: Sequence[Plan], estimate: Estimate) -> Progress:
        return Progress(
            self.console, planned.titles(plans), lambda done: estimate.each_s(plans[done:])
        )

    def results(self, rows: Sequence[Run], *, stored: bool) -> None:
        """The table, the findings, what limits them, one plain sentence, and where to look at those
        stored. Diagnostic starts tell of limits alone.
        """
        every, rows = rows, [row for row in rows if not row.spec.get("diagnoses")]
        diagnosed = [row for row in every if row not in rows]
        result_cells = cells(rows)
        beside = (stages_table(rows), populations_table(rows), sockets_table(rows))
        for table in (results.results_table(result_cells), *beside):
            if table is not None:
                self.console.table(table)
        for line in (
            *results.starts_lines(result_cells),
            *doubt_lines(rows),
            *limit_lines(result_cells, diagnosed),
        ):
            self._line(line)
        for line, grid in flames.screen_tables_of(diagnosed):
            self._line(line)
            self.console.table(grid)
        for line in completion_lines(result_cells):
            self._line(line)
        first = ranking(result_cells, conf.margins())
        self.warn(" ".join([first.headline, *first.cautions]))
        self.warn(model_sentence(rows))
        self.warn(own_targets((row.server, row.server_facts) for row in rows))
        if stored:
            self._line(f"Look: {_address(every)}")

    def failures(self, rows: Sequence[Run]) -> str:
        """What went wrong, run by run."""
        failed = [row for row in rows if row.status == Status.FAILED.value]
        return "\n".join(f"{row.server}: {row.failure}" for row in failed)

    def none_right(self, rows: Sequence[Run]) -> str:
        """Which runs got no right answer; why is said where their results are."""
        return "\n".join(
            f"{row.server}: not one answer was right; B201 above says why."
            for row in rows
            if row.requests == row.failures
            and any(finding.code.startswith("B201 ") for finding in row.findings.all())
        )

    def _line(self, line: str) -> None:
        self.console.say(hidden(line))


def write_json(file: str, rows: Sequence[Run]) -> None:
    """A list with one object a run; raises BenchsuiteError when the file can't be written."""
    streams.write(file, json_of(rows))


def _address(rows: Sequence[Run]) -> str:
    """The page that shows these runs."""
    return addresses.of_run(rows[0].pk) if len(rows) == 1 else addresses.of_batch(rows[0].batch)
