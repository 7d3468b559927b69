"""The progress of runs on a terminal, or one plain line a stage where there is none."""

import math
import time
from collections.abc import Callable, Sequence
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from benchsuite.core.specs import LoadProfile, RunSpec
from benchsuite.core.units import format_count, format_duration, format_period, format_rate
from benchsuite.load.job import Tick
from benchsuite.report.writers import wrapped
from benchsuite.tuning.answer import Outcome
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.trial import Observation, Phase, Trial

BAR_WIDTH = 20
TOLD_FROM = 3  #: The first run with which plain lines tell the time left: two have corrected it.


class Progress:
    """Shows one run after another; on a terminal the current one is a line that changes."""

    def __init__(
        self,
        console: Console,
        titles: Sequence[str],
        estimates_s: Callable[[int], Sequence[float]],
        made_before: int = 0,
        *,
        grows: bool = False,
    ) -> None:
        """`titles` say what runs measure; `estimates_s` gives seconds of those from a place on;
        `made_before` by a command that this continues; `grows`: titles are added as runs begin.
        """
        self.console = console
        self.total = None if grows else made_before + len(titles)
        self._made_before = made_before
        self._titles = titles
        self._estimates_s = estimates_s
        self._number = 0
        self._is_live = console.is_terminal and not console.is_dumb_terminal
        self._live = Live(console=console, transient=True, auto_refresh=False)

    def __enter__(self) -> Self:
        if self._is_live:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def begin(self, spec: RunSpec) -> None:
        self._begun = time.monotonic()
        self._expected_s = self._estimates_s(self._number)  # of this run, and of those after it
        self._number += 1
        self._load = spec.load
        self._stage = ""
        self._told_left = False  # once a run is enough where lines stay
        self._tick: Tick | None = None

    def skip(self, reason: str) -> None:
        self._number += 1
        self.note(f"skipped: {reason}")

    def stage(self, text: str) -> None:
        self._stage = text
        if self._is_live:
            self._live.update(self._line(self.console.width), refresh=True)
        elif self.place >= TOLD_FROM and not self._told_left:
            self._told_left = True
            self.note(f"{text} · about {format_period(math.ceil(self.left_s))} left")
        else:
            self.note(text)

    def note(self, text: str) -> None:
        lines = wrapped(f"{self._name} {text}", self.console.width, indent=2)
        self.console.print("\n".join(lines), highlight=False, soft_wrap=True, markup=False)

    def tick(self, tick: Tick) -> None:
        self._tick = tick
        if self._is_live:
            self._live.update(self._line(self.console.width), refresh=True)

    def end(self, summary: str) -> None:
        """The run is over; its line stays."""
        if self._is_live:
            self._live.update(Text(""), refresh=True)
        self.note(summary)

    @property
    def left_s(self) -> float:
        """Seconds until the last run ends."""
        current_s, *later_s = self._expected_s
        return max(0.0, current_s - (time.monotonic() - self._begun)) + sum(later_s)

    @property
    def place(self) -> int:
        """Of the run that is being made, from 1."""
        return self._made_before + self._number

    @property
    def title(self) -> str:
        return self._titles[self._number - 1]

    @property
    def _name(self) -> str:
        total = "" if self.total is None else f" of {self.total}"
        return f"▶ {self.title} ({self.place}{total})"

    def _line(self, width: int) -> Text:
        """All that fits, the least important left out first."""
        parts = self._parts()
        for rank, part in sorted(parts, key=lambda part: -part[0]):
            line = Text(" · ").join(text for _, text in parts)
            if line.cell_len < width or len(parts) == 1:
                break
            parts.remove((rank, part))
        line.truncate(max(1, width - 1), overflow="ellipsis")
        return line

    def _parts(self) -> list[tuple[int, Text]]:
        """What the line says, each with its rank: the highest is left out first."""
        left = (1, Text(f"{format_period(math.ceil(self.left_s))} left"))
        place = f"run {self.place}" if self.total is None else f"{self.place}/{self.total}"
        tick = self._tick
        now = phase_words(self._load, tick) if tick else self._stage
        first = [(4, Text(f"▶ {self.title}")), (1, Text(place)), (0, Text(now))]
        if tick is None or tick.awaited is not None:
            return [*first, left]
        _, done, length = _phase(self._load, tick.elapsed_s)
        filled = round(BAR_WIDTH * min(1.0, done / length)) if length else BAR_WIDTH
        return [
            *first,
            (6, Text.assemble(("━" * filled, "green"), ("─" * (BAR_WIDTH - filled), "dim"))),
            (2, Text(format_rate(tick.rate))),
            (3, Text(f"p95 {format_duration(tick.p95_s)}")),
            (2, Text(f"{format_count(tick.failures)} failed", "red" if tick.failures else "")),
            left,
        ]


def phase_words(load: LoadProfile, tick: Tick) -> str:
    """ "window 5/15 s" """
    if tick.awaited is not None:
        return f"drain, {format_count(tick.awaited)} answer{'s' * (tick.awaited != 1)} awaited"
    phase, done, length = _phase(load, tick.elapsed_s)
    return f"{phase} {done:.0f}/{length:g} s"


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


class TrialProgress(Progress):
    """A search's end is unknown beforehand, and asked for when a phase begins."""

    def __init__(self, console: Console, notebook: Notebook, end_s: Callable[[], float]) -> None:
        """`end_s` is when the search should have its answer, by its own clock."""
        self._notebook, self._ask_end_s, self._end_s = notebook, end_s, 0.0
        self._names: list[str] = []
        self._seconds = [0.0]
        self._phase: Phase | None = None
        made = len(notebook.entries)
        super().__init__(console, self._names, lambda done: self._seconds, made, grows=True)

    def next(self, trial: Trial) -> None:
        if trial.phase is not self._phase:
            self._phase, self._end_s = trial.phase, self._ask_end_s()
            known = Outcome(self._notebook)
            if known.leading and known.end is None:
                self.console.print(f"So far {known.leading}. {known.missing}", markup=False)
        mine_s = self._notebook.overhead_s + trial.load.duration_s
        self._seconds = [mine_s, max(0.0, self._end_s - self._notebook.spent_s - mine_s)]
        self._names.append(f"{trial.phase.value}: {trial.candidate.name}")

    def _parts(self) -> list[tuple[int, Text]]:
        if (pick := self._notebook.pick()) is None:
            return super()._parts()
        rate = format_rate(self._notebook.estimate(pick) or self._notebook.screened(pick))
        return [*super()._parts(), (3, Text(f"{pick.name} leads, {rate}"))]

    def end(self, summary: str) -> None:
        """The figures of one level stand for a run, and here all count: `saw` tells them."""

    def saw(self, seen: Observation) -> None:
        super().end(seen.words(self._notebook.question.objective.goals[0]))
