"""What is shown of a tuning while its trials are made."""

from rich.console import Console

from benchsuite.management.options.tune import Asked
from benchsuite.management.tuning.searching import rehearsed
from benchsuite.report.terminal.progress import Progress
from benchsuite.report.tuning.decisions import found_words
from benchsuite.tuning.search import Searching
from benchsuite.tuning.trial import Observation, Phase, Trial


class Shown(Progress):
    """Nobody knows beforehand how many trials there will be: what is left is told by rehearsing the
    rest of the search when a phase begins.
    """

    def __init__(self, console: Console, asked: Asked, searching: Searching) -> None:
        self._asked, self._searching = asked, searching
        self._names: list[str] = []
        self._seconds = [0.0]
        self._phase: Phase | None = None
        self._end_s = 0.0  #: When the search should have its answer, by its own clock.
        made = len(searching.book.entries)
        super().__init__(
            console, self._names, lambda done: self._seconds, made_before=made, grows=True
        )

    def next(self, trial: Trial) -> None:
        """What the next run will be."""
        book = self._searching.book
        if trial.phase is not self._phase:
            self._phase = trial.phase
            self._end_s = rehearsed(self._asked, book.entries).spent_s
        mine_s = book.overhead_s + trial.load.duration_s
        self._seconds = [mine_s, max(0.0, self._end_s - book.spent_s - mine_s)]
        self._names.append(f"{trial.phase.value}: {trial.candidate.name}")

    def end(self, summary: str) -> None:
        """The figures of one level stand for a run, and here all count: `saw` tells them."""

    def saw(self, seen: Observation) -> None:
        """What the search is told of the run that is over."""
        super().end(found_words(seen))
