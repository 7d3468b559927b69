"""What is shown of a tuning while its trials are made."""

from rich.console import Console

from benchsuite.management.tuning.searching import Searching, rehearsed
from benchsuite.report.terminal.progress import Progress
from benchsuite.tuning.trial import Trial


class Shown:
    """Nobody knows beforehand how many trials there will be: what is left is told by rehearsing the
    rest of the search.
    """

    def __init__(self, console: Console, searching: Searching) -> None:
        self._searching = searching
        self._titles: list[str] = []
        self._left_s = [0.0]
        made = len(searching.book.entries)
        self.progress = Progress(
            console, self._titles, lambda done: self._left_s, made_before=made, grows=True
        )

    def next(self, trial: Trial) -> None:
        """What the next run will be."""
        book = self._searching.book
        mine_s = book.overhead_s + trial.load.duration_s
        left_s = rehearsed(self._searching.asked, book.entries).spent_s - book.spent_s
        self._left_s = [mine_s, max(0.0, left_s - mine_s)]
        self._titles.append(f"{trial.phase.value}: {trial.candidate.name}")
