"""The progress of runs on a terminal, or one plain line a stage where there is none."""

import time
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from benchsuite.load.job import Tick
from benchsuite.specs import LoadProfile, RunSpec
from benchsuite.units import format_count, format_duration, format_rate

BAR_WIDTH = 20


class Progress:
    """Shows one run after another. On a terminal the current run is one line that changes in
    place.
    """

    def __init__(self, console: Console, total: int) -> None:
        self.console = console
        self.total = total
        self._number = 0
        self._spec: RunSpec | None = None
        self._stages: list[str] = []
        self._tick: Tick | None = None
        self._live = Live(console=console, transient=True, auto_refresh=False)

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.console.is_terminal:
            self._live.stop()

    def begin(self, spec: RunSpec) -> None:
        """The next run begins."""
        self._number += 1
        self._spec = spec
        self._stages = []
        self._tick = None
        self._begun = time.monotonic()

    def stage(self, text: str) -> None:
        self._stages = [*self._stages[-1:], text] if text != "starting" else [text]
        if self.console.is_terminal:
            self._show()
        else:
            self._print(text)

    def tick(self, tick: Tick) -> None:
        self._tick = tick
        if self.console.is_terminal:
            self._show()

    def end(self, summary: str) -> None:
        """The run is over; its line stays."""
        if self.console.is_terminal:
            self._live.update(Text(""), refresh=True)
        self._print(summary)

    def _print(self, text: str) -> None:
        self.console.print(f"{self._name()} {text}", highlight=False, soft_wrap=True, markup=False)

    def _name(self) -> str:
        assert self._spec is not None
        server = self._spec.server
        python = f" · {server.python_words}" if server.python_words else ""
        return f"▶ {server.server}{python} ({self._number} of {self.total})"

    def _show(self) -> None:
        assert self._spec is not None
        line = Table.grid(padding=(0, 1, 0, 0))
        cells: list[Text | ProgressBar] = [Text(self._name()), Text(" · ".join(self._stages[-1:]))]
        if self._tick is not None:
            cells += self._load_cells(self._spec.load, self._tick)
        line.add_row(*cells)
        self._live.update(line, refresh=True)

    def _load_cells(self, load: LoadProfile, tick: Tick) -> list[Text | ProgressBar]:
        name, done, length = _phase(load, tick.elapsed_s)
        return [
            Text(f"· {name}"),
            ProgressBar(total=length, completed=min(done, length), width=BAR_WIDTH),
            Text(f"{done:.0f}/{length:g} s"),
            Text(f"· {format_rate(tick.rate)} · p95 {format_duration(tick.p95_s)}"),
            Text(f"· {format_count(tick.failures)} failed", style="red" if tick.failures else ""),
        ]


def _phase(load: LoadProfile, elapsed_s: float) -> tuple[str, float, float]:
    """In which phase a load is, for how long, and how long that takes."""
    if elapsed_s >= load.window_end_s:
        return "drain", elapsed_s - load.window_end_s, load.drain_limit_s
    stage = next(one for one in load.plan if elapsed_s < one.window_end_s)
    name = f"{load.level_words(stage.level)} · " * bool(load.stages)
    if elapsed_s < stage.window_start_s:
        length_s = stage.window_start_s - stage.start_s
        return f"{name}warm-up", elapsed_s - stage.start_s, length_s
    return f"{name}window", elapsed_s - stage.window_start_s, load.duration_s
