"""Runs of the same cell taken together: the median over server starts, and how far they lie
apart.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from benchsuite.models import Run
from benchsuite.results import Status, Verdict

WORST_FIRST = (Verdict.INVALID, Verdict.WEAK, Verdict.VALID)


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of a figure over server starts, and its extremes."""

    median: float
    least: float
    most: float

    @property
    def half_range_percent(self) -> float | None:
        """Half the distance between the extremes, in percent of the median."""
        return (self.most - self.least) / 2 / self.median * 100 if self.median else None


@dataclass(frozen=True, slots=True)
class Cell:
    """One server under one load: all the starts of it that have figures, and those that don't."""

    runs: Sequence[Run]
    """In order of their start; never empty."""

    @property
    def first(self) -> Run:
        return self.runs[0]

    @property
    def measured(self) -> list[Run]:
        """The runs with figures."""
        return [run for run in self.runs if run.goodput is not None]

    @property
    def failed(self) -> list[Run]:
        return [run for run in self.runs if run.status != Status.FINISHED.value]

    @property
    def verdict(self) -> Verdict | None:
        """The worst of its runs; None when none has figures."""
        verdicts = {run.verdict for run in self.measured}
        return next((verdict for verdict in WORST_FIRST if verdict.value in verdicts), None)

    def spread(self, column: str) -> Spread | None:
        """The figure in that column of `Run` over the starts that have it."""
        values = [getattr(run, column) for run in self.measured]
        known = [value for value in values if value is not None]
        return Spread(median(known), min(known), max(known)) if known else None

    def middle(self, column: str) -> float | None:
        found = self.spread(column)
        return found.median if found else None


def cells(runs: Iterable[Run]) -> list[Cell]:
    """Runs grouped by cell; most goodput first, those without figures last."""
    groups: dict[str, list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.started_at):
        groups.setdefault(run.key, []).append(run)
    return sorted(
        (Cell(tuple(group)) for group in groups.values()),
        key=lambda cell: -(cell.middle("goodput") or -1.0),
    )
